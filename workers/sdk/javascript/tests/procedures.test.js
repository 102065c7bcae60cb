import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { readSafetensors } from '../src/node/files.js';
import { floats, integers } from '../src/node/testing.js';
import {
  GRAPH, assertFailed, assertFails, assertUnsupported, done, job, prepared, slow, start, write,
} from './context.js';

const sum = (values) => values.reduce((a, b) => a + b, 0);
const ofType = (events, type) => events.filter((event) => event.type === type);

test('training tells all in order', async (t) => {
  const { harness, members } = await prepared(t, { warmup_steps: 2 });
  const save = join(harness.path, 'trained.safetensors');
  const { events, reply } = await done(harness, 'train', { save, evidence: 1 });
  assert.deepEqual(reply, { type: 'done', id: 2, steps: 6 });
  const epoch = ['batch', 'timings', 'epoch'];
  assert.deepEqual(events.map((event) => event.type), ['timings', ...epoch, ...epoch]);
  assert.equal(events[0].phase, 'warmup');
  assert.equal(events[0].steps_ns.length, 2);
  assert(events[6].loss < events[3].loss);
  assert(!('load_ns' in events[2]));
  const trained = readSafetensors(save).get('fc.weight');
  assert.notDeepEqual(trained, readSafetensors(members.weights).get('fc.weight'));
});

test('parts are timed for each step', async (t) => {
  const { harness } = await prepared(t, { measure: 'parts', epochs: 1 });
  const { events } = await done(harness, 'train');
  const [timings] = events.filter((event) => event.phase === 'train');
  const parts = ['load_ns', 'forward_ns', 'backward_ns'].map((part) => timings[part]);
  assert(parts.every((times) => times.length === 3 && times.every((time) => Number.isInteger(time) && time >= 0)));
  assert(timings.total_ns >= sum(parts.map(sum)));
});

test('evidence is of the data in the order', async (t) => {
  const { harness, members } = await prepared(t);
  const { events } = await done(harness, 'train', { evidence: -1 });
  const data = readSafetensors(members.data.path);
  const order = Array.from(readSafetensors(members.order).get('order').data, Number);
  const batches = ofType(events, 'batch');
  assert.deepEqual(batches.map(({ epoch, batch }) => [epoch, batch]), [[1, 0], [1, 1], [1, 2], [2, 0], [2, 1], [2, 2]]);
  const sha256 = (name, length, ids) => {
    const { data: values } = data.get(name);
    const hash = createHash('sha256');
    ids.forEach((id) => hash.update(values.slice(id * length, (id + 1) * length)));
    return hash.digest('hex');
  };
  for (const { epoch, batch, count, ids, inputs_sha256: inputs, labels_sha256: labels } of batches) {
    const expected = order.slice((epoch - 1) * 20, epoch * 20).slice(batch * 8, (batch + 1) * 8);
    assert.deepEqual([ids, count], [expected, expected.length]);
    assert.deepEqual([inputs, labels], [sha256('train.x', 5, ids), sha256('train.label', 1, ids)]);
  }
});

test('the settings say what is evaluated when', async (t) => {
  const { harness } = await prepared(t, { evaluate: 'last', training_accuracy: 'eval', epochs: 3 });
  const epochs = ofType((await done(harness, 'train')).events, 'epoch');
  assert.deepEqual(epochs.map((epoch) => 'test_accuracy' in epoch), [false, false, true]);
  assert(epochs.every(({ train_accuracy: accuracy }) => accuracy >= 0 && accuracy <= 1));
});

