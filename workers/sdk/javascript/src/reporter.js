// What the procedures say while they run, and how they hear that they should stop.

import { setImmediate } from 'node:timers/promises';

import { Failed } from './errors.js';

const PROGRESS_INTERVAL_MS = 250;

/** Events of one request. */
export class Reporter {
  #send;
  #isCancelled;
  #lastProgress = performance.now();

  /**
   * @param {(type: string, members: object) => void} send
   * @param {() => boolean} isCancelled
   */
  constructor(send, isCancelled) {
    this.#send = send;
    this.#isCancelled = isCancelled;
  }

  event(type, members) {
    this.#send(type, members);
  }

  /** At most four a second are sent. */
  progress(epoch, step, steps) {
    const now = performance.now();
    if (now - this.#lastProgress >= PROGRESS_INTERVAL_MS) {
      this.#lastProgress = now;
      this.#send('progress', { epoch, step, steps });
    }
  }

  /** Lets the event loop turn once: no line is read while a procedure computes. */
  async checkCancelled() {
    await setImmediate();
    if (this.#isCancelled()) {
      throw new Failed('cancelled', 'given up on request');
    }
  }
}
