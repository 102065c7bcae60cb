// The accuracy over a whole split and its mean loss, in evaluation mode, outside of every timer.

import { countCorrect, sumOfLosses } from './metrics.js';
import { checkCount, inFileOrder } from './order.js';

/**
 * @param {import('./dispatcher.js').Context} context
 * @param {import('./data.js').Split} split
 */
export async function evaluate({ job, model, reporter }, split) {
  const batches = inFileOrder(split, job.settings.batchSize);
  let correct = 0;
  let loss = 0;
  let count = 0;
  for await (const batch of model.batches(split, batches)) {
    const output = await model.predict(batch);
    const [outputs, targets] = [await model.toHost(output), split.labels(batches[count])];
    correct += countCorrect(outputs, targets);
    loss += sumOfLosses(job.graph.loss, outputs, targets);
    await model.release(output);
    await model.releaseBatch(batch);
    count += 1;
    await reporter.checkCancelled();
  }
  checkCount(count, batches);
  return { accuracy: correct / split.size, loss: loss / split.size };
}
