// What the loss says to the inputs.

import { canonicalValues } from './layouts.js';
import { LOSSES } from './losses.js';
import { tf } from './tensorflow.js';

/**
 * @typedef {import('./network.js').Network} Network
 * @typedef {import('./tensorflow.js').Batch} Batch
 * @typedef {import('../sdk/javascript/src/graph.js').Graph} Graph
 * @typedef {import('../sdk/javascript/src/model.js').Queried} Queried
 */

/**
 * Outputs in evaluation mode, and the gradients of the sum of the samples' losses.
 * @param {Graph} graph
 * @param {Network} network
 * @param {Batch} batch
 * @returns {Queried}
 */
export function inputGradients(graph, network, { xs, ys }) {
  /** @type {Queried} */
  let queried; // `tf.tidy` would look for tensors among all its numbers
  tf.tidy(() => {
    const [samples] = ys.shape;
    const inputs = graph.inputs.map(({ name, entries }, index) => ({ name, x: xs[index], isFloat: entries === null }));
    const moved = inputs.filter(({ isFloat }) => isFloat);
    let outputs;
    const total = () => {
      outputs = tf.keep(network.model.apply(xs, { training: false }));
      return LOSSES[graph.loss].mean(ys, outputs).mul(samples);
    };
    let gradients = [];
    if (moved.length > 0) {
      gradients = tf.grads(total)(moved.map(({ x }) => x));
    } else {
      total(); // `tf.grads` wants something to go by
    }
    queried = {
      outputs: canonicalValues(outputs),
      gradients: new Map(moved.map(({ name }, index) => [name, canonicalValues(gradients[index])])),
    };
    outputs.dispose();
  });
  return queried;
}
