// The clock of an epoch.

const now = process.hrtime.bigint;

/**
 * Runs from `start` until `stop`. With parts it also times each part of each step, the device synchronised between;
 * without, nothing is timed inside.
 */
export class Stopwatch {
  #synchronize;
  #parts;
  #start = 0n;
  #mark = 0n;

  /**
   * @param {() => void | Promise<void>} synchronize
   * @param {string[]} parts
   */
  static async start(synchronize, parts) {
    const watch = new Stopwatch(synchronize, parts);
    globalThis.gc?.(); // garbage of before, such as an evaluation's, is not to be collected in this time
    await synchronize();
    watch.#start = watch.#mark = now();
    return watch;
  }

  /** Use `start`. */
  constructor(synchronize, parts) {
    this.#synchronize = synchronize;
    this.#parts = new Map(parts.map((part) => [part, []]));
  }

  /** The next part begins here. */
  mark() {
    if (this.#parts.size > 0) {
      this.#mark = now();
    }
  }

  /** The part ends here and the next one begins. */
  async lap(part) {
    if (this.#parts.size > 0) {
      await this.#synchronize();
      this.lapAtOnce(part);
    }
  }

  /** Likewise, where nobody can wait for the device: in the middle of a call of the binding. */
  lapAtOnce(part) {
    if (this.#parts.size > 0) {
      const time = now();
      this.#parts.get(part).push(Number(time - this.#mark));
      this.#mark = time;
    }
  }

  /** What `work` takes counts for nothing. */
  async paused(work) {
    await this.#synchronize(); // or work of before would be waited for in the pause
    const begin = now();
    await work();
    const pause = now() - begin;
    this.#start += pause;
    this.#mark += pause;
  }

  /** The members of a `timings` event. */
  async stop() {
    await this.#synchronize();
    const timings = { total_ns: Number(now() - this.#start) };
    for (const [part, times] of this.#parts) {
      timings[`${part}_ns`] = times;
    }
    return timings;
  }

  /** Each step as the sum of its parts. */
  steps() {
    const [first, ...others] = this.#parts.values();
    return first.map((time, step) => others.reduce((sum, times) => sum + times[step], time));
  }
}
