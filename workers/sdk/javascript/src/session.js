// A conversation with crossbind: one request after the other, each with exactly one reply.

import { Dispatcher } from './dispatcher.js';
import { Failed, Unsupported } from './errors.js';
import { Mailbox } from './mailbox.js';
import { formatMessage, parseMessage } from './messages.js';
import { Reporter } from './reporter.js';
import { parseRequest } from './requests.js';

const PROTOCOL = 1;

export class Session {
  #host;
  #hello;
  #mailbox;
  #dispatcher;

  /**
   * @param {import('./host.js').Host} host
   * @param {import('./model.js').Build} build
   * @param {import('./hello.js').Hello} hello
   */
  constructor(host, build, hello) {
    this.#host = host;
    this.#hello = hello;
    this.#mailbox = new Mailbox(host);
    this.#dispatcher = new Dispatcher(host, build, hello);
  }

  /**
   * A line has come. One that is no message is thrown: nobody can know what was meant.
   * @param {string} line
   */
  take(line) {
    this.#mailbox.put(parseMessage(line));
  }

  /**
   * Speaks for the binding until crossbind says bye, with a reason or without.
   * @param {string} token
   * @returns {Promise<string | undefined>}
   */
  async run(token) {
    this.#send({ type: 'hello', protocol: PROTOCOL, token, ...this.#hello });
    for (;;) {
      const message = await this.#mailbox.next();
      if (message.type === 'bye') {
        return message.reason;
      }
      if (message.type !== 'welcome') {
        await this.#answer(message);
      }
    }
  }

  async #answer(message) {
    const { id } = message;
    const reporter = new Reporter(
      this.#host,
      (type, members) => this.#send({ type, id, ...members }),
      () => this.#mailbox.isCancelled(id),
    );
    const reply = await this.#perform(message, reporter);
    this.#mailbox.finished(id);
    try {
      this.#send({ ...reply, id });
    } catch (error) {
      this.#send({ ...failed(error), id }); // the reply holds a number that is not finite
    }
  }

  /** The reply to a request, whatever happens. */
  async #perform(message, reporter) {
    try {
      return { type: 'done', ...(await this.#dispatcher.perform(parseRequest(message), reporter)) };
    } catch (error) {
      if (error instanceof Unsupported) {
        return { type: 'unsupported', feature: error.message };
      }
      return failed(error);
    }
  }

  #send(message) {
    this.#host.send(formatMessage(message));
  }
}

function failed(error) {
  if (error instanceof Failed) {
    return { type: 'failed', code: error.code, message: error.message };
  }
  if (error instanceof RangeError && /allocation failed|Invalid typed array length/.test(error.message)) {
    return { type: 'failed', code: 'out_of_memory', message: error.message };
  }
  console.error(error);
  return { type: 'failed', code: 'internal', message: String(error) };
}
