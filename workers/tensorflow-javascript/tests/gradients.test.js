// Gradients of inputs, against differences of the losses that the outputs make.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { parseGraph } from '../../sdk/javascript/src/graph.js';
import { sumOfLosses } from '../../sdk/javascript/src/metrics.js';
import { floats } from '../../sdk/javascript/src/node/testing.js';
import { product, takeRows } from '../../sdk/javascript/src/tensors.js';
import { skip } from './context.js';
import { IMAGES, node, parameter } from './graphs.js';

/** Without kinks, at which a difference is no derivative. */
const SMOOTH = {
  ...IMAGES,
  nodes: IMAGES.nodes.map((each) => (each.type === 'relu' ? { ...each, type: 'tanh' } : each)),
};

const integer = (name, shape) => ({ name, type: 'integer', entries: 10, shape });
const float = (name, shape) => ({ name, type: 'float', shape });
const TABLE = { kind: 'token', entries: 10, width: 4, padding_index: null };
const embedding = node('table', 'embedding', 'tokens', [3, 4], TABLE, [parameter('table.weight', [10, 4])]);
const lookedUp = (nodes, inputs) => ({
  ...IMAGES,
  inputs: [integer('tokens', [3]), ...inputs],
  nodes: [embedding, ...nodes],
});

const linear = (input, output, units, features) =>
  node('fc', 'linear', input, output, { out_features: units, bias: false }, [
    parameter('fc.weight', [units, features]),
  ]);

const projections = ['query', 'key', 'value', 'output'].flatMap((name) => [
  parameter(`attention.${name}.weight`, [4, 4]),
  parameter(`attention.${name}.bias`, [4], 'bias'),
]);
const attention = {
  ...node('attention', 'self_attention', 'sum', [3, 4], { heads: 2, width: 4, masked: true }, projections),
  inputs: ['sum', 'mask'],
};
const SPANS = {
  ...lookedUp(
    [
      { ...node('sum', 'add', 'table', [3, 4]), inputs: ['table', 'x'] },
      attention,
      linear('attention', [3, 2], 2, 4),
    ],
    [float('x', [3, 4]), float('mask', [3])],
  ),
  loss: { type: 'span_cross_entropy' },
};
const BINARY = {
  ...IMAGES,
  inputs: [float('x', [5])],
  nodes: [linear('x', [1], 1, 5)],
  loss: { type: 'binary_cross_entropy' },
};

