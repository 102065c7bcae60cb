// Losses, the mean over the batch, and which samples are right, from targets and outputs as `compile` wants them.

import { tf } from './tensorflow.js';

/**
 * @typedef {import('./tensorflow.js').TfTensor} TfTensor
 * @typedef {object} Loss
 * @property {(ys: TfTensor, outputs: TfTensor) => TfTensor} mean
 * @property {(ys: TfTensor, outputs: TfTensor) => TfTensor} isRight - of each sample
 */

const crossEntropy = (label, outputs) =>
  tf.losses.softmaxCrossEntropy(tf.oneHot(label, outputs.shape[1]), outputs);

/** @type {Record<string, Loss>} */
export const LOSSES = {
  binary_cross_entropy: {
    mean: (label, outputs) => tf.losses.sigmoidCrossEntropy(label, outputs.squeeze([1])),
    isRight: (label, outputs) => tf.equal(tf.greater(outputs.squeeze([1]), 0).cast('int32'), label),
  },
  cross_entropy: {
    mean: crossEntropy,
    isRight: (label, outputs) => tf.equal(outputs.argMax(1), label),
  },
  span_cross_entropy: { // half for each end, as people train BERT
    mean: (ends, outputs) => {
      const targets = tf.unstack(ends, 1);
      const [start, end] = tf.unstack(outputs, 2).map((each, index) => crossEntropy(targets[index], each));
      return tf.div(tf.add(start, end), 2);
    },
    isRight: (ends, outputs) => tf.equal(outputs.argMax(1), ends).all(1),
  },
};
