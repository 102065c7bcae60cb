// What is the same in every training, whoever's loop goes through an epoch.

import { requireSplit } from './data.js';
import { notFinite } from './errors.js';
import { evaluate } from './evaluation.js';
import { hashes } from './metrics.js';
import { Stopwatch } from './stopwatch.js';

/** Made for one training. Those that extend it have `warmUp`, the times of the steps, and `epoch`, its metrics. */
export class Trainer {
  /** @param {import('./dispatcher.js').Context} context */
  constructor(context) {
    this.context = context;
    this.job = context.job;
    this.model = context.model;
    this.reporter = context.reporter;
    this.split = requireSplit(context.job.data.train, 'training');
  }

  /** @param {string[]} parts */
  watch(parts) {
    return Stopwatch.start(this.context.host, () => this.model.synchronize(), parts);
  }

  /** What is said of a batch; no timer runs. */
  async tell(epoch, number, batches, batch, evidence) {
    if (number < evidence || evidence < 0) {
      const ids = [...batches[number]];
      const shown = await hashes(this.context.host, await this.model.reached(batch));
      this.reporter.event('batch', { epoch, batch: number, count: ids.length, ids, ...shown });
    }
    this.reporter.progress(epoch, number + 1, batches.length);
  }

  /**
   * Of an epoch.
   * @param {number[]} losses - of its steps
   * @param {() => number | Promise<number>} countRunning - how many samples were right before each update
   */
  async metrics(epoch, batches, losses, countRunning) {
    const loss = this.#meanLoss(epoch, batches, losses);
    const isRunning = this.job.settings.trainingAccuracy === 'running';
    const accuracy = isRunning
      ? (await countRunning()) / this.split.size
      : (await evaluate(this.context, this.split)).accuracy;
    return { loss, train_accuracy: accuracy };
  }

  #meanLoss(epoch, batches, losses) {
    let total = 0;
    for (const [number, ids] of batches.entries()) {
      const loss = losses[number];
      if (!Number.isFinite(loss)) {
        throw notFinite(`the loss of step ${number + 1} in epoch ${epoch} is ${loss}`);
      }
      total += loss * ids.length;
    }
    return total / this.split.size;
  }
}
