import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';

import { Hello, Session } from '../src/index.js';
import { floats, integers, makeJob } from '../src/node/testing.js';
import { GRAPH } from './context.js';
import { HELLO, LinearModel } from './linear-model.js';
import { TICK, getTensors, memoryHost, putTensors } from './memory-host.js';

const SOURCES = new URL('../src/', import.meta.url);
const COMMENT = /\/\*.*?\*\//gs; // in which types are imported
const IMPORT = /\b(?:from|import|import\(|require\()\s*['"`]([^'"`]+)['"`]/g;

/** The imports of a module and of all modules that it reaches: who imports, and what. */
function imports(module, seen = new Set()) {
  if (seen.has(module.href)) {
    return [];
  }
  seen.add(module.href);
  const source = readFileSync(module, 'utf8').replace(COMMENT, '');
  return [...source.matchAll(IMPORT)].flatMap(([, name]) => [
    [module.href, name],
    ...(name.startsWith('.') ? imports(new URL(name, module), seen) : []),
  ]);
}

test('no module of the portable part imports anything of Node', () => {
  const modules = readdirSync(SOURCES).filter((name) => name.endsWith('.js'));
  const portable = new Set(modules.map((name) => new URL(name, SOURCES).href));
  const seen = new Set();
  const found = modules.flatMap((name) => imports(new URL(name, SOURCES), seen));
  assert(found.length > modules.length);
  for (const [module, name] of found) {
    assert(portable.has(new URL(name, module).href), `${module} imports ${name}`);
  }
});

test('that would be found', () => {
  const found = imports(new URL('node/index.js', SOURCES)).map(([, name]) => name);
  for (const name of ['node:fs', 'node:net', 'node:crypto', '../session.js', './stopwatch.js']) {
    assert(found.includes(name), `${name} is not among ${found}`);
  }
});

/** A session in memory, and a function that asks it. */
function converse(t, hello = HELLO, build = (job) => new LinearModel(job)) {
  t.mock.method(console, 'log', () => {}); // the model says when it is closed
  const host = memoryHost();
  const session = new Session(host, build, hello);
  const ended = session.run('secret');
  let id = 0;
  const ask = async (type, members = {}) => {
    id += 1;
    host.messages.length = 0;
    session.take(JSON.stringify({ type, id, ...members }));
    while (!['done', 'unsupported', 'failed'].includes(host.messages.at(-1)?.type)) {
      await new Promise((resolve) => setTimeout(resolve));
    }
    return { events: host.messages.slice(0, -1), reply: host.messages.at(-1) };
  };
  const file = (name, tensors) => putTensors(host, `memory:${name}`, tensors);
  const members = makeJob(file, GRAPH, { train: 20, test: 6, epochs: 1, scratch: 'memory:' });
  return { host, session, ended, ask, file, members };
}

test('a worker needs nothing but its host', async (t) => {
  const { host, session, ended, ask, file, members } = converse(t);
  assert.deepEqual([host.messages[0].type, host.messages[0].token], ['hello', 'secret']);
  session.take('{"type": "welcome", "protocol": 1, "crossbind": "0.1.0"}');

  const { reply: prepared } = await ask('prepare', members);
  assert.deepEqual(prepared, { type: 'done', id: 1, parameters: 15, effective: { threads: 3 } });
  const { events, reply: trained } = await ask('train', { save: 'memory:trained', evidence: 1 });
  assert.deepEqual(trained, { type: 'done', id: 2, steps: 3 });
  assert.deepEqual(events.map(({ type }) => type), ['batch', 'timings', 'epoch']);
  const { data } = (await getTensors(host, 'memory:data.safetensors')).get('train.x');
  const hash = createHash('sha256');
  events[0].ids.forEach((sample) => hash.update(data.slice(5 * sample, 5 * sample + 5)));
  assert.equal(events[0].inputs_sha256, hash.digest('hex'));
  assert.equal(events[1].total_ns % TICK, 0); // of the host's clock

  const { reply: inferred } = await ask('infer', { outputs: 'memory:outputs' });
  assert.deepEqual([inferred.type, inferred.samples], ['done', 6]);
  const outputs = (await getTensors(host, 'memory:outputs')).get('outputs');
  const samples = (await getTensors(host, 'memory:data.safetensors')).get('test.x');
  const batch = file('batch', { x: samples, label: integers([6], [0, 1, 2, 0, 1, 2]) });
  await ask('query', { batch, gradients: true, answer: 'memory:answer' });
  const answer = await getTensors(host, 'memory:answer');
  assert.deepEqual(answer.get('outputs'), outputs);
  assert.deepEqual(answer.get('x.grad').shape, [6, 5]);
  const probe = { mode: 'eval', step: 1, batch, wanted: ['fc.out'], directory: 'memory:' };
  const { reply: probed } = await ask('probe', probe);
  assert.deepEqual((await getTensors(host, probed.tensors)).get('fc.out').shape, [6, 3]);

  const { reply: missing } = await ask('query', { batch: 'memory:nowhere', answer: 'memory:answer' });
  assert.deepEqual([missing.type, missing.code], ['failed', 'bad_input']);
  assert.equal(host.openFiles, 1); // the data, until the worker is prepared again
  session.take('{"type": "bye", "reason": "enough"}');
  assert.equal(await ended, 'enough');
  assert.equal(host.left, null);
});

test('cancel is heard when the host lets the event loop turn, and bye then ends the worker', async (t) => {
  const { host, session, ask, members } = converse(t);
  await ask('prepare', members);
  const reply = ask('train');
  session.take('{"type": "cancel", "id": 2}');
  assert.equal((await reply).reply.code, 'cancelled');
  const training = ask('train');
  session.take('{"type": "bye"}');
  assert.deepEqual(host.left, { code: 0, reason: 'crossbind said bye during a request' });
  await training;
});

test('a line that is no message is thrown at the host', (t) => {
  const { session } = converse(t);
  assert.throws(() => session.take('{"type": "train"}'), /id/);
  assert.throws(() => session.take('{'), SyntaxError);
});

test('a serialized model is handed over with its format', async (t) => {
  const hello = new Hello('fake/javascript', {}, {
    ...HELLO.capabilities, tasks: ['infer-serialization'], reads: ['torchscript', 'onnx'],
  });
  const jobs = [];
  const { ask, members: { graph, settings, scratch } } = converse(t, hello, (job) => {
    jobs.push(job.serialized);
    return { parameters: 0, effective: {}, close: () => {} };
  });
  const members = { graph, settings, scratch, serialized: 'memory:model' };
  await ask('prepare', { ...members, format: 'onnx' });
  assert.deepEqual(jobs, [{ path: 'memory:model', format: 'onnx' }]);
  const { reply: unknown } = await ask('prepare', { ...members, format: 'tflite' });
  assert.deepEqual([unknown.type, unknown.feature], ['unsupported', 'format tflite']);
  const { reply: unsaid } = await ask('prepare', members);
  assert.deepEqual([unsaid.type, unsaid.code], ['failed', 'bad_request']);
});

test('a query of all that is not finite, or has no targets, writes nothing', async (t) => {
  const { host, ask, file, members } = converse(t);
  await ask('prepare', members);
  const huge = file('huge', { x: floats([1, 5], () => 3e38), label: integers([1], [0]) });
  await ask('prepare', { ...members, weights: file('big', { 'fc.weight': floats([3, 5], () => 3e38) }) });
  const { reply } = await ask('query', { batch: huge, answer: 'memory:answer' });
  assert.deepEqual([reply.type, reply.code], ['failed', 'not_finite']);
  const bare = file('bare', { x: floats([1, 5], () => 1) });
  const { reply: refused } = await ask('query', { batch: bare, gradients: true, answer: 'memory:answer' });
  assert.deepEqual([refused.type, refused.code], ['failed', 'bad_input']);
  assert(refused.message.includes('label'), refused.message);
  assert(!host.files.has('memory:answer'));
});
