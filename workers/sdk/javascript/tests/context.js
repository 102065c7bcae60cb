// What the tests of serving share: the fake worker and its graph.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { writeSafetensors } from '../src/node/files.js';
import { Harness, writeJob } from '../src/node/testing.js';

export const COMMAND = [process.execPath, fileURLToPath(new URL('fake-worker.js', import.meta.url))];

export const GRAPH = {
  version: 1,
  id: 'fake',
  inputs: [{ name: 'x', type: 'float', shape: [5] }],
  nodes: [
    {
      name: 'fc',
      type: 'linear',
      inputs: ['x'],
      output: [3],
      fields: { in_features: 5, out_features: 3, bias: false },
      parameters: [{ name: 'fc.weight', shape: [3, 5], role: 'weight', trainable: true }],
    },
  ],
  loss: { type: 'cross_entropy', reduction: 'mean' },
  optimizer: { type: 'sgd', rate: 0.1, momentum: 0 },
};

/** A worker that is stopped when the test ends. */
export async function start(t, options) {
  const harness = await Harness.start(COMMAND, options);
  t.after(() => harness.stop());
  return harness;
}

export function job(harness, settings = {}) {
  return writeJob(harness.path, GRAPH, { train: 20, test: 6, ...settings });
}

export async function prepared(t, settings) {
  const harness = await start(t);
  const members = job(harness, settings);
  const { reply } = await harness.ask('prepare', members);
  assert.deepEqual(reply, { type: 'done', id: 1, parameters: 15, effective: { threads: 3 } });
  return { harness, members };
}

/** Prepared for one epoch of many slow batches. */
export async function slow(t, settings) {
  const harness = await start(t);
  const members = job(harness, { train: 5000, epochs: 1, batch_size: 1, ...settings });
  await done(harness, 'prepare', { ...members, graph: { ...GRAPH, id: 'slow' } });
  return harness;
}

/** The events of a request that must be done, without those of progress. */
export async function done(harness, type, members) {
  const { events, reply } = await harness.ask(type, members);
  assert.equal(reply.type, 'done', JSON.stringify(reply));
  return { events: events.filter((event) => event.type !== 'progress'), reply };
}

export async function assertFails(harness, [type, members], code, part = '') {
  const { reply } = await harness.ask(type, members);
  assertFailed(reply, code, part);
}

export function assertFailed(reply, code, part = '') {
  assert.deepEqual([reply.type, reply.code], ['failed', code], JSON.stringify(reply));
  assert(reply.message.includes(part), reply.message);
}

export async function assertUnsupported(harness, [type, members], feature) {
  const { reply } = await harness.ask(type, members);
  assert.deepEqual([reply.type, reply.feature], ['unsupported', feature], JSON.stringify(reply));
}

let files = 0;

/** A new file of these tensors. */
export function write(harness, tensors) {
  const path = join(harness.path, `file-${(files += 1)}.safetensors`);
  writeSafetensors(path, Object.entries(tensors));
  return path;
}
