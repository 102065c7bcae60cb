// The line to crossbind: connects, takes lines as they come, writes them.

import { once } from 'node:events';
import { createConnection } from 'node:net';

import { Failed, notFinite } from './errors.js';

export const LONGEST_LINE = 8 * 2 ** 20;
const LINE_FEED = 0x0a;

/**
 * To `unix:PATH` or `tcp:HOST:PORT`.
 * @param {string} endpoint
 */
export async function connect(endpoint) {
  const socket = createConnection(parseEndpoint(endpoint));
  await once(socket, 'connect');
  socket.setNoDelay();
  return new Connection(socket);
}

function parseEndpoint(endpoint) {
  const [, path] = /^unix:(.+)$/s.exec(endpoint) ?? [];
  if (path) {
    return { path };
  }
  const [, host, port] = /^tcp:(.+):(\d+)$/.exec(endpoint) ?? [];
  if (!host) {
    throw new Error(`'${endpoint}' is neither unix:PATH nor tcp:HOST:PORT`);
  }
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
}

/**
 * Requests are taken from it one by one; `cancel` is noted as soon as the event loop turns, and `bye` or the end of the
 * connection while a request runs ends the process: nobody waits for the answer.
 */
export class Connection {
  #socket;
  #messages = [];
  #wake = () => {};
  #pending = new Set();
  #cancelled = new Set();
  #pieces = []; // of a line whose end has not come yet
  #length = 0;
  #isOver = false;

  /** @param {import('node:net').Socket} socket */
  constructor(socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => this.#read(chunk));
    socket.on('error', (error) => this.#lost(error.message));
    socket.on('close', () => this.#lost('crossbind closed it'));
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

  /** @param {{type: string}} message */
  send(message) {
    const line = `${JSON.stringify(message, (_, value) => finite(value, message.type))}\n`;
    const length = Buffer.byteLength(line);
    if (length > LONGEST_LINE) {
      throw new Failed('internal', `'${message.type}' has ${length} bytes, a line at most ${LONGEST_LINE}`);
    }
    this.#socket.write(line);
  }

  /** Once everything has been sent. */
  async close() {
    this.#isOver = true;
    await new Promise((resolve) => {
      this.#socket.end(resolve);
    });
  }

  #read(chunk) {
    try {
      let begin = 0;
      for (let end; (end = chunk.indexOf(LINE_FEED, begin)) >= 0; begin = end + 1) {
        this.#keep(chunk.subarray(begin, end + 1));
        const line = Buffer.concat(this.#pieces);
        this.#pieces = [];
        this.#length = 0;
        this.#take(parseMessage(line));
      }
      this.#keep(chunk.subarray(begin));
    } catch (error) {
      this.#lost(error.message);
    }
  }

  #keep(piece) {
    this.#length += piece.length;
    if (this.#length > LONGEST_LINE) {
      throw new Error('a line is too long');
    }
    this.#pieces.push(piece);
  }

  #take(message) {
    if (message.type === 'cancel') {
      if (this.#pending.has(message.id)) {
        this.#cancelled.add(message.id);
      }
      return;
    }
    if (message.type === 'bye' && this.#pending.size > 0) {
      leave(0, 'crossbind said bye during a request');
    }
    if (message.type === 'bye') {
      this.#isOver = true;
    } else if (message.type !== 'welcome') {
      this.#pending.add(message.id);
    }
    this.#messages.push(message);
    this.#wake();
  }

  #lost(reason) {
    if (!this.#isOver) {
      leave(1, `the connection is broken: ${reason}`);
    }
  }
}

function finite(value, type) {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw notFinite(`a number of '${type}' is not finite`); // JSON.stringify would write null
  }
  return value;
}

function parseMessage(line) {
  const message = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line));
  if (typeof message?.type !== 'string' || Array.isArray(message)) {
    throw new Error("a line is not a JSON object with a 'type'");
  }
  if (!Number.isInteger(message.id) && !['welcome', 'bye'].includes(message.type)) {
    throw new Error("a request has no integer 'id'");
  }
  return message;
}

function leave(code, reason) {
  console.error(`worker: ${reason}`);
  process.exit(code);
}
