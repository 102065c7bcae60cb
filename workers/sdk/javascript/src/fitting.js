// An epoch by a loop of the binding's own. It cannot be looked into: a step has no parts.

import { checkCount } from './order.js';
import { Trainer } from './trainer.js';

export class Fitting extends Trainer {
  async warmUp(batches) {
    const watch = await this.watch(['step']);
    for (const batch of batches) {
      await this.model.fit(this.split, [batch], () => watch.paused(() => this.reporter.checkCancelled()));
      await watch.lap('step');
    }
    return watch.steps();
  }

  async epoch(epoch, batches, evidence) {
    const watch = await this.watch([]);
    const steps = await this.model.fit(this.split, batches, (number, batch) =>
      watch.paused(async () => {
        await this.tell(epoch, number, batches, batch, evidence);
        await this.reporter.checkCancelled();
      }),
    );
    this.reporter.event('timings', { phase: 'train', epoch, ...(await watch.stop()) });
    checkCount(steps.length, batches);
    const correct = batches.reduce((sum, ids, number) => sum + Math.round(steps[number].accuracy * ids.length), 0);
    return this.metrics(epoch, batches, steps.map(({ loss }) => loss), () => correct);
  }
}