describe('gradients of inputs', { skip }, async () => {
  const { tf } = skip ? {} : await import('../tensorflow.js');
  const { build } = skip ? {} : await import('../model.js');

  function prepared(members) {
    const graph = parseGraph(members);
    const weights = new Map(
      graph.parameters.map(({ name, shape, role }, number) => [
        name,
        floats(shape, (_, index) => (role === 'running_variance' ? 1 : 0.5 * Math.sin(3 * number + index))),
      ]),
    );
    const settings = { loader: 'resident', threads: 1, seed: 1 };
    return { graph, model: build({ graph, weights, serialized: null, settings }) };
  }

  const mod10 = (index) => index % 10;

  function samplesOf(graph, size) {
    const inputs = graph.inputs.map(({ name, shape, entries }) => {
      const value = (_, index) => (name === 'mask' ? Number(index % 3 > 0) : Math.cos(index));
      const values = floats([size, ...shape], value);
      return [name, entries === null ? values : { ...values, data: Int32Array.from(values.data.keys(), mod10) }];
    });
    const label = (_, sample) => sample % 2;
    const targets = graph.targets.map((name) => [name, Int32Array.from({ length: size }, label)]);
    return { inputs: new Map(inputs), targets: new Map(targets) };
  }

  /** Each number of one sample's input, moved by each of the widths: a sample of its own. */
  function moved({ inputs, targets }, name, sample, widths) {
    const length = product(inputs.get(name).shape.slice(1));
    const ids = new Int32Array(widths.length * length).fill(sample);
    const copies = new Map([...inputs].map(([key, tensor]) => [key, takeRows(tensor, ids)]));
    widths.forEach((width, number) => {
      for (let index = 0; index < length; index += 1) {
        copies.get(name).data[(number * length + index) * length + index] += width;
      }
    });
    const labels = [...targets].map(([key, values]) => [key, ids.map((id) => values[id])]);
    return { inputs: copies, targets: new Map(labels) };
  }

  /** By four points, so that what is left of the curve is of the fourth power of the width. */
  function differences({ graph, model }, samples, name, sample) {
    const width = 2 ** -4;
    const near = moved(samples, name, sample, [-2 * width, -width, width, 2 * width]);
    const { outputs } = model.query(near, false);
    const losses = Array.from({ length: outputs.shape[0] }, (_, row) => {
      const target = new Map([...near.targets].map(([key, values]) => [key, values.slice(row, row + 1)]));
      return sumOfLosses(graph.loss, takeRows(outputs, Int32Array.of(row)), target);
    });
    const length = losses.length / 4;
    const [a, b, c, d] = [0, 1, 2, 3].map((part) => losses.slice(part * length, (part + 1) * length));
    return a.map((_, index) => (8 * (c[index] - b[index]) - (d[index] - a[index])) / (12 * width));
  }

  for (const [what, members, inputs] of [
    ['of images, through convolution and norms', SMOOTH, ['image']],
    ['of one logit', BINARY, ['x']],
    ['of spans, through attention, beside integers and a mask', SPANS, ['x', 'mask']],
  ]) {
    test(`are those of the sum of the losses: ${what}`, () => {
      const subject = prepared(members);
      const samples = samplesOf(subject.graph, 3);
      const { outputs, gradients } = subject.model.query(samples, true);
      assert.deepEqual(outputs, subject.model.query(samples, false).outputs);
      assert.deepEqual([...gradients.keys()], inputs);
      const [name] = inputs;
      const { data, shape } = gradients.get(name);
      assert.deepEqual(shape, samples.inputs.get(name).shape);
      assert(Math.max(...data.map(Math.abs)) > 0.01); // there is something to see
      const expected = [0, 1, 2].flatMap((sample) => differences(subject, samples, name, sample));
      expected.forEach((slope, index) => {
        const error = Math.abs(data[index] - slope);
        assert(error < 1e-4, `${data[index]} is not ${slope}`); // outputs are float32, and the curve has a fifth power
      });
      subject.model.close();
    });
  }

  test('are 0 for what only masks, and none for integers', () => {
    const { graph, model } = prepared(SPANS);
    const { gradients } = model.query(samplesOf(graph, 2), true);
    assert.deepEqual(gradients.get('mask'), floats([2, 3], () => 0));
    model.close();
    const last = node('last', 'select_last', 'table', [4]);
    const tokens = prepared(lookedUp([last], []));
    const samples = samplesOf(tokens.graph, 2);
    const { outputs, gradients: none } = tokens.model.query(samples, true);
    assert.deepEqual(outputs, tokens.model.query(samples, false).outputs);
    assert.equal(none.size, 0);
    tokens.model.close();
  });

  test('leave nothing behind: no tensor, no statistic, no mask that was drawn', async () => {
    const { graph, model } = prepared(IMAGES);
    const before = tf.memory().numTensors;
    for (const size of [1, 3, 2]) {
      model.query(samplesOf(graph, size), false);
      model.query(samplesOf(graph, size), true);
    }
    assert.equal(tf.memory().numTensors, before);
    const { model: untouched } = prepared(IMAGES);
    const step = (each) => {
      const start = { parameters: each.export(), moments: new Map(), step: 1 };
      return each.probe(start, samplesOf(graph, 2), { train: true, dropout: true });
    };
    assert.deepEqual(await step(model), await step(untouched));
    model.close();
    untouched.close();
  });
});
