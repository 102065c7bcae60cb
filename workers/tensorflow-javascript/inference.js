// What a model needs to infer, however it came here: from parameters or from a SavedModel.

import { canonicalValues } from './layouts.js';
import { LOADERS, releaseBatch, toSamples, whole } from './loaders.js';
import { threads, typed } from './tensorflow.js';

/**
 * @typedef {import('./tensorflow.js').Batch} Batch
 * @typedef {import('./tensorflow.js').TfTensor} TfTensor
 * @typedef {import('../sdk/javascript/src/data.js').Samples} Samples
 * @typedef {import('../sdk/javascript/src/model.js').Job} Job
 * @typedef {import('../sdk/javascript/src/model.js').Queried} Queried
 */

/** Of the SDK's Model, all that does not train. Those that extend it have `compute` and `computeGradients`. */
export class InferenceModel {
  /** @type {Map<string, any>} */
  #loaders = new Map();

  /** @param {Job} job */
  constructor(job) {
    this.job = job;
    this.effective = threads === job.settings.threads ? {} : { threads };
  }

  batches(split, order) {
    return this.loader(split).batches(order);
  }

  /** Made when it is needed first: inference does without the training set. */
  loader(split) {
    if (!this.#loaders.has(split.name)) {
      this.#loaders.set(split.name, new LOADERS[this.job.settings.loader](split));
    }
    return this.#loaders.get(split.name);
  }

  /** @param {Batch} batch */
  predict(batch) {
    try {
      return this.compute(batch.xs);
    } catch (error) {
      throw typed(error);
    }
  }

  /**
   * @param {Samples} samples
   * @param {boolean} gradients - whether they are wanted too
   * @returns {Queried}
   */
  query(samples, gradients) {
    const batch = whole(samples);
    try {
      return gradients ? this.computeGradients(batch) : this.#outputs(batch);
    } catch (error) {
      throw typed(error);
    } finally {
      releaseBatch(batch);
    }
  }

  /** On a processor TensorFlow computes before it returns. */
  synchronize() {}

  /** @param {TfTensor} tensor */
  toHost(tensor) {
    return canonicalValues(tensor);
  }

  /** @param {Batch} batch */
  reached(batch) {
    return toSamples(batch, this.job.graph);
  }

  /** @param {Batch} batch */
  releaseBatch(batch) {
    releaseBatch(batch);
  }

  /** @param {TfTensor} tensor */
  release(tensor) {
    tensor.dispose();
  }

  close() {
    this.#loaders.forEach((loader) => loader.close());
  }

  #outputs({ xs }) {
    const output = this.compute(xs);
    const outputs = canonicalValues(output);
    output.dispose();
    return { outputs };
  }
}
