// Every layer type of the graph, with the layer of tfjs that a user would take for it. A layer is a function that runs
// once, when the model is built; what has parameters bears the node's name. Images are [H, W, C] here; layouts.js knows
// what that does to parameters.

import { Unsupported } from '../sdk/javascript/src/index.js';
import { Dropout, Lambda, PaddedEmbedding, PositionEmbedding } from './custom.js';
import { nativeShape } from './layouts.js';
import { tf } from './tensorflow.js';

/**
 * @typedef {any} Symbolic - a tensor without values
 * @typedef {import('../sdk/javascript/src/graph.js').Node} Node
 * @typedef {(node: Node, inputs: Symbolic[], seed: string) => Symbolic} Layer
 */

const MASKED = -1e9; // a score whose share is 0

// Weights are loaded in any case, and to draw them takes tfjs minutes: those of a recurrent layer are orthogonal.
const UNDRAWN = { kernelInitializer: 'zeros', recurrentInitializer: 'zeros', embeddingsInitializer: 'zeros' };

const lambda = (node, inputs, compute) => new Lambda(compute, nativeShape(node.output)).apply(inputs);

/** Whether the pads are what TensorFlow's `same` gives that image. */
function isSame({ kernel, stride, pads: [top, left, bottom, right] }, x) {
  return [[top, bottom], [left, right]].every(([before, behind], axis) => {
    const size = x.shape[axis + 1];
    const total = Math.max((Math.ceil(size / stride[axis]) - 1) * stride[axis] + kernel[axis] - size, 0);
    return before === Math.floor(total / 2) && behind === total - before;
  });
}

const surround = (image, [top, left, bottom, right], value) =>
  tf.pad(image, [[0, 0], [top, bottom], [left, right], [0, 0]], value);

function padded(x, pads, value) {
  if (pads.every((pad) => pad === 0)) {
    return x;
  }
  const [top, left, bottom, right] = pads;
  const [, height, width, channels] = x.shape;
  const shape = [height + top + bottom, width + left + right, channels];
  return new Lambda((image) => surround(image, pads, value), shape).apply(x);
}

function conv2d({ name, fields }, [x]) {
  const { out_channels: filters, kernel: kernelSize, stride: strides, bias: useBias, pads } = fields;
  const padding = isSame(fields, x) ? 'same' : 'valid';
  const image = padding === 'same' ? x : padded(x, pads, 0);
  return tf.layers.conv2d({ ...UNDRAWN, name, filters, kernelSize, strides, padding, useBias }).apply(image);
}

const window = ({ kernel: poolSize, stride: strides }, padding) => ({ poolSize, strides, padding });

function maxPool2d({ fields }, [x]) {
  if (isSame(fields, x)) {
    return tf.layers.maxPooling2d(window(fields, 'same')).apply(x);
  }
  return tf.layers.maxPooling2d(window(fields, 'valid')).apply(padded(x, fields.pads, -Infinity));
}

function avgPool2d(node, [x]) {
  const { fields } = node;
  const { pads, kernel, stride } = fields;
  if (fields.count_padding || pads.every((pad) => pad === 0)) {
    return tf.layers.averagePooling2d(window(fields, 'valid')).apply(padded(x, pads, 0));
  }
  if (isSame(fields, x)) { // TensorFlow's does not count it
    return tf.layers.averagePooling2d(window(fields, 'same')).apply(x);
  }
  const mean = (image) => tf.avgPool(surround(image, pads, 0), kernel, stride, 'valid');
  return lambda(node, x, (image) => tf.div(mean(image), mean(tf.onesLike(image))));
}

/** A layer that works on the graph's last dimension, which of an image is another one here. */
function overLast(layer, { output }, x) {
  if (output.length < 3) {
    return layer.apply(x);
  }
  const turned = tf.layers.permute({ dims: [3, 1, 2] }).apply(x);
  return tf.layers.permute({ dims: [2, 3, 1] }).apply(layer.apply(turned));
}

function linear(node, [x]) {
  const { out_features: units, bias: useBias } = node.fields;
  return overLast(tf.layers.dense({ ...UNDRAWN, name: node.name, units, useBias }), node, x);
}

/** In the order of the graph, so that what comes after has its weights in that order too. */
function flatten(_node, [x]) {
  const [, height, width, channels] = x.shape;
  const isTurned = x.shape.length === 4 && channels > 1 && height * width > 1;
  return tf.layers.flatten().apply(isTurned ? tf.layers.permute({ dims: [3, 1, 2] }).apply(x) : x);
}

