// A worker's main loop: one request after the other, each with exactly one reply.

import { connect } from './connection.js';
import { openData, requireSplit } from './data.js';
import { Failed, Unsupported, badRequest } from './errors.js';
import { infer } from './inference.js';
import { readOrder } from './order.js';
import { readParameters } from './parameters.js';
import { probe } from './probing.js';
import { Reporter } from './reporter.js';
import { parseRequest } from './requests.js';
import { train } from './training.js';

const PROTOCOL = 1;
const NO_DATA = { train: null, test: null, close: () => {} };

/**
 * Speaks for a binding until crossbind says bye; the exit status of the worker.
 * @param {import('./model.js').Build} build
 * @param {import('./hello.js').Hello} hello
 * @returns {Promise<number>}
 */
export async function serve(build, hello) {
  const endpoint = process.env.CROSSBIND_ENDPOINT;
  if (!endpoint) {
    console.error('worker: CROSSBIND_ENDPOINT is not set; crossbind sets it when it starts a worker');
    return 2;
  }
  let connection;
  try {
    connection = await connect(endpoint);
  } catch (error) {
    console.error(`worker: cannot connect to ${endpoint}: ${error.message}`);
    return 1;
  }
  const token = process.env.CROSSBIND_TOKEN ?? '';
  connection.send({ type: 'hello', protocol: PROTOCOL, token, ...hello });
  const reason = await converse(connection, new Dispatcher(build, hello));
  if (reason) {
    console.error(`worker: crossbind said bye: ${reason}`);
  }
  await connection.close();
  return 0;
}

async function converse(connection, dispatcher) {
  for (;;) {
    const message = await connection.next();
    if (message.type === 'bye') {
      return message.reason;
    }
    if (message.type !== 'welcome') {
      await answer(connection, dispatcher, message);
    }
  }
}

async function answer(connection, dispatcher, message) {
  const { id } = message;
  const reporter = new Reporter(
    (type, members) => connection.send({ type, id, ...members }),
    () => connection.isCancelled(id),
  );
  const reply = await perform(dispatcher, message, reporter);
  connection.finished(id);
  try {
    connection.send({ ...reply, id });
  } catch (error) {
    connection.send({ ...failed(error), id }); // the reply holds a number that is not finite
  }
}

/** The reply to a request, whatever happens. */
async function perform(dispatcher, message, reporter) {
  try {
    return { type: 'done', ...(await dispatcher.perform(parseRequest(message), reporter)) };
  } catch (error) {
    if (error instanceof Unsupported) {
      return { type: 'unsupported', feature: error.message };
    }
    return failed(error);
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

/** Knows what the worker was prepared with. */
class Dispatcher {
  #build;
  #hello;
  #job = null;
  #model = null;

  constructor(build, hello) {
    this.#build = build;
    this.#hello = hello;
  }

  perform(request, reporter) {
    if (request.type === 'prepare') {
      return this.#prepare(request);
    }
    if (this.#model === null) {
      throw badRequest(`'${request.type}' came before 'prepare' was done`);
    }
    switch (request.type) {
      case 'train':
        this.#hello.checkTasks('train');
        this.#checkTraining();
        this.#hello.checkTrainingAccuracy(this.#job.settings);
        return train(this.#job, this.#model, request, reporter);
      case 'infer':
        return infer(this.#job, this.#model, request, reporter);
      default:
        if (request.mode === 'train') {
          this.#checkTraining();
        }
        return probe(this.#job, this.#model, request);
    }
  }

  async #prepare(request) {
    await this.#forget();
    this.#hello.checkPrepare(request);
    this.#job = read(request);
    this.#model = await this.#build(this.#job);
    const { parameters, effective } = this.#model;
    return { parameters, effective: { ...this.#hello.departures(this.#job.graph), ...effective } };
  }

  async #forget() {
    const [job, model] = [this.#job, this.#model];
    this.#job = null;
    this.#model = null;
    job?.data.close();
    await model?.close();
  }

  #checkTraining() {
    if (this.#job.serialized !== null) {
      throw new Unsupported('training of a serialized model');
    }
    this.#hello.checkTraining(this.#job.graph);
  }
}

/** @returns {import('./model.js').Job} */
function read(request) {
  const { graph, settings, serialized, scratch } = request;
  const weights = request.weights === null ? new Map() : readParameters(request.weights, graph).parameters;
  const data = request.data === null ? NO_DATA : openData(request.data, graph);
  try {
    const order =
      request.order === null
        ? null
        : readOrder(request.order, settings.epochs, requireSplit(data.train, 'training').size);
    return { graph, weights, serialized, data, order, settings, scratch };
  } catch (error) {
    data.close();
    throw error;
  }
}
