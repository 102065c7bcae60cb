import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { Hello } from '../src/index.js';
import { readSafetensors } from '../src/node/files.js';
import { floats, integers } from '../src/node/testing.js';
import { sumOfLosses } from '../src/metrics.js';
import { assertFails, assertUnsupported, done, prepared, write } from './context.js';
import { HELLO } from './linear-model.js';

const sum = (values) => values.reduce((a, b) => a + b, 0);

function linear(x, weight) {
  return floats([x.shape[0], 3], (_, index) =>
    sum([0, 1, 2, 3, 4].map((i) => x.data[Math.floor(index / 3) * 5 + i] * weight[(index % 3) * 5 + i])),
  );
}

async function ask(harness, members) {
  const answer = join(harness.path, 'answer.safetensors');
  const { events, reply } = await done(harness, 'query', { ...members, answer });
  assert.deepEqual([events, Object.keys(reply)], [[], ['type', 'id']]);
  return readSafetensors(answer);
}

test('a query gives the outputs of any number of samples, over the answer before', async (t) => {
  const { harness, members } = await prepared(t);
  const weight = readSafetensors(members.weights).get('fc.weight').data;
  for (const samples of [3, 1, 200]) {
    const x = floats([samples, 5], (_, index) => Math.sin(index));
    const found = await ask(harness, { batch: write(harness, { x }) });
    assert.deepEqual([...found], [['outputs', linear(x, weight)]]);
  }
});

test('a query with gradients has them of the sum of the losses', async (t) => {
  const { harness, members } = await prepared(t);
  const weight = readSafetensors(members.weights).get('fc.weight').data;
  const x = floats([2, 5], (_, index) => Math.cos(index));
  const labels = new Map([['label', Int32Array.of(2, 0)]]);
  const batch = write(harness, { x, label: integers([2], [2, 0]) });
  const found = await ask(harness, { batch, gradients: true });
  assert.deepEqual([...found.keys()].sort(), ['outputs', 'x.grad']);
  const { data, shape } = found.get('x.grad');
  assert.deepEqual(shape, [2, 5]);
  const width = 2 ** -6;
  const loss = (index, move) => {
    const moved = x.data.slice();
    moved[index] += move;
    return sumOfLosses('cross_entropy', linear({ data: moved, shape: [2, 5] }, weight), labels);
  };
  data.forEach((gradient, index) => {
    const slope = (loss(index, width) - loss(index, -width)) / (2 * width);
    assert(Math.abs(gradient - slope) < 1e-5, `${gradient} is not ${slope}`); // float32 outputs over the width
  });
});

test('queries go to what was trained and leave no trace in a training', async (t) => {
  const { harness } = await prepared(t);
  const batch = write(harness, { x: floats([1, 5], () => 1), label: integers([1], [0]) });
  const [first, second] = ['first', 'second'].map((name) => join(harness.path, name));
  await done(harness, 'train', { save: first });
  const trained = readSafetensors(first).get('fc.weight').data;
  const found = await ask(harness, { batch, gradients: true });
  assert.deepEqual(found.get('outputs'), linear(floats([1, 5], () => 1), trained));
  await done(harness, 'train', { save: second });
  assert.deepEqual(readFileSync(second), readFileSync(first));
});

test('queries that make no sense, or whose files do not fit, are refused', async (t) => {
  const { harness } = await prepared(t);
  const batch = write(harness, { x: floats([2, 5], () => 1) });
  const answer = join(harness.path, 'none');
  const query = (members) => ['query', { batch, answer, ...members }];
  await assertFails(harness, query({ gradients: 1 }), 'bad_request', 'gradients');
  await assertFails(harness, query({ answer: '' }), 'bad_request', 'answer');
  await assertFails(harness, query({ batch: '/nowhere' }), 'bad_input', 'no such file');
  await assertFails(harness, query({ batch: write(harness, { x: floats([2, 4], () => 1) }) }), 'bad_input', '[2,4]');
  await assertFails(harness, query({ batch: write(harness, { x: floats([0, 5], () => 1) }) }), 'bad_input');
  await assertFails(harness, query({ gradients: true }), 'bad_input', 'a gradient needs label');
  await assertFails(harness, query({ answer: '/nowhere/answer' }), 'internal');
});

