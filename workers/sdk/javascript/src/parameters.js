// The parameters of a graph, from a file.

import { badInput } from './errors.js';
import { readTensors } from './safetensors.js';
import { equal } from './tensors.js';

/** @typedef {import('./safetensors.js').Tensor} Tensor */

/**
 * The parameters of the graph, and whatever else the file holds.
 * @returns {Promise<{parameters: Map<string, Tensor>, others: Map<string, Tensor>}>}
 */
export async function readParameters(host, path, graph) {
  const others = await readTensors(host, path);
  const parameters = new Map();
  for (const { name, shape } of graph.parameters) {
    const tensor = others.get(name);
    if (!tensor) {
      throw badInput(`${path}: there is no tensor '${name}'`);
    }
    if (!(tensor.data instanceof Float32Array) || !equal(tensor.shape, shape)) {
      throw badInput(`${path}: '${name}' is ${tensor.data.constructor.name} [${tensor.shape}], not F32 [${shape}]`);
    }
    parameters.set(name, tensor);
    others.delete(name);
  }
  return { parameters, others };
}
