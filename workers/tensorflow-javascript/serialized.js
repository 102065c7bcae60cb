// A model that came as a SavedModel. It only infers.

import { Failed, Unsupported, equal, product } from '../sdk/javascript/src/index.js';
import { InferenceModel } from './inference.js';
import { tf } from './tensorflow.js';

/**
 * @typedef {import('./tensorflow.js').TfTensor} TfTensor
 * @typedef {import('../sdk/javascript/src/graph.js').Graph} Graph
 * @typedef {import('../sdk/javascript/src/model.js').Job} Job
 */

const TAGS = ['serve'];

export class SerializedModel extends InferenceModel {
  #saved;

  /** @param {Job} job */
  static async load(job) {
    const { path } = job.serialized;
    try {
      const graphs = await tf.node.getMetaGraphsFromSavedModel(path);
      const { signatureDefs } = graphs.find(({ tags }) => equal(tags, TAGS)) ?? {};
      const parameters = countParameters(signatureDefs, job.graph);
      const saved = await tf.node.loadSavedModel(path, [...TAGS], 'serving_default');
      return new SerializedModel(job, saved, parameters);
    } catch (error) {
      throw new Failed('bad_input', `${path}: ${error.message}`, { cause: error });
    }
  }

  /** Use `load`. */
  constructor(job, saved, parameters) {
    super(job);
    this.#saved = saved;
    this.parameters = parameters;
  }

  /** @param {TfTensor[]} xs */
  compute(xs) {
    const named = Object.fromEntries(this.job.graph.inputs.map(({ name }, index) => [name, xs[index]]));
    return this.#saved.predict(named).outputs;
  }

  computeGradients() {
    throw new Unsupported('gradients of a serialized model'); // `predict` is all that tfjs can do with it
  }

  probe(_state, samples) {
    const { outputs } = this.query(samples, false);
    return { tensors: new Map([[`${this.job.graph.last.name}.out`, outputs]]) };
  }

  close() {
    super.close();
    this.#saved.dispose();
  }
}

/** The signature `parameters` has those of the model by their names in the graph, canonical. */
function countParameters(signatures, graph) {
  const found = signatures?.parameters?.outputs;
  if (!found) {
    throw new Error("it has no signature 'parameters'");
  }
  let count = 0;
  for (const { name, shape } of graph.parameters) {
    const dimensions = found[name]?.shape.map((dimension) => dimension.getSize());
    if (!dimensions || !equal(dimensions, shape)) {
      throw new Error(`'${name}' is ${dimensions ? `[${dimensions}]` : 'missing'}, not [${shape}]`);
    }
    count += product(shape);
  }
  return count;
}