test('the loss of the test set comes with its accuracy, of the parameters at the end of the epoch', async (t) => {
  const { harness, members } = await prepared(t, { evaluate: 'last', batch_size: 4 });
  const save = join(harness.path, 'trained.safetensors');
  const [first, last] = ofType((await done(harness, 'train', { save })).events, 'epoch');
  assert.deepEqual(['test_loss' in first, 'test_loss' in last], [false, true]);
  const data = readSafetensors(members.data.path);
  const [x, label] = ['test.x', 'test.label'].map((name) => data.get(name).data);
  const weight = readSafetensors(save).get('fc.weight').data;
  const losses = Array.from(label, (target, sample) => {
    const logits = [0, 1, 2].map((row) => sum([0, 1, 2, 3, 4].map((i) => x[sample * 5 + i] * weight[row * 5 + i])));
    return Math.log(sum(logits.map(Math.exp))) - logits[Number(target)];
  });
  assert(Math.abs(last.test_loss - sum(losses) / 6) < 1e-6); // the model's outputs are float32
});

test('no more warm-up is reported than there was', async (t) => {
  for (const asked of [0, 2, 100]) {
    const { harness } = await prepared(t, { warmup_steps: asked });
    for (const [request, batches] of [['train', 3], ['infer', 1]]) {
      const { events } = await done(harness, request);
      const warmups = events.filter(({ phase }) => phase === 'warmup').map((event) => event.steps_ns.length);
      assert.deepEqual(warmups, asked > 0 ? [Math.min(asked, batches)] : []);
    }
  }
});

test('neither warm-up nor an earlier training changes the result', async (t) => {
  const saved = new Set();
  for (const warmup of [0, 3, 100]) {
    const { harness } = await prepared(t, { warmup_steps: warmup });
    for (const name of ['one', 'two']) {
      const save = join(harness.path, name);
      await done(harness, 'train', { save });
      saved.add(readFileSync(save, 'latin1'));
    }
  }
  assert.equal(saved.size, 1);
});

test('a step in one call, or in a loop of the binding, is the same step', async (t) => {
  const results = [];
  for (const [id, variant] of [['fake', 'step'], ['whole', 'step'], ['fake', 'fit']]) {
    const harness = await start(t);
    await done(harness, 'prepare', { ...job(harness, { variant, warmup_steps: 2 }), graph: { ...GRAPH, id } });
    const save = join(harness.path, 'trained.safetensors');
    const { events } = await done(harness, 'train', { save, evidence: -1 });
    const told = events.map((event) => ({ ...event, total_ns: 0, steps_ns: event.steps_ns?.length }));
    results.push({ told, trained: readFileSync(save) });
  }
  assert.deepEqual(results[1], results[0]);
  assert.deepEqual(results[2], results[0]);
});

test('a step in one call has parts, a loop of the binding has none', async (t) => {
  const harness = await start(t);
  const members = job(harness, { measure: 'parts', epochs: 1 });
  await done(harness, 'prepare', { ...members, graph: { ...GRAPH, id: 'whole' } });
  const [timings] = ofType((await done(harness, 'train')).events, 'timings');
  assert.deepEqual(['load_ns', 'forward_ns', 'backward_ns'].map((part) => timings[part].length), [3, 3, 3]);
  const fitted = { ...members, settings: { ...members.settings, variant: 'fit' } };
  await assertUnsupported(harness, ['prepare', fitted], 'measure parts of variant fit');
});

test('a loss that is not finite is a failure', async (t) => {
  const harness = await start(t);
  const weights = write(harness, { 'fc.weight': floats([3, 5], () => NaN) });
  await done(harness, 'prepare', { ...job(harness), weights });
  await assertFails(harness, ['train'], 'not_finite', 'step 1 in epoch 1');
  await assertFails(harness, ['infer'], 'not_finite');
});

for (const variant of ['step', 'fit']) {
  test(`training can be cancelled between two batches and done again: ${variant}`, async (t) => {
    const harness = await slow(t, { variant });
    const id = harness.begin('train', { evidence: 1 });
    await harness.receive();
    harness.send({ type: 'cancel', id: id + 7 });
    harness.send({ type: 'cancel', id });
    const { events, reply } = await harness.finish(id);
    assertFailed(reply, 'cancelled');
    assert.deepEqual(ofType(events, 'timings'), []); // the epoch did not end
    harness.send({ type: 'cancel', id });
    await done(harness, 'prepare', job(harness));
    await done(harness, 'train');
  });
}

