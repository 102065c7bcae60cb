// The training procedure: warm-up, then for each epoch load, forward and backward of each batch under the timer, and
// evaluation outside of it.

import { requireSplit } from './data.js';
import { badRequest, notFinite } from './errors.js';
import { checkCount } from './inference.js';
import { countCorrect, hashes } from './metrics.js';
import { cut, inFileOrder } from './order.js';
import { writeSafetensors } from './safetensors.js';
import { Stopwatch } from './stopwatch.js';

/**
 * @typedef {import('./order.js').Ids} Ids
 * @typedef {import('./model.js').Job} Job
 * @typedef {import('./model.js').Model<any, any>} Model
 * @typedef {import('./reporter.js').Reporter} Reporter
 */

const PARTS = ['load', 'forward', 'backward'];

/**
 * Always starts from what was prepared, and leaves the trained model behind.
 * @param {Job} job
 * @param {Model} model
 * @param {import('./requests.js').Train} request
 * @param {Reporter} reporter
 */
export async function train(job, model, request, reporter) {
  if (!job.order) {
    throw badRequest('the worker was prepared without an order');
  }
  const { settings } = job;
  const trainer = new Trainer(job, model, reporter);
  await model.reset();
  await trainer.warmUp(cut(job.order[0], settings.batchSize).slice(0, settings.warmupSteps));
  let steps = 0;
  for (const [index, ids] of job.order.entries()) {
    const epoch = index + 1;
    const batches = cut(ids, settings.batchSize);
    steps += batches.length;
    const metrics = await trainer.epoch(epoch, batches, request.evidence);
    if (job.data.test && (settings.evaluate === 'every_epoch' || epoch === settings.epochs)) {
      metrics.test_accuracy = await accuracy(job, model, job.data.test, reporter);
    }
    reporter.event('epoch', { epoch, ...metrics });
  }
  if (request.save) {
    writeSafetensors(request.save, await model.export());
  }
  return { steps };
}

/** What stays the same during one training. */
class Trainer {
  #job;
  #model;
  #reporter;
  #split;

  constructor(job, model, reporter) {
    this.#job = job;
    this.#model = model;
    this.#reporter = reporter;
    this.#split = requireSplit(job.data.train, 'training');
  }

  async warmUp(batches) {
    if (batches.length === 0) {
      return;
    }
    const watch = await this.#watch(PARTS);
    for await (const { step } of this.#steps(batches, watch)) {
      await this.#release([step]);
    }
    this.#reporter.event('timings', { phase: 'warmup', steps_ns: watch.steps() });
    await this.#model.reset();
  }

  /** Loss and training accuracy of one epoch. */
  async epoch(epoch, batches, evidence) {
    const kept = []; // read when the timer has stopped: reading waits for the device
    try {
      await this.#timed(epoch, batches, evidence, kept);
      const loss = await this.#meanLoss(epoch, batches, kept);
      return { loss, train_accuracy: await this.#accuracy(batches, kept) };
    } finally {
      await this.#release(kept);
    }
  }

  async #timed(epoch, batches, evidence, kept) {
    const watch = await this.#watch(this.#job.settings.measure === 'parts' ? PARTS : []);
    for await (const { ids, batch, step } of this.#steps(batches, watch)) {
      const number = kept.push(step) - 1;
      await watch.paused(async () => {
        if (number < evidence || evidence < 0) {
          await this.#show(epoch, number, ids, batch);
        }
        this.#reporter.progress(epoch, number + 1, batches.length);
      });
    }
    this.#reporter.event('timings', { phase: 'train', epoch, ...(await watch.stop()) });
  }

  /** Each batch, after its step; what the caller does with it counts for no part. */
  async *#steps(batches, watch) {
    const model = this.#model;
    let count = 0;
    for await (const batch of model.batches(this.#split, batches)) {
      try {
        await watch.lap('load');
        const step = await model.forward(batch);
        await watch.lap('forward');
        await model.backward();
        await watch.lap('backward');
        yield { ids: batches[count], batch, step };
      } finally {
        await model.releaseBatch(batch);
      }
      count += 1;
      await watch.paused(() => this.#reporter.checkCancelled());
      watch.mark();
    }
    checkCount(count, batches);
  }

  #watch(parts) {
    return Stopwatch.start(() => this.#model.synchronize(), parts);
  }

  async #show(epoch, number, ids, batch) {
    const evidence = hashes(await this.#model.reached(batch));
    this.#reporter.event('batch', { epoch, batch: number, count: ids.length, ids: [...ids], ...evidence });
  }

  async #meanLoss(epoch, batches, steps) {
    let total = 0;
    for (const [number, ids] of batches.entries()) {
      const [loss] = (await this.#model.toHost(steps[number].loss)).data;
      if (!Number.isFinite(loss)) {
        throw notFinite(`the loss of step ${number + 1} in epoch ${epoch} is ${loss}`);
      }
      total += loss * ids.length;
    }
    return total / this.#split.size;
  }

  async #accuracy(batches, steps) {
    if (this.#job.settings.trainingAccuracy === 'eval') {
      return accuracy(this.#job, this.#model, this.#split, this.#reporter);
    }
    let correct = 0;
    for (const [number, ids] of batches.entries()) {
      correct += countCorrect(await this.#model.toHost(steps[number].outputs), this.#split.labels(ids));
    }
    return correct / this.#split.size;
  }

  async #release(steps) {
    for (const { outputs, loss } of steps) {
      await this.#model.release(outputs);
      await this.#model.release(loss);
    }
  }
}

/** Over a whole split, in evaluation mode. */
async function accuracy(job, model, split, reporter) {
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
