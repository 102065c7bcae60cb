// The clock of an epoch.

/**
 * Runs from `start` until `stop`. With parts it also times each part of each step, the device synchronised between;
 * without, nothing is timed inside.
 */
export class Stopwatch {
  #host;
  #synchronize;
  #parts;
  #start = 0n;
  #mark = 0n;

  /**
   * @param {import('./host.js').Host} host
   * @param {() => void | Promise<void>} synchronize
   * @param {string[]} parts
   */
  static async start(host, synchronize, parts) {
    const watch = new Stopwatch(host, synchronize, parts);
    globalThis.gc?.(); // garbage of before, such as an evaluation's, is not to be collected in this time
    await synchronize();
    watch.#start = watch.#mark = host.now();
    return watch;
  }

  /** Use `start`. */
  constructor(host, synchronize, parts) {
    this.#host = host;
    this.#synchronize = synchronize;
    this.#parts = new Map(parts.map((part) => [part, []]));
  }

  /** The next part begins here. */
  mark() {
    if (this.#parts.size > 0) {
      this.#mark = this.#host.now();
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
      const time = this.#host.now();
      this.#parts.get(part).push(Number(time - this.#mark));
      this.#mark = time;
    }
  }

  /** What `work` takes counts for nothing. */
  async paused(work) {
    await this.#synchronize(); // or work of before would be waited for in the pause
    const begin = this.#host.now();
    await work();
    const pause = this.#host.now() - begin;
    this.#start += pause;
    this.#mark += pause;
  }

  /** The members of a `timings` event. */
  async stop() {
    await this.#synchronize();
    const timings = { total_ns: Number(this.#host.now() - this.#start) };
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
