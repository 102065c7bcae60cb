// Graphs of the tests, as crossbind sends them.

export const parameter = (name, shape, role = 'weight') => ({
  name, shape, role, trainable: !role.startsWith('running'),
});
export const node = (name, type, input, output, fields = {}, parameters = []) => ({
  name, type, inputs: [input], output, fields, parameters,
});
const SGD = { type: 'sgd', rate: 0.1, momentum: 0.9 };
export const ADAM = { type: 'adam', rate: 0.01, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, epsilon_form: 'outside' };
export const decay = (value, form = 'coupled') => ({ weight_decay: { value, form, applies_to: 'weights' } });
const CONVOLUTION = { out_channels: 3, kernel: [3, 3], stride: [2, 1], pads: [1, 1, 1, 1], bias: true };

export const IMAGES = {
  version: 1,
  id: 'images',
  inputs: [{ name: 'image', type: 'float', shape: [2, 5, 4] }],
  nodes: [
    node('conv', 'conv2d', 'image', [3, 3, 4], CONVOLUTION, [
      parameter('conv.weight', [3, 2, 3, 3]),
      parameter('conv.bias', [3], 'bias'),
    ]),
    node('bn', 'batchnorm', 'conv', [3, 3, 4], { epsilon: 1e-3, momentum: 0.1, running_variance: 'biased' }, [
      parameter('bn.weight', [3], 'scale'),
      parameter('bn.bias', [3], 'shift'),
      parameter('bn.running_mean', [3], 'running_mean'),
      parameter('bn.running_var', [3], 'running_variance'),
    ]),
    node('relu', 'relu', 'bn', [3, 3, 4]),
    node('dropout', 'dropout', 'relu', [3, 3, 4], { rate: 0.3 }),
    node('flatten', 'flatten', 'dropout', [36]),
    node('fc', 'linear', 'flatten', [3], { out_features: 3, bias: false }, [parameter('fc.weight', [3, 36])]),
  ],
  loss: { type: 'cross_entropy' },
  optimizer: { ...SGD, ...decay(0.01) },
};
export const TOKENS = {
  ...IMAGES,
  inputs: [{ name: 'tokens', type: 'integer', entries: 10, shape: [4] }],
  nodes: [node('table', 'embedding', 'tokens', [3], {}, [parameter('table.weight', [10, 3])])],
};
