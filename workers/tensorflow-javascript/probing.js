// One step of a network, or one evaluation, taken apart.

import { canonicalValues } from './layouts.js';
import { LOSSES } from './losses.js';
import { buildOptimizer, exportMoments, loadMoments, update } from './optimizers.js';
import { tf } from './tensorflow.js';

/**
 * @typedef {import('./network.js').Network} Network
 * @typedef {import('./tensorflow.js').Batch} Batch
 * @typedef {import('./tensorflow.js').TfTensor} TfTensor
 * @typedef {import('../sdk/javascript/src/graph.js').Graph} Graph
 * @typedef {import('../sdk/javascript/src/model.js').Probed} Probed
 * @typedef {import('../sdk/javascript/src/model.js').State} State
 * @typedef {import('../sdk/javascript/src/safetensors.js').Tensor} Tensor
 */

/**
 * @param {Graph} graph
 * @param {Network} network
 * @param {Batch} batch
 * @returns {Probed}
 */
export function probeForward(graph, network, { xs, ys }) {
  return tf.tidy(() => {
    const outputs = taps(network, xs, false);
    const loss = ys ? LOSSES[graph.loss].mean(ys, outputs.at(-1)).dataSync()[0] : undefined;
    return { tensors: new Map([...exportOutputs(graph, outputs), ...network.export()]), loss };
  });
}

/**
 * @param {Graph} graph
 * @param {Network} network
 * @param {State} start
 * @param {Batch} batch
 * @param {boolean} dropout - whether it is on
 * @returns {Promise<Probed>}
 */
export async function probeStep(graph, network, start, { xs, ys }, dropout) {
  const optimizer = buildOptimizer(graph, network);
  const outputs = [];
  try {
    await loadMoments(optimizer, graph, network, start);
    const { loss, gradients } = network.withDropout(dropout, () =>
      update(optimizer, network, () => {
        outputs.push(...taps(network, xs, true).map((output) => tf.keep(output)));
        return LOSSES[graph.loss].mean(ys, outputs.at(-1));
      }),
    );
    const exported = network.export((weight) => gradients[weight.read().name]);
    const tensors = new Map([
      ...exportOutputs(graph, outputs),
      ...[...exported].map(([name, values]) => [`${name}.grad`, values]),
      ...(await exportMoments(optimizer, graph, network)),
      ...network.export(),
    ]);
    const [mean] = loss.dataSync();
    tf.dispose([loss, gradients]);
    return { tensors, loss: mean };
  } finally {
    tf.dispose(outputs);
    optimizer.dispose();
  }
}

/** What each layer gives. @returns {TfTensor[]} */
function taps(network, xs, training) {
  return [network.taps.apply(xs, { training })].flat();
}

/** @returns {[string, Tensor][]} */
function exportOutputs(graph, outputs) {
  return graph.nodes.map(({ name }, index) => [`${name}.out`, canonicalValues(outputs[index])]);
}
