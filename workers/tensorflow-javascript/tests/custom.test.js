import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { skip } from './context.js';

describe('custom layers', { skip }, async () => {
  const { tf } = skip ? {} : await import('../tensorflow.js');
  const { Dropout, Lambda, PaddedEmbedding, PositionEmbedding } = skip ? {} : await import('../custom.js');

  test('dropout has another mask in each step, and the same ones after a reset', () => {
    const layer = new Dropout(0.5, 'seed');
    const draw = (training) => layer.apply(tf.ones([1, 64]), { training }).arraySync();
    const [first, second] = [draw(true), draw(true)];
    assert.notDeepEqual(first, second);
    assert(first.flat().every((value) => value === 0 || value === 2));
    layer.reset();
    assert.deepEqual([draw(true), draw(true)], [first, second]);
    assert.deepEqual(draw(false), tf.ones([1, 64]).arraySync());
    layer.isOn = false;
    assert.deepEqual(draw(true), tf.ones([1, 64]).arraySync());
  });

  test('the dropout of tfjs has, with a seed, one mask for all steps, and without, others in every run', () => {
    const draw = (layer) => layer.apply(tf.ones([1, 64]), { training: true }).arraySync();
    const seeded = tf.layers.dropout({ rate: 0.5, seed: 7 });
    assert.deepEqual(draw(seeded), draw(seeded)); // once this fails, ours is not needed any more
    const [one, other] = [0, 1].map(() => tf.layers.dropout({ rate: 0.5 }));
    assert.notDeepEqual(draw(one), draw(one));
    assert.notDeepEqual(draw(one), draw(other));
  });

  test('the row of the padding has no gradient', () => {
    const layer = new PaddedEmbedding({ inputDim: 3, outputDim: 2, paddingIndex: 1 });
    const tokens = tf.tensor2d([[0, 1, 2, 2]], [1, 4], 'int32');
    assert.deepEqual(layer.apply(tokens).shape, [1, 4, 2]);
    const table = layer.weights[0].read();
    const { grads } = tf.variableGrads(() => layer.apply(tokens).sum(), [table]);
    assert.deepEqual(grads[table.name].arraySync(), [[1, 1], [0, 0], [2, 2]]);
    const rows = table.arraySync();
    assert.deepEqual(layer.apply(tokens).arraySync(), [[rows[0], rows[1], rows[2], rows[2]]]);
  });

  test('positions are looked up, whatever the tokens', () => {
    const layer = new PositionEmbedding({ inputDim: 5, outputDim: 2 });
    const tokens = tf.tensor2d([[4, 4, 4], [0, 1, 0]], [2, 3], 'int32');
    const found = layer.apply(tokens).arraySync();
    const rows = layer.weights[0].read().arraySync().slice(0, 3);
    assert.deepEqual(found, [rows, rows]);
  });

  test('a lambda says its shape to a model and leaves no tensors behind', () => {
    const input = tf.input({ shape: [2] });
    const squares = new Lambda((x) => x.square().expandDims(-1), [2, 1]);
    const model = tf.model({ inputs: input, outputs: squares.apply(input) });
    assert.deepEqual(model.outputs[0].shape, [null, 2, 1]);
    const before = tf.memory().numTensors;
    const output = tf.tidy(() => model.predictOnBatch(tf.tensor2d([[2, 3]])));
    assert.deepEqual(output.arraySync(), [[[4], [9]]]);
    assert.equal(tf.memory().numTensors, before + 1);
  });
});
