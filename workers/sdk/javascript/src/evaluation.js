// The accuracy over a whole split, in evaluation mode, outside of every timer.

import { countCorrect } from './metrics.js';
import { checkCount, inFileOrder } from './order.js';

/**
 * @param {import('./model.js').Job} job
 * @param {import('./model.js').Model<any, any>} model
 * @param {import('./data.js').Split} split
 * @param {import('./reporter.js').Reporter} reporter
 */
export async function evaluate(job, model, split, reporter) {
  const batches = inFileOrder(split, job.settings.batchSize);
  let correct = 0;
  let count = 0;
  for await (const batch of model.batches(split, batches)) {
    const output = await model.predict(batch);
    correct += countCorrect(await model.toHost(output), split.labels(batches[count]));
    await model.release(output);
    await model.releaseBatch(batch);
    count += 1;
    await reporter.checkCancelled();
  }
  checkCount(count, batches);
  return correct / split.size;
}
