// Knows what the worker was prepared with, and has each request done that the binding can do.

import { openData, requireSplit } from './data.js';
import { Unsupported, badRequest } from './errors.js';
import { infer } from './inference.js';
import { readOrder } from './order.js';
import { readParameters } from './parameters.js';
import { probe } from './probing.js';
import { query } from './querying.js';
import { serialize } from './serialization.js';
import { train } from './training.js';

/**
 * What a procedure runs with.
 * @typedef {object} Context
 * @property {import('./host.js').Host} host
 * @property {import('./model.js').Job} job
 * @property {import('./model.js').Model<any, any>} model
 * @property {import('./reporter.js').Reporter} reporter
 */

const NO_DATA = { train: null, test: null, close: () => {} };

export class Dispatcher {
  #host;
  #build;
  #hello;
  #job = null;
  #model = null;

  /**
   * @param {import('./host.js').Host} host
   * @param {import('./model.js').Build} build
   * @param {import('./hello.js').Hello} hello
   */
  constructor(host, build, hello) {
    this.#host = host;
    this.#build = build;
    this.#hello = hello;
  }

  /**
   * @param {import('./requests.js').Request} request
   * @param {import('./reporter.js').Reporter} reporter
   */
  perform(request, reporter) {
    if (request.type === 'prepare') {
      return this.#prepare(request);
    }
    if (this.#model === null) {
      throw badRequest(`'${request.type}' came before 'prepare' was done`);
    }
    const context = { host: this.#host, job: this.#job, model: this.#model, reporter };
    switch (request.type) {
      case 'train':
        this.#hello.checkTasks('train');
        this.#checkTraining();
        this.#hello.checkTrainingAccuracy(this.#job.settings);
        return train(context, request);
      case 'infer':
        return infer(context, request);
      case 'probe':
        if (request.mode === 'train') {
          this.#checkTraining();
        }
        return probe(context, request);
      case 'query':
        this.#hello.checkQuery(this.#job.graph, request.gradients);
        return query(context, request);
      default:
        return this.#serialize(context, request);
    }
  }

  async #prepare(request) {
    await this.#forget();
    this.#hello.checkPrepare(request);
    this.#job = await this.#read(request);
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

  /** @returns {Promise<import('./model.js').Job>} */
  async #read(request) {
    const { graph, settings, scratch } = request;
    const host = this.#host;
    const weights =
      request.weights === null ? new Map() : (await readParameters(host, request.weights, graph)).parameters;
    const serialized =
      request.serialized === null
        ? null
        : { path: request.serialized, format: this.#hello.formatToRead(request.format) };
    const data = request.data === null ? NO_DATA : await openData(host, request.data, graph);
    try {
      const order =
        request.order === null
          ? null
          : await readOrder(host, request.order, settings.epochs, requireSplit(data.train, 'training').size);
      return { graph, weights, serialized, data, order, settings, scratch };
    } catch (error) {
      data.close();
      throw error;
    }
  }

  #serialize(context, request) {
    const format = this.#hello.formatToWrite(request.format);
    if (request.training) {
      this.#checkTraining();
    }
    return serialize(context, { ...request, format });
  }

  #checkTraining() {
    if (this.#job.serialized !== null) {
      throw new Unsupported('training of a serialized model');
    }
    this.#hello.checkTraining(this.#job.graph);
  }
}
