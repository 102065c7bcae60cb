import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { floats } from '../../sdk/javascript/src/node/testing.js';
import { skip } from './context.js';

describe('layouts', { skip }, async () => {
  const { tf } = skip ? {} : await import('../tensorflow.js');
  const layouts = skip ? {} : await import('../layouts.js');

  const counted = (shape) => floats(shape, (_, index) => index);
  const toDevice = ({ data, shape }) => tf.tensor(data, shape);
  const numbers = (tensor) => ({ data: tensor.dataSync(), shape: tensor.shape });

  function node(type, parameters) {
    const named = Object.entries(parameters).map(([name, shape]) => ({ name: `layer.${name}`, shape }));
    return { name: 'layer', type, parameters: named };
  }

  const LAYERS = [
    node('conv2d', { weight: [2, 3, 4, 5], bias: [2] }),
    node('linear', { weight: [2, 3], bias: [2] }),
    node('batchnorm', { weight: [2], bias: [2], running_mean: [2], running_var: [2] }),
    node('layernorm', { weight: [2], bias: [2] }),
    node('embedding', { weight: [4, 2] }),
    node('lstm', { weight_ih: [8, 3], weight_hh: [8, 2], bias_ih: [8] }),
    node('gru', { weight_ih: [6, 3], weight_hh: [6, 2], bias_ih: [6] }),
    node('self_attention', { 'query.weight': [4, 4], 'query.bias': [4], 'output.weight': [4, 4] }),
  ];

  test('what goes to TensorFlow comes back as it was, parameter by parameter', () => {
    for (const layer of LAYERS) {
      const found = layouts.pieces(layer);
      assert.deepEqual(found.map(([parameter]) => parameter), layer.parameters);
      for (const [{ name, shape }, piece] of found) {
        const canonical = counted(shape);
        const back = piece.toCanonical(piece.toNative(toDevice(canonical)));
        assert.deepEqual(numbers(back), canonical, name);
      }
    }
  });

  test('kernels are HWIO', () => {
    const [[, { toNative }]] = layouts.pieces(LAYERS[0]);
    const native = toNative(toDevice(counted([2, 3, 4, 5])));
    assert.deepEqual(native.shape, [4, 5, 3, 2]);
    assert.equal(native.slice([3, 2, 1, 0], [1, 1, 1, 1]).dataSync()[0], 0 * 60 + 1 * 20 + 3 * 5 + 2);
  });

  test('gates of a GRU are z r h', () => {
    const [[, weight], , [, bias]] = layouts.pieces(LAYERS[6]);
    assert.deepEqual([...bias.toNative(toDevice(counted([6]))).dataSync()], [2, 3, 0, 1, 4, 5]);
    const [row] = weight.toNative(toDevice(counted([6, 3]))).arraySync();
    assert.deepEqual(row, [6, 9, 0, 3, 12, 15]);
  });

  test('images are NHWC, anything else is the same in both', () => {
    const image = layouts.imagesToNative(toDevice(counted([2, 3, 1, 2])));
    assert.deepEqual(numbers(image), {
      data: Float32Array.of(0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11),
      shape: [2, 1, 2, 3],
    });
    assert.deepEqual(numbers(layouts.imagesToCanonical(image)), counted([2, 3, 1, 2]));
    assert.deepEqual(numbers(layouts.imagesToNative(toDevice(counted([2, 3, 4])))), counted([2, 3, 4]));
    assert.deepEqual(layouts.nativeShape([3, 1, 2]), [1, 2, 3]);
  });
});
