// What the procedures say while they run, and how they hear that they should stop.

import { Failed } from './errors.js';

const PROGRESS_INTERVAL_NS = 250_000_000n;

/** Events of one request. */
export class Reporter {
  #host;
  #send;
  #isCancelled;
  #lastProgress;

  /**
   * @param {import('./host.js').Host} host
   * @param {(type: string, members: object) => void} send
   * @param {() => boolean} isCancelled
   */
  constructor(host, send, isCancelled) {
    this.#host = host;
    this.#lastProgress = host.now();
    this.#send = send;
    this.#isCancelled = isCancelled;
  }

  event(type, members) {
    this.#send(type, members);
  }

  /** At most four a second are sent. */
  progress(epoch, step, steps) {
    const now = this.#host.now();
    if (now - this.#lastProgress >= PROGRESS_INTERVAL_NS) {
      this.#lastProgress = now;
      this.#send('progress', { epoch, step, steps });
    }
  }

  /** Lets the event loop turn once: no line is read while a procedure computes. */
  async checkCancelled() {
    await this.#host.turn();
    if (this.#isCancelled()) {
      throw new Failed('cancelled', 'given up on request');
    }
  }
}