test('a cancel that comes with its request counts', async (t) => {
  const harness = await slow(t);
  harness.sendLine('{"type": "train", "id": 9}\n{"type": "cancel", "id": 9}\n');
  assertFailed((await harness.finish(9)).reply, 'cancelled');
});

test('progress comes at most four times a second', async (t) => {
  const harness = await slow(t);
  const begin = performance.now();
  harness.begin('train');
  for (let count = 1; count <= 4; count += 1) {
    const { type, epoch, steps } = await harness.receive();
    assert.deepEqual([type, epoch, steps], ['progress', 1, 5000]);
    assert(performance.now() - begin >= 249 * count);
  }
});

test('inference goes through the test set in file order', async (t) => {
  const { harness, members } = await prepared(t, { batch_size: 4, warmup_steps: 1, measure: 'parts' });
  const path = join(harness.path, 'outputs.safetensors');
  const { events, reply } = await done(harness, 'infer', { outputs: path });
  const x = readSafetensors(members.data.path).get('test.x').data;
  const weight = readSafetensors(members.weights).get('fc.weight').data;
  const expected = floats([6, 3], (_, index) =>
    sum([0, 1, 2, 3, 4].map((i) => x[Math.floor(index / 3) * 5 + i] * weight[(index % 3) * 5 + i])),
  );
  assert.deepEqual(readSafetensors(path).get('outputs'), expected);
  assert.equal(reply.samples, 6);
  assert(Number.isInteger(reply.accuracy * 6));
  assert.deepEqual(events.map(({ phase }) => phase), ['warmup', 'infer']);
  assert.deepEqual([events[1].load_ns.length, events[1].forward_ns.length], [2, 2]);
  assert(!('backward_ns' in events[1]));
});

test('a probe writes what is wanted and says what is not there', async (t) => {
  const { harness } = await prepared(t);
  const ones = floats([3, 5], () => 1);
  const inputs = floats([2, 5], (_, index) => index);
  const batch = write(harness, { x: inputs, label: integers([2], [0, 2]) });
  const bare = write(harness, { x: inputs });
  const state = write(harness, { 'fc.weight': ones, 'fc.weight.state.m': ones, stray: ones });
  const asked = { mode: 'eval', step: 2, state, wanted: ['fc.out', 'hidden.out', 'gone.out'], directory: harness.path };
  const { reply } = await done(harness, 'probe', { ...asked, batch: bare });
  assert.deepEqual([reply.fused, reply.missing, reply.loss], [['hidden.out'], ['gone.out'], undefined]);
  const found = readSafetensors(reply.tensors);
  assert.deepEqual([...found], [['fc.out', { data: Float32Array.of(10, 10, 10, 35, 35, 35), shape: [2, 3] }]]);
  const { reply: labelled } = await done(harness, 'probe', { ...asked, batch });
  assert(Math.abs(labelled.loss - Math.log(3)) < 1e-5);
  await done(harness, 'probe', { ...asked, mode: 'train', batch });
  await assertFails(harness, ['probe', { ...asked, mode: 'train', batch: bare }], 'bad_input', 'label');
  const uneven = write(harness, { x: inputs, label: integers([1], [0]) });
  await assertFails(harness, ['probe', { ...asked, batch: uneven }], 'bad_input', 'one number');
});

test('a probe without a state is of the prepared parameters, and only forward', async (t) => {
  const { harness, members } = await prepared(t);
  const batch = write(harness, { x: floats([1, 5], (_, index) => Number(index === 0)) });
  const asked = { step: 1, batch, wanted: ['fc.out'], directory: harness.path };
  const { reply } = await done(harness, 'probe', { ...asked, mode: 'eval' });
  const weight = readSafetensors(members.weights).get('fc.weight').data;
  const { data } = readSafetensors(reply.tensors).get('fc.out');
  assert.deepEqual(data, Float32Array.of(weight[0], weight[5], weight[10]));
  await assertFails(harness, ['probe', { ...asked, mode: 'train' }], 'bad_request', 'state');
});
