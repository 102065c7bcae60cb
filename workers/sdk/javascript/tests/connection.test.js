import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

import { LONGEST_LINE } from '../src/messages.js';
import { Harness } from '../src/node/testing.js';
import { COMMAND, assertFailed, done, job, slow, start } from './context.js';

function run(environment) {
  const [program, ...options] = COMMAND;
  return spawnSync(program, options, { env: { ...process.env, ...environment }, encoding: 'utf8' });
}

test('hello says who it is, with the token', async (t) => {
  const harness = await start(t);
  const { type, protocol, token, binding, capabilities } = harness.hello;
  assert.deepEqual([type, protocol, token, binding], ['hello', 1, 'secret', 'fake/javascript']);
  assert.deepEqual(capabilities.layers, ['linear']);
  assert.equal(await harness.bye(), 0);
});

test('tcp is the same', async (t) => {
  const harness = await start(t, { tcp: true });
  await done(harness, 'prepare', job(harness));
  assert.equal(await harness.bye(), 0);
});

test('a worker that is not welcome says why and ends', async (t) => {
  const harness = await start(t, { welcome: false });
  harness.send({ type: 'bye', reason: 'wrong version' });
  assert.equal(await harness.wait(), 0);
  assert.match(harness.log, /wrong version/);
});

test('without an endpoint it says so and exits with 2', () => {
  const { status, stderr } = run({ CROSSBIND_ENDPOINT: '' });
  assert.equal(status, 2);
  assert.match(stderr, /CROSSBIND_ENDPOINT/);
});

test('an endpoint where nobody listens is named', () => {
  for (const endpoint of ['unix:/nowhere/socket', 'carrier-pigeon:7']) {
    const { status, stderr } = run({ CROSSBIND_ENDPOINT: endpoint });
    assert.equal(status, 1);
    assert(stderr.includes(endpoint));
  }
});

test('losing the connection ends an idle worker', async (t) => {
  const harness = await start(t);
  harness.disconnect();
  assert.equal(await harness.wait(), 1);
});

test('losing the connection ends a worker that trains', async (t) => {
  const harness = await slow(t);
  harness.begin('train', { evidence: 1 });
  await harness.receive();
  harness.disconnect();
  assert.equal(await harness.wait(), 1);
});

test('bye ends a worker that trains', async (t) => {
  const harness = await slow(t);
  harness.begin('train');
  assert.equal(await harness.bye(), 0);
});

test('lines that are not messages end the worker', async () => {
  for (const line of [
    '{\n',
    '[]\n',
    'null\n',
    '{"id": 1}\n',
    '{"type": "train"}\n',
    '{"type": "train", "id": 1.5}\n',
    '{"type": NaN}\n',
    Buffer.from([0x22, 0xff, 0x22, 0x0a]),
    `${' '.repeat(LONGEST_LINE)}\n`,
    ' '.repeat(LONGEST_LINE + 1),
  ]) {
    const harness = await Harness.start(COMMAND);
    harness.sendLine(line);
    assert.equal(await harness.wait(), 1);
    assert.match(harness.log, /the connection is broken/);
    await harness.stop();
  }
});

test('a line may be as long as the protocol allows', async (t) => {
  const harness = await start(t);
  harness.sendLine(`${JSON.stringify({ type: 'train', id: 1 }).padEnd(LONGEST_LINE - 1)}\n`);
  assertFailed((await harness.finish(1)).reply, 'bad_request');
});

test('lines come in whatever pieces they like', async (t) => {
  const harness = await start(t);
  for (const piece of ['{"type": "tr', 'ain", "id": 1}', '\n{"type": "infer", ', '"id": 2}\n']) {
    harness.sendLine(piece);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assertFailed((await harness.finish(1)).reply, 'bad_request');
  assertFailed((await harness.finish(2)).reply, 'bad_request');
});
