import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readSafetensors } from '../src/node/files.js';
import { floats, integers } from '../src/node/testing.js';
import { GRAPH, assertFails, assertUnsupported, done, job, prepared, start, write } from './context.js';

test('requests before prepare are bad', async (t) => {
  const harness = await start(t);
  await assertFails(harness, ['train'], 'bad_request', "before 'prepare'");
  await assertFails(harness, ['infer'], 'bad_request', "before 'prepare'");
});

test('a failed prepare forgets the model before', async (t) => {
  const { harness, members } = await prepared(t);
  await assertFails(harness, ['prepare', { ...members, weights: '/nowhere' }], 'bad_input');
  await assertFails(harness, ['train'], 'bad_request');
  assert.match(harness.log, /closed/);
});

test('requests that make no sense are bad, and the worker goes on', async (t) => {
  const harness = await start(t);
  const members = job(harness);
  const [node] = GRAPH.nodes;
  const settings = (change) => ({ settings: { ...members.settings, ...change } });
  for (const change of [
    { graph: 7 },
    { graph: { ...GRAPH, version: 2 } },
    { graph: { ...GRAPH, nodes: [] } },
    { graph: { ...GRAPH, nodes: [{ ...node, inputs: ['y'] }] } },
    { graph: { ...GRAPH, nodes: [node, node] } },
    { serialized: '/both' },
    { weights: 3 },
    { scratch: '' },
    { data: { path: '/x', train_samples: -1, test_samples: 1 } },
    { settings: {} },
    settings({ epochs: 0 }),
    settings({ epochs: true }),
    settings({ epochs: 1.5 }),
    settings({ seed: 2 ** 32 }),
    settings({ measure: 'sundial' }),
  ]) {
    await assertFails(harness, ['prepare', { ...members, ...change }], 'bad_request');
  }
  await assertFails(harness, ['dance'], 'bad_request', 'dance');
  await assertFails(harness, ['constructor'], 'bad_request', 'constructor');
  await done(harness, 'prepare', { ...members, unknown: 'ignored' });
  await assertFails(harness, ['train', { evidence: -2 }], 'bad_request', 'evidence');
  await assertFails(harness, ['probe', { mode: 'train' }], 'bad_request');
});

test('files that are missing or do not fit are bad input', async (t) => {
  const harness = await start(t);
  const members = job(harness);
  const short = write(harness, { order: integers([1, 20], Array(20).fill(0)) });
  const outside = write(harness, { order: integers([2, 20], Array(40).fill(20)) });
  const data = Object.fromEntries(readSafetensors(members.data.path));
  const weight = (tensor) => ({ weights: write(harness, { 'fc.weight': tensor }) });
  const changed = (name, tensor) => ({
    data: { ...members.data, path: write(harness, { ...data, [name]: tensor }) },
  });
  for (const [change, part] of [
    [{ weights: '/nowhere' }, 'no such file'],
    [{ weights: write(harness, { weight: floats([1], () => 0) }) }, "no tensor 'fc.weight'"],
    [weight({ data: new Float64Array(15), shape: [3, 5] }), 'not F32'],
    [weight(floats([5, 3], () => 0)), '[5,3]'],
    [{ order: short }, 'not I64 [2,20]'],
    [{ order: outside }, 'outside of 0 to 19'],
    [{ data: { ...members.data, train_samples: 21 } }, 'fewer than 21'],
    [{ data: { ...members.data, path: '/nowhere' } }, 'no such file'],
    [{ data: { ...members.data, path: short } }, "no tensor 'train.x'"],
    [changed('train.label', integers([20], Array(20).fill(3))), '0 to 2'],
    [changed('train.label', integers([20, 1], Array(20).fill(0))), 'one int64'],
    [changed('test.x', { data: new Float64Array(30), shape: [6, 5] }), 'not F32'],
    [changed('test.x', floats([6, 4], () => 0)), '[6,4]'],
  ]) {
    await assertFails(harness, ['prepare', { ...members, ...change }], 'bad_input', part);
  }
});

test('conventions that the binding has in another form are said', async (t) => {
  const harness = await start(t);
  const [node] = GRAPH.nodes;
  for (const [sum, expected] of [['pairwise', {}], ['serial', { 'linear.sum': 'pairwise' }]]) {
    const graph = { ...GRAPH, nodes: [{ ...node, fields: { ...node.fields, sum } }] };
    const { reply } = await done(harness, 'prepare', { ...job(harness), graph });
    assert.deepEqual(reply.effective, { threads: 3, ...expected });
  }
});

test('what the binding lacks is unsupported by name', async (t) => {
  const harness = await start(t);
  const { weights, ...members } = job(harness);
  const [node] = GRAPH.nodes;
  for (const [change, feature] of [
    [{ graph: { ...GRAPH, nodes: [{ ...node, type: 'gru' }] } }, 'layer gru'],
    [{ graph: { ...GRAPH, nodes: [{ ...node, fields: { bias: true } }] } }, 'linear.bias=true'],
    [{ settings: { ...members.settings, device: 'abacus' } }, 'device abacus'],
    [{ settings: { ...members.settings, loader: 'idiomatic' } }, 'loader idiomatic'],
    [{ settings: { ...members.settings, variant: 'savedmodel' } }, 'variant savedmodel'],
  ]) {
    await assertUnsupported(harness, ['prepare', { ...members, weights, ...change }], feature);
  }
  await assertUnsupported(harness, ['prepare', { ...members, serialized: '/x' }], 'task infer-serialization');
});

test('loss and optimizer are only missed in training', async (t) => {
  for (const [change, feature] of [
    [{ loss: { type: 'binary_cross_entropy' } }, 'loss binary_cross_entropy'],
    [{ optimizer: { type: 'adam' } }, 'optimizer adam'],
    [{ optimizer: { type: 'sgd', momentum: 0.9 } }, 'sgd.momentum'],
  ]) {
    const harness = await start(t);
    const members = job(harness, { train: 8, test: 8 });
    const data = Object.fromEntries(readSafetensors(members.data.path));
    const label = integers([8], Array(8).fill(0));
    members.data.path = write(harness, { ...data, 'train.label': label, 'test.label': label });
    await done(harness, 'prepare', { ...members, graph: { ...GRAPH, ...change } });
    await done(harness, 'infer');
    await assertUnsupported(harness, ['train'], feature);
  }
});

test('errors of the binding are failures in its own words', async (t) => {
  const harness = await start(t);
  const members = job(harness);
  const prepare = (id) => ['prepare', { ...members, graph: { ...GRAPH, id } }];
  await assertFails(harness, prepare('raises'), 'internal', 'TypeError: the binding broke');
  assert.match(harness.log, /fake-worker\.js:/); // where it happened
  await assertFails(harness, prepare('hungry'), 'out_of_memory');
  await assertFails(harness, prepare('infinite'), 'not_finite');
  await done(harness, ...prepare('lazy'));
  await assertFails(harness, ['train'], 'internal', 'gave 2 batches, not 3');
  await done(harness, ...prepare('fake'));
  assert.equal(await harness.bye(), 0);
});

test('what was not prepared cannot be done', async (t) => {
  const harness = await start(t);
  const members = { ...job(harness), order: undefined };
  await done(harness, 'prepare', members);
  await assertFails(harness, ['train'], 'bad_request', 'order');
  await done(harness, 'prepare', { ...members, data: undefined });
  await assertFails(harness, ['infer'], 'bad_request', 'test samples');
});
