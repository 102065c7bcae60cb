// A model that tfjs trains, as the procedures of the SDK want it.

import { inputGradients } from './gradients.js';
import { InferenceModel } from './inference.js';
import { releaseBatch, whole } from './loaders.js';
import { LOSSES } from './losses.js';
import { Network } from './network.js';
import { buildOptimizer, update } from './optimizers.js';
import { probeForward, probeStep } from './probing.js';
import { SerializedModel } from './serialized.js';
import { tf, typed } from './tensorflow.js';

/**
 * @typedef {import('./tensorflow.js').Batch} Batch
 * @typedef {import('./tensorflow.js').TfTensor} TfTensor
 * @typedef {import('../sdk/javascript/src/model.js').Job} Job
 * @typedef {import('../sdk/javascript/src/model.js').Next<Batch>} Next
 */

/** Built from the graph and its parameters. */
class LayersModel extends InferenceModel {
  #network;
  #loss;
  #optimizer = null;

  /** @param {Job} job */
  constructor(job) {
    super(job);
    this.#network = new Network(job.graph, job.settings.seed);
    this.#network.load(job.weights);
    this.#loss = LOSSES[job.graph.loss];
    this.parameters = [...this.export().values()].reduce((sum, { data }) => sum + data.length, 0);
  }

  reset() {
    this.#network.load(this.job.weights);
    this.#network.reset();
    this.#optimizer?.dispose();
    this.#optimizer = buildOptimizer(this.job.graph, this.#network);
    this.#network.model.compile({ optimizer: this.#optimizer, loss: this.#loss.mean, metrics: [this.#loss.isRight] });
  }

  /** @param {Batch} batch */
  step(batch, forwardIsDone) {
    try {
      let outputs;
      const { loss, gradients } = update(this.#optimizer, this.#network, () => {
        outputs = tf.keep(this.#network.model.apply(batch.xs, { training: true }));
        const mean = this.#loss.mean(batch.ys, outputs);
        forwardIsDone();
        return mean;
      });
      tf.dispose(gradients);
      return { outputs, loss };
    } catch (error) {
      throw typed(error);
    }
  }

  /**
   * @param {import('../sdk/javascript/src/data.js').Split} split
   * @param {import('../sdk/javascript/src/order.js').Ids[]} order
   * @param {Next} next
   */
  async fit(split, order, next) {
    const steps = [];
    const onBatchEnd = (_number, { loss, isRight: accuracy }) => {
      steps.push({ loss, accuracy });
    };
    const dataset = tf.data.generator(() => announced(this.loader(split).generate(order), next));
    try {
      await this.#network.model.fitDataset(dataset, { epochs: 1, verbose: 0, callbacks: { onBatchEnd } });
    } catch (error) {
      throw typed(error);
    }
    return steps;
  }

  /** @param {TfTensor[]} xs */
  compute(xs) {
    return this.#network.model.predictOnBatch(xs);
  }

  export() {
    return this.#network.export();
  }

  async probe(state, samples, { train, dropout }) {
    const batch = whole(samples);
    try {
      this.#network.load(state.parameters);
      const { graph } = this.job;
      if (train) {
        return await probeStep(graph, this.#network, state, batch, dropout);
      }
      return probeForward(graph, this.#network, batch);
    } catch (error) {
      throw typed(error);
    } finally {
      releaseBatch(batch);
    }
  }

  /** @param {Batch} batch */
  computeGradients(batch) {
    return inputGradients(this.job.graph, this.#network, batch);
  }

  close() {
    super.close();
    this.#optimizer?.dispose();
    this.#network.close();
  }
}

/** Each batch, once it may be taken. @param {Iterable<Batch>} batches @param {Next} next */
async function* announced(batches, next) {
  let number = 0;
  for (const batch of batches) {
    try {
      await next(number, batch);
    } catch (error) {
      releaseBatch(batch);
      throw error;
    }
    yield batch;
    number += 1;
  }
}

/** @param {Job} job */
export function build(job) {
  return job.serialized === null ? new LayersModel(job) : SerializedModel.load(job);
}
