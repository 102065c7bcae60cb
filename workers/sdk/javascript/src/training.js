// The training procedure: warm-up, then epoch after epoch under the timer, and evaluation outside of it.

import { badRequest } from './errors.js';
import { evaluate } from './evaluation.js';
import { Fitting } from './fitting.js';
import { cut } from './order.js';
import { writeTensors } from './safetensors.js';
import { Stepping } from './stepping.js';

/**
 * Always starts from what was prepared, and leaves the trained model behind.
 * @param {import('./dispatcher.js').Context} context
 * @param {import('./requests.js').Train} request
 */
export async function train(context, request) {
  const { host, job, model, reporter } = context;
  if (!job.order) {
    throw badRequest('the worker was prepared without an order');
  }
  const { settings } = job;
  const trainer = new (settings.variant === 'fit' ? Fitting : Stepping)(context);
  await model.reset();
  const warmup = cut(job.order[0], settings.batchSize).slice(0, settings.warmupSteps);
  if (warmup.length > 0) {
    reporter.event('timings', { phase: 'warmup', steps_ns: await trainer.warmUp(warmup) });
    await model.reset();
  }
  let steps = 0;
  for (const [index, ids] of job.order.entries()) {
    const epoch = index + 1;
    const batches = cut(ids, settings.batchSize);
    steps += batches.length;
    const metrics = await trainer.epoch(epoch, batches, request.evidence);
    if (job.data.test && (settings.evaluate === 'every_epoch' || epoch === settings.epochs)) {
      const { accuracy, loss } = await evaluate(context, job.data.test);
      Object.assign(metrics, { test_accuracy: accuracy, test_loss: loss });
    }
    reporter.event('epoch', { epoch, ...metrics });
  }
  if (request.save) {
    await writeTensors(host, request.save, await model.export());
  }
  return { steps };
}
