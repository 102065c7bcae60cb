// Messages that have come and are not answered yet.

/**
 * Requests are taken from it one by one; `cancel` is noted as soon as it comes, and `bye` while a request runs ends the
 * worker.
 */
export class Mailbox {
  #host;
  #messages = [];
  #wake = () => {};
  #pending = new Set();
  #cancelled = new Set();

  /** @param {import('./host.js').Host} host */
  constructor(host) {
    this.#host = host;
  }

  put(message) {
    if (message.type === 'cancel') {
      if (this.#pending.has(message.id)) {
        this.#cancelled.add(message.id);
      }
      return;
    }
    if (message.type === 'bye' && this.#pending.size > 0) {
      this.#host.leave(0, 'crossbind said bye during a request');
    }
    if (!['welcome', 'bye'].includes(message.type)) {
      this.#pending.add(message.id);
    }
    this.#messages.push(message);
    this.#wake();
  }

  /** The next message that is not a `cancel`. */
  async next() {
    while (this.#messages.length === 0) {
      await new Promise((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#messages.shift();
  }

  /** @param {number} id - of a request */
  finished(id) {
    this.#pending.delete(id);
    this.#cancelled.delete(id);
  }

  isCancelled(id) {
    return this.#cancelled.has(id);
  }
}
