// The inference procedure: load and forward of the whole test set under the timer, after a warm-up.

import { requireSplit } from './data.js';
import { countCorrect } from './metrics.js';
import { checkCount, inFileOrder } from './order.js';
import { writeTensors } from './safetensors.js';
import { Stopwatch } from './stopwatch.js';
import { product } from './tensors.js';

const PARTS = ['load', 'forward'];

/**
 * @param {import('./dispatcher.js').Context} context
 * @param {import('./requests.js').Infer} request
 */
export async function infer(context, request) {
  const { job, model, reporter } = context;
  const { settings } = job;
  const split = requireSplit(job.data.test, 'test');
  const batches = inFileOrder(split, settings.batchSize);
  const start = (parts) => Stopwatch.start(context.host, () => model.synchronize(), parts);
  const passes = (some, watch) => pass(context, split, some, watch);

  const warmup = batches.slice(0, settings.warmupSteps);
  if (warmup.length > 0) {
    const watch = await start(PARTS);
    for await (const output of passes(warmup, watch)) {
      await model.release(output);
    }
    reporter.event('timings', { phase: 'warmup', steps_ns: watch.steps() });
  }

  const kept = [];
  try {
    const watch = await start(settings.measure === 'parts' ? PARTS : []);
    for await (const output of passes(batches, watch)) {
      kept.push(output);
    }
    reporter.event('timings', { phase: 'infer', ...(await watch.stop()) });
    return await conclude(context, split, batches, kept, request);
  } finally {
    for (const output of kept) {
      await model.release(output);
    }
  }
}

/** The output of each batch; what the caller does with it counts for no part. */
async function* pass({ model, reporter }, split, batches, watch) {
  let count = 0;
  for await (const batch of model.batches(split, batches)) {
    try {
      await watch.lap('load');
      const output = await model.predict(batch);
      await watch.lap('forward');
      yield output;
    } finally {
      await model.releaseBatch(batch);
    }
    count += 1;
    await watch.paused(() => reporter.checkCancelled());
    watch.mark();
  }
  checkCount(count, batches);
}

async function conclude({ host, model }, split, batches, kept, request) {
  const outputs = [];
  let correct = 0;
  for (const [number, ids] of batches.entries()) {
    const output = await model.toHost(kept[number]);
    correct += countCorrect(output, split.labels(ids));
    outputs.push(output);
  }
  if (request.outputs) {
    await writeTensors(host, request.outputs, [['outputs', concatenate(outputs)]]);
  }
  return { samples: split.size, accuracy: correct / split.size };
}

function concatenate(tensors) {
  const [, ...rest] = tensors[0].shape;
  const shape = [tensors.reduce((rows, tensor) => rows + tensor.shape[0], 0), ...rest];
  const data = new Float32Array(product(shape));
  let offset = 0;
  for (const tensor of tensors) {
    data.set(tensor.data, offset);
    offset += tensor.data.length;
  }
  return { data, shape };
}
