// An epoch step by step: load, forward and backward of each batch.

import { countCorrect } from './metrics.js';
import { checkCount } from './order.js';
import { Trainer } from './trainer.js';

const PARTS = ['load', 'forward', 'backward'];

export class Stepping extends Trainer {
  async warmUp(batches) {
    const watch = await this.watch(PARTS);
    for await (const { step } of this.#steps(batches, watch)) {
      await this.#release([step]);
    }
    return watch.steps();
  }

  async epoch(epoch, batches, evidence) {
    const kept = []; // read when the timer has stopped: reading waits for the device
    try {
      await this.#timed(epoch, batches, evidence, kept);
      const losses = [];
      for (const { loss } of kept) {
        losses.push((await this.model.toHost(loss)).data[0]);
      }
      return await this.metrics(epoch, batches, losses, () => this.#countCorrect(batches, kept));
    } finally {
      await this.#release(kept);
    }
  }

  async #timed(epoch, batches, evidence, kept) {
    const watch = await this.watch(this.job.settings.measure === 'parts' ? PARTS : []);
    for await (const { batch, step } of this.#steps(batches, watch)) {
      const number = kept.push(step) - 1;
      await watch.paused(() => this.tell(epoch, number, batches, batch, evidence));
    }
    this.reporter.event('timings', { phase: 'train', epoch, ...(await watch.stop()) });
  }

  /** Each batch, after its step; what the caller does with it counts for no part. */
  async *#steps(batches, watch) {
    const { model } = this;
    let count = 0;
    for await (const batch of model.batches(this.split, batches)) {
      try {
        await watch.lap('load');
        const step = await this.#step(batch, watch);
        await watch.lap('backward');
        yield { batch, step };
      } finally {
        await model.releaseBatch(batch);
      }
      count += 1;
      await watch.paused(() => this.reporter.checkCancelled());
      watch.mark();
    }
    checkCount(count, batches);
  }

  async #step(batch, watch) {
    const { model } = this;
    if (model.step) {
      return model.step(batch, () => watch.lapAtOnce('forward'));
    }
    const step = await model.forward(batch);
    await watch.lap('forward');
    await model.backward();
    return step;
  }

  async #countCorrect(batches, steps) {
    let correct = 0;
    for (const [number, ids] of batches.entries()) {
      correct += countCorrect(await this.model.toHost(steps[number].outputs), this.split.labels(ids));
    }
    return correct;
  }

  async #release(steps) {
    for (const { outputs, loss } of steps) {
      await this.model.release(outputs);
      await this.model.release(loss);
    }
  }
}
