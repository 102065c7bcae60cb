// What tests of JavaScript workers share: crossbind's side of a conversation, over a real socket.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { product } from '../tensors.js';
import { writeSafetensors } from './files.js';

const REPLIES = ['done', 'unsupported', 'failed'];

/** Starts a worker and talks to it. `log` is what it has printed. */
export class Harness {
  #socket;
  #lines;
  #process;
  #ended;
  #lastId = 0;

  log = '';
  path = mkdtempSync(join(tmpdir(), 'crossbind-'));

  /**
   * @param {string[]} command
   * @param {{tcp?: boolean, welcome?: boolean, environment?: Record<string, string>}} [options]
   */
  static async start(command, { tcp = false, welcome = true, environment = {} } = {}) {
    const harness = new Harness();
    const server = createServer();
    const address = join(harness.path, 'socket');
    server.listen(tcp ? { host: '127.0.0.1', port: 0 } : { path: address });
    await once(server, 'listening');
    const endpoint = tcp ? `tcp:127.0.0.1:${server.address().port}` : `unix:${address}`;
    harness.#start(command, { ...environment, CROSSBIND_ENDPOINT: endpoint, CROSSBIND_TOKEN: 'secret' });
    const [socket] = await Promise.race([once(server, 'connection'), harness.#endedEarly()]);
    server.close();
    harness.#socket = socket.on('error', () => {}); // a worker that ends on a broken line resets it
    harness.#lines = createInterface({ input: socket })[Symbol.asyncIterator]();
    harness.hello = await harness.receive();
    if (welcome) {
      harness.send({ type: 'welcome', protocol: 1, crossbind: '0.1.0' });
    }
    return harness;
  }

  get pid() {
    return this.#process.pid;
  }

  send(message) {
    this.sendLine(`${JSON.stringify(message)}\n`);
  }

  sendLine(line) {
    this.#socket.write(line);
  }

  async receive() {
    const { value } = await this.#lines.next();
    return JSON.parse(value);
  }

  /** The id of a request that was sent. */
  begin(type, members = {}) {
    this.#lastId += 1;
    this.send({ type, id: this.#lastId, ...members });
    return this.#lastId;
  }

  /** The events of a request, and its reply. */
  async finish(id) {
    const events = [];
    for (;;) {
      const message = await this.receive();
      if (message.id !== id) {
        throw new Error(`expected the id ${id}, came ${JSON.stringify(message)}`);
      }
      if (REPLIES.includes(message.type)) {
        return { events, reply: message };
      }
      events.push(message);
    }
  }

  ask(type, members) {
    return this.finish(this.begin(type, members));
  }

  /** The worker's exit status. */
  bye() {
    this.send({ type: 'bye' });
    return this.wait();
  }

  disconnect() {
    this.#socket.destroy();
  }

  /** The worker's exit status. */
  async wait() {
    const [code] = await this.#ended;
    return code;
  }

  async stop() {
    this.disconnect();
    this.#process.kill('SIGKILL');
    await this.#ended;
    rmSync(this.path, { recursive: true });
  }

  #start([program, ...options], environment) {
    this.#process = spawn(program, options, { env: { ...process.env, ...environment } });
    this.#process.stdout.on('data', (chunk) => (this.log += chunk));
    this.#process.stderr.on('data', (chunk) => (this.log += chunk));
    this.#ended = once(this.#process, 'close');
  }

  async #endedEarly() {
    const [code] = await this.#ended;
    throw new Error(`the worker ended with ${code}: ${this.log}`);
  }
}

/** The members of a `prepare`, with synthetic files in a folder. */
export function writeJob(folder, graph, settings) {
  const file = (name, tensors) => {
    writeSafetensors(join(folder, name), Object.entries(tensors));
    return join(folder, name);
  };
  return makeJob(file, graph, { ...settings, scratch: folder });
}

/**
 * Samples are their class's pattern and some noise.
 * @param {(name: string, tensors: Record<string, import('../safetensors.js').Tensor>) => string} file - its path
 */
export function makeJob(file, graph, { train, test, scratch, ...settings }) {
  const random = generator();
  const chosen = {
    device: 'cpu', loader: 'resident', variant: 'step', measure: 'total', seed: 1, epochs: 2, batch_size: 8,
    training_accuracy: 'running', evaluate: 'every_epoch', warmup_steps: 0, threads: 1, ...settings,
  };
  const weights = graph.nodes.flatMap(({ parameters }) =>
    parameters.map(({ name, shape }) => [name, floats(shape, () => 0.4 * random() - 0.2)]),
  );
  const data = { ...split('train', graph, train, random), ...split('test', graph, test, random) };
  const order = Array.from({ length: chosen.epochs }, () => shuffled(train, random)).flat();
  return {
    graph,
    weights: file('weights.safetensors', Object.fromEntries(weights)),
    data: { path: file('data.safetensors', data), train_samples: train, test_samples: test },
    order: file('order.safetensors', { order: integers([chosen.epochs, train], order) }),
    settings: chosen,
    scratch,
  };
}

function split(name, graph, size, random) {
  const [input] = graph.inputs;
  const classes = graph.nodes[graph.nodes.length - 1].output[0];
  const length = product(input.shape);
  const labels = Array.from({ length: size }, () => Math.floor(classes * random()));
  const sample = (index) => Math.sin(labels[Math.floor(index / length)] + (index % length)) + 0.2 * random();
  return {
    [`${name}.${input.name}`]: floats([size, ...input.shape], (_, index) => sample(index)),
    [`${name}.label`]: integers([size], labels),
  };
}

/** A float32 tensor. */
export function floats(shape, value) {
  return { data: Float32Array.from({ length: product(shape) }, value), shape };
}

/** An int64 tensor. */
export function integers(shape, values) {
  return { data: BigInt64Array.from(values, BigInt), shape };
}

function shuffled(size, random) {
  const keys = Array.from({ length: size }, random);
  return keys.map((_, id) => id).sort((a, b) => keys[a] - keys[b]);
}

/** The same numbers from 0 to below 1 in every run. */
function generator() {
  let state = 7;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