test('queries that are not claimed are unsupported by name', () => {
  const check = (change, gradients) =>
    new Hello('x', {}, { ...HELLO.capabilities, ...change }).checkQuery({ loss: 'cross_entropy' }, gradients);
  assert.throws(() => check({ queries: undefined }, false), { message: 'queries' });
  assert.throws(() => check({ queries: 'none' }, true), { message: 'queries' });
  assert.throws(() => check({ queries: 'outputs' }, true), { message: 'gradients of inputs' });
  assert.throws(() => check({ losses: [] }, true), { message: 'loss cross_entropy' });
  check({ queries: 'outputs', losses: [] }, false);
  check({}, true);
});

test('a probe may have dropout on, with another mask each time', async (t) => {
  const { harness } = await prepared(t);
  const ones = floats([3, 5], () => 1);
  const state = write(harness, { 'fc.weight': ones, 'fc.weight.state.m': ones });
  const batch = write(harness, { x: floats([1, 5], () => 1), label: integers([1], [0]) });
  const asked = { mode: 'train', step: 1, batch, state, wanted: ['fc.out'], directory: harness.path };
  const outputs = async (members) => {
    const { reply } = await done(harness, 'probe', { ...asked, ...members });
    return [...readSafetensors(reply.tensors).get('fc.out').data];
  };
  assert.deepEqual(await outputs({ dropout: true }), [0, 7.5, 7.5]);
  assert.deepEqual(await outputs({ dropout: false }), [5, 5, 5]);
  assert.deepEqual(await outputs({ dropout: true }), [7.5, 0, 7.5]);
  assert.deepEqual(await outputs({ mode: 'eval', dropout: false }), [5, 5, 5]);
  await assertFails(harness, ['probe', { ...asked, mode: 'eval', dropout: true }], 'bad_request', 'dropout');
  await assertFails(harness, ['probe', { ...asked, dropout: 'yes' }], 'bad_request', 'dropout');
});

test('what is to be serialized comes as one value', async (t) => {
  const { harness } = await prepared(t);
  const path = join(harness.path, 'model');
  const written = async (members) => {
    await done(harness, 'serialize', { path, ...members });
    return JSON.parse(readFileSync(path, 'utf8'));
  };
  const least = { path, format: 'torchscript', precision: 'float32', training: false, optimizer: false };
  assert.deepEqual(await written({}), least);
  const calibration = write(harness, { x: floats([7, 5], () => 1) });
  assert.deepEqual(
    await written({ format: 'torchscript', precision: 'int8', training: true, calibration }),
    { ...least, precision: 'int8', training: true, samples: 7 },
  );
  for (const [change, feature] of [
    [{ format: 'onnx' }, 'format onnx'],
    [{ optimizer: true }, 'optimizer state in format torchscript'],
  ]) {
    await assertUnsupported(harness, ['serialize', { path, ...change }], feature);
  }
  await assertFails(harness, ['serialize', { path, precision: 'int3' }], 'bad_request', 'precision');
  await assertFails(harness, ['serialize', { path, format: 'papyrus' }], 'bad_request', 'papyrus');
  await assertFails(harness, ['serialize', { path, calibration: '/nowhere' }], 'bad_input', 'no such file');
});

test('a format that is not said is the only one', () => {
  const hello = (formats) => new Hello('x', {}, { reads: formats, writes: formats });
  assert.equal(hello(['onnx']).formatToRead(null), 'onnx');
  assert.equal(hello(['onnx', 'tfjs']).formatToWrite('tfjs'), 'tfjs');
  assert.throws(() => hello(['onnx', 'tfjs']).formatToWrite(null), { code: 'bad_request' });
  assert.throws(() => hello(['onnx']).formatToRead('tfjs'), { message: 'format tfjs' });
  assert.throws(() => hello(undefined).formatToWrite(null), { message: 'serialization' });
});
