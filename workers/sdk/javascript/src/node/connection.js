// The line to crossbind: connects, cuts what comes into lines, writes them.

import { once } from 'node:events';
import { createConnection } from 'node:net';

import { LONGEST_LINE } from '../messages.js';
import { leave } from './host.js';

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

/** Its loss, or a line that is no message, ends the process. */
export class Connection {
  #socket;
  #take = () => {};
  #pieces = []; // of a line whose end has not come yet
  #length = 0;
  #isOver = false;

  /** @param {import('node:net').Socket} socket */
  constructor(socket) {
    this.#socket = socket;
  }

  /** @param {(line: string) => void} take - throws where a line is no message */
  listen(take) {
    this.#take = take;
    this.#socket.on('data', (chunk) => this.#read(chunk));
    this.#socket.on('error', (error) => this.#lost(error.message));
    this.#socket.on('close', () => this.#lost('crossbind closed it'));
  }

  /** @param {string} line */
  send(line) {
    this.#socket.write(`${line}\n`);
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
        this.#take(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line));
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

  #lost(reason) {
    if (!this.#isOver) {
      leave(1, `the connection is broken: ${reason}`);
    }
  }
}
