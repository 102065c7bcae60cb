// Between the canonical layout and TensorFlow's, in both directions: images are NHWC here, kernels HWIO and [in, out],
// GRU gates z r h. What holds for parameters holds for their gradients and moments too. Whoever calls frees what comes.

import { tf } from './tensorflow.js';

/**
 * @typedef {import('./tensorflow.js').TfTensor} TfTensor
 * @typedef {import('../sdk/javascript/src/graph.js').Node} Node
 * @typedef {import('../sdk/javascript/src/graph.js').Parameter} Parameter
 *
 * A parameter of the graph, and the weight of tfjs that holds it.
 * @typedef {object} Piece
 * @property {string} parameter
 * @property {string} weight
 * @property {(canonical: TfTensor) => TfTensor} toNative
 * @property {(native: TfTensor) => TfTensor} toCanonical
 */

/** Of one sample. */
export const nativeShape = (shape) => (shape.length === 3 ? [shape[1], shape[2], shape[0]] : shape);

/** [samples, C, H, W] to [samples, H, W, C]; anything but images is the same in both. */
export const imagesToNative = (tensor) => (tensor.rank === 4 ? tf.transpose(tensor, [0, 2, 3, 1]) : tensor.clone());

export const imagesToCanonical = (tensor) => (tensor.rank === 4 ? tf.transpose(tensor, [0, 3, 1, 2]) : tensor.clone());

/**
 * On the host, images in canonical layout.
 * @param {TfTensor} tensor
 * @returns {import('../sdk/javascript/src/safetensors.js').Tensor}
 */
export function canonicalValues(tensor) {
  const canonical = imagesToCanonical(tensor);
  const values = { data: canonical.dataSync(), shape: canonical.shape };
  canonical.dispose(); // not by `tf.tidy`, which looks for tensors among all numbers that it gives back
  return values;
}

const same = (tensor) => tensor.clone();
const transposed = (tensor) => tf.transpose(tensor);

/** r z n to z r n along the first axis, or back. */
function swapGates(tensor) {
  return tf.tidy(() => {
    const [first, second, third] = tf.split(tensor, 3);
    return tf.concat([second, first, third]);
  });
}

const piece = (parameter, weight, toNative = same, toCanonical = toNative) => ({
  parameter,
  weight,
  toNative,
  toCanonical,
});
const linear = (prefix = '', name = '') => [
  piece(`${prefix}weight`, `${name}kernel`, transposed),
  piece(`${prefix}bias`, `${name}bias`),
];
const norm = [
  piece('weight', 'gamma'),
  piece('bias', 'beta'),
  piece('running_mean', 'moving_mean'),
  piece('running_var', 'moving_variance'),
];
const gates = (toNative, toCanonical) => [
  piece('weight_ih', 'kernel', toNative, toCanonical),
  piece('weight_hh', 'recurrent_kernel', toNative, toCanonical),
];

/** @type {Record<string, Piece[]>} */
const PIECES = {
  batchnorm: norm,
  conv2d: [
    piece('weight', 'kernel', (oihw) => tf.transpose(oihw, [2, 3, 1, 0]), (hwio) => tf.transpose(hwio, [3, 2, 0, 1])),
    piece('bias', 'bias'),
  ],
  embedding: [piece('weight', 'embeddings')],
  gru: [
    ...gates(
      (canonical) => tf.tidy(() => tf.transpose(swapGates(canonical))),
      (native) => tf.tidy(() => swapGates(tf.transpose(native))),
    ),
    piece('bias_ih', 'bias', swapGates),
  ],
  layernorm: norm,
  linear: linear(),
  lstm: [...gates(transposed, transposed), piece('bias_ih', 'bias')],
  self_attention: ['query', 'key', 'value', 'output'].flatMap((name) => linear(`${name}.`, `${name}/`)),
};

/**
 * Of the parameters that the layer has.
 * @param {Node} node
 * @returns {[Parameter, Piece][]}
 */
export function pieces({ name, type, parameters }) {
  return parameters.map((parameter) => {
    const own = parameter.name.slice(name.length + 1);
    return [parameter, PIECES[type].find((each) => each.parameter === own)];
  });
}