function batchnorm({ name, fields: { momentum, epsilon } }, [x]) {
  return tf.layers.batchNormalization({ name, axis: -1, momentum: 1 - momentum, epsilon }).apply(x); // of the old value
}

function layernorm(node, [x]) {
  const { name, fields: { epsilon } } = node;
  return overLast(tf.layers.layerNormalization({ name, axis: -1, epsilon }), node, x);
}

function embedding({ name, fields }, [x]) {
  const { kind, entries: inputDim, width: outputDim, padding_index: paddingIndex } = fields;
  const settings = { ...UNDRAWN, name, inputDim, outputDim };
  if (kind === 'position') {
    if (paddingIndex !== null) {
      throw new Unsupported('embedding.padding_index'); // of positions
    }
    return new PositionEmbedding(settings).apply(x);
  }
  if (paddingIndex !== null) {
    return new PaddedEmbedding({ ...settings, paddingIndex }).apply(x);
  }
  return tf.layers.embedding(settings).apply(x);
}

const recurrent = (kind) => ({ name, fields: { hidden: units, recurrent_activation: gate } }, [x]) =>
  kind({
    ...UNDRAWN,
    name,
    units,
    activation: 'tanh',
    recurrentActivation: { sigmoid: 'sigmoid', hard_sigmoid: 'hardSigmoid' }[gate],
    returnSequences: true,
  }).apply(x);

/** What a mask adds to the scores. It has no gradient: `tf.equal` has none, and tfjs would rather fail than say 0. */
const barred = tf.customGrad((mask) => ({
  value: tf.mul(tf.equal(mask, 0).cast('float32'), MASKED),
  gradFunc: () => tf.zerosLike(mask),
}));

function attend(heads, mask, ...projected) {
  const [samples, length, width] = projected[0].shape;
  const [query, key, value] = projected.map((each) =>
    tf.transpose(tf.reshape(each, [samples, length, heads, width / heads]), [0, 2, 1, 3]),
  );
  let scores = tf.mul(tf.matMul(query, key, false, true), 1 / Math.sqrt(width / heads));
  if (mask) {
    scores = tf.add(scores, barred(mask).reshape([samples, 1, 1, length]));
  }
  const mixed = tf.transpose(tf.matMul(tf.softmax(scores), value), [0, 2, 1, 3]);
  return tf.reshape(mixed, [samples, length, width]);
}

function selfAttention(node, [x, ...masks]) {
  const { name, fields: { heads, width: units } } = node;
  const dense = (part, from) => tf.layers.dense({ ...UNDRAWN, name: `${name}/${part}`, units }).apply(from);
  const projected = ['query', 'key', 'value'].map((part) => dense(part, x));
  const mixed = lambda(node, [...projected, ...masks], (query, key, value, mask) =>
    attend(heads, mask, query, key, value),
  );
  return dense('output', mixed);
}

const gelu = (x) => tf.mul(tf.mul(x, 0.5), tf.add(1, tf.erf(tf.mul(x, Math.SQRT1_2))));
const activation = (name) => (_node, [x]) => tf.layers.activation({ activation: name }).apply(x);

/** @type {Record<string, Layer>} */
export const LAYERS = {
  add: (_node, inputs) => tf.layers.add().apply(inputs),
  avg_pool2d: avgPool2d,
  batchnorm,
  conv2d,
  dropout: ({ fields }, [x], seed) => new Dropout(fields.rate, seed).apply(x),
  embedding,
  flatten,
  gelu: (node, [x]) => lambda(node, x, gelu),
  global_avg_pool: (_node, [x]) => tf.layers.globalAveragePooling2d({}).apply(x),
  gru: recurrent(tf.layers.gru),
  layernorm,
  linear,
  lstm: recurrent(tf.layers.lstm),
  max_pool2d: maxPool2d,
  pad: ({ fields }, [x]) => padded(x, fields.pads, fields.value),
  relu: activation('relu'),
  select_last: (node, [x]) =>
    lambda(node, x, (steps) => tf.squeeze(tf.slice(steps, [0, steps.shape[1] - 1, 0], [-1, 1, -1]), [1])),
  self_attention: selfAttention,
  sigmoid: activation('sigmoid'),
  softmax: (node, [x]) => overLast(tf.layers.softmax({ axis: -1 }), node, x),
  tanh: activation('tanh'),
};
