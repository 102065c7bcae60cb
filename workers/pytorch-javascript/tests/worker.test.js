// The worker as crossbind runs it. Where things are is said by the variables that a setup has: see README.md.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { readSafetensors, writeSafetensors } from '../../sdk/javascript/src/node/files.js';
import { Harness, floats, integers } from '../../sdk/javascript/src/node/testing.js';

const { CROSSBIND_WORKER_HOME: home, CROSSBIND_SHARED_PYTORCH: shared } = process.env;
const skip = home && shared ? false : 'CROSSBIND_WORKER_HOME and CROSSBIND_SHARED_PYTORCH are not set';
const here = (name) => fileURLToPath(new URL(name, import.meta.url));

const node = (name, inputs, parameters) => ({ name, type: 'linear', inputs, output: [3], fields: {}, parameters });
const graph = (inputs, shape) => ({
  version: 1,
  id: 'test',
  inputs,
  nodes: [
    node('hidden', inputs.map(({ name }) => name), []),
    node('fc', ['hidden'], shape ? [{ name: 'fc.weight', shape, role: 'weight', trainable: true }] : []),
  ],
  loss: { type: 'cross_entropy' },
  optimizer: { type: 'sgd', momentum: 0 },
});
const FLOATS = graph([{ name: 'x', type: 'float', shape: [5] }], [3, 5]);
const integer = (name, entries) => ({ name, type: 'integer', entries, shape: [4] });
const INTEGERS = graph([integer('tokens', 10), integer('segments', 2), integer('mask', 2)], [10, 3]);

describe('pytorch/javascript', { skip }, () => {
  const models = mkdtempSync(join(tmpdir(), 'crossbind-'));
  let harness;

  before(async () => {
    execFileSync(join(shared, 'bin', 'python'), [here('models.py'), models]);
    harness = await Harness.start(
      [process.execPath, '--expose-gc', here('../worker.js'), join(home, 'versions.json')],
      { environment: { NODE_PATH: join(home, 'node_modules'), OMP_NUM_THREADS: '1', UV_THREADPOOL_SIZE: '1' } },
    );
  });

  after(async () => {
    assert.equal(await harness.bye(), 0);
    await harness.stop();
    rmSync(models, { recursive: true });
  });

  const model = (name) => join(models, `${name}.pt`);

  function file(name, tensors) {
    const path = join(harness.path, name);
    writeSafetensors(path, Object.entries(tensors));
    return path;
  }

  function job({ samples = 20, ...settings } = {}) {
    const data = {
      'test.x': floats([samples, 5], (_, index) => Math.floor(index / 5) + 1),
      'test.label': integers([samples], Array.from({ length: samples }, (_, sample) => (sample === 0 ? 0 : 2))),
    };
    return {
      graph: FLOATS,
      serialized: model('linear'),
      data: { path: file('data.safetensors', data), train_samples: 0, test_samples: samples },
      settings: {
        device: 'cpu', loader: 'resident', variant: 'step', measure: 'total', seed: 1, epochs: 1, batch_size: 8,
        training_accuracy: 'running', evaluate: 'last', warmup_steps: 0, threads: 1, ...settings,
      },
      scratch: harness.path,
    };
  }

  async function prepare(members) {
    return (await harness.ask('prepare', members)).reply;
  }

  async function infer() {
    const outputs = join(harness.path, 'outputs.safetensors');
    const { events, reply } = await harness.ask('infer', { outputs });
    assert.equal(reply.type, 'done', reply.message);
    return { events, reply, outputs: readSafetensors(outputs).get('outputs') };
  }

  async function assertFailed(request, code, part) {
    const { reply } = await request;
    assert.deepEqual([reply.type, reply.code], ['failed', code], JSON.stringify(reply));
    assert(reply.message.includes(part), reply.message);
  }

  async function assertUnsupported(request, feature) {
    const { reply } = await request;
    assert.deepEqual([reply.type, reply.feature], ['unsupported', feature], JSON.stringify(reply));
  }

  afterEach(async () => assert.equal((await prepare(job())).type, 'done')); // whatever was, it goes on

  test('says what it is made of', () => {
    const { binding, versions, capabilities } = harness.hello;
    assert.equal(binding, 'pytorch/javascript');
    assert.equal(versions['torch-js'], '0.14.0');
    assert.match(versions.torch, /^\d+\.\d+\.\d+/);
    assert.deepEqual(capabilities.tasks, ['infer-serialization']);
  });

  for (const loader of ['idiomatic', 'resident']) {
    for (const measure of ['total', 'parts']) {
      test(`infers in evaluation mode, the short last batch too: ${loader}, ${measure}`, async () => {
        const reply = await prepare(job({ loader, measure, warmup_steps: 2 }));
        assert.deepEqual([reply.type, reply.parameters, reply.effective], ['done', 15, {}]);
        const { events, reply: { samples, accuracy }, outputs } = await infer();
        assert.deepEqual(outputs, floats([20, 3], (_, index) => 5 * (Math.floor(index / 3) + 1) * (index % 3)));
        assert.deepEqual([samples, accuracy], [20, 0.95]);
        assert.deepEqual(events.map(({ phase }) => phase), ['warmup', 'infer']);
        assert.equal(events[1].load_ns?.length, measure === 'parts' ? 3 : undefined);
      });
    }
  }

  test('takes three inputs of integers', async () => {
    const data = {
      'test.tokens': integers([2, 4], [1, 2, 3, 4, 9, 0, 0, 0]),
      'test.segments': integers([2, 4], [0, 1, 0, 0, 0, 0, 0, 0]),
      'test.mask': integers([2, 4], [1, 1, 0, 0, 1, 1, 1, 1]),
      'test.label': integers([2], [2, 2]),
    };
    const members = job();
    members.data = { path: file('tokens.safetensors', data), train_samples: 0, test_samples: 2 };
    assert.equal((await prepare({ ...members, graph: INTEGERS, serialized: model('tokens') })).type, 'done');
    assert.deepEqual((await infer()).outputs.data, Float32Array.of(15, 18, 21, 27, 31, 35));
  });

  test('a probe shows the final output only', async () => {
    await prepare({ ...job(), data: undefined });
    const batch = file('batch.safetensors', { x: floats([2, 5], () => 1), label: integers([2], [0, 2]) });
    const asked = { mode: 'eval', step: 1, batch, wanted: ['hidden.out', 'fc.out'], directory: harness.path };
    const { reply } = await harness.ask('probe', asked);
    assert.deepEqual([reply.type, reply.fused, reply.missing], ['done', [], ['hidden.out']]);
    assert.deepEqual([...readSafetensors(reply.tensors)], [['fc.out', floats([2, 3], (_, index) => 5 * (index % 3))]]);
    const state = file('state.safetensors', {});
    await assertUnsupported(harness.ask('probe', { ...asked, state }), 'parameters of a serialized model');
    const train = { ...asked, mode: 'train', state };
    await assertUnsupported(harness.ask('probe', train), 'training of a serialized model');
  });

  test('a query gives outputs in evaluation mode, of any number of samples', async () => {
    await prepare({ ...job(), format: 'torchscript', data: undefined });
    const answer = join(harness.path, 'answer.safetensors');
    for (const samples of [2, 1, 100]) {
      const batch = file('batch.safetensors', { x: floats([samples, 5], (_, index) => Math.floor(index / 5) + 1) });
      const { reply } = await harness.ask('query', { batch, answer });
      assert.equal(reply.type, 'done', reply.message);
      const expected = floats([samples, 3], (_, index) => 5 * (Math.floor(index / 3) + 1) * (index % 3));
      assert.deepEqual([...readSafetensors(answer)], [['outputs', expected]]);
    }
    const batch = file('batch.safetensors', { x: floats([1, 5], () => NaN) });
    await assertFailed(harness.ask('query', { batch, answer }), 'not_finite', 'output');
  });

  test('what torch-js lacks is unsupported by name', async () => {
    await prepare(job());
    const batch = file('batch.safetensors', { x: floats([1, 5], () => 1), label: integers([1], [0]) });
    const query = { batch, answer: join(harness.path, 'answer.safetensors'), gradients: true };
    await assertUnsupported(harness.ask('query', query), 'gradients of inputs');
    await assertUnsupported(harness.ask('prepare', { ...job(), format: 'onnx' }), 'format onnx');
    await prepare(job());
    await assertUnsupported(harness.ask('serialize', { path: '/x', format: 'torchscript' }), 'format torchscript');
    await assertUnsupported(harness.ask('train'), 'task train');
    const byParameters = { ...job(), serialized: undefined, weights: file('weights.safetensors', {}) };
    await assertUnsupported(harness.ask('prepare', byParameters), 'task infer-parameters');
    await assertUnsupported(harness.ask('prepare', job({ device: 'cuda' })), 'device cuda');
  });

  test('a file of no model, or of another, is bad input', async () => {
    const none = join(models, 'none.pt');
    writeFileSync(none, 'not a model');
    for (const serialized of [none, join(models, 'missing.pt'), model('tokens')]) {
      await assertFailed(harness.ask('prepare', { ...job(), serialized }), 'bad_input', serialized);
    }
    const parameterless = { ...job(), graph: graph(FLOATS.inputs) };
    for (const [name, code, part] of [
      ['wide', 'bad_input', 'outputs are [8,4]'],
      ['pair', 'bad_input', 'one tensor'],
      ['tokens', 'internal', 'forward'],
    ]) {
      await prepare({ ...parameterless, serialized: model(name) });
      await assertFailed(harness.ask('infer'), code, part);
    }
  });

  test('threads that cannot be had are said', async () => {
    assert.deepEqual((await prepare(job({ threads: 2 }))).effective, { threads: 1 });
  });

  const used = () => 4096 * Number(readFileSync(`/proc/${harness.pid}/statm`, 'ascii').split(' ')[1]);

  test('memory stays flat over queries', async () => {
    await prepare({ ...job(), data: undefined });
    const batch = file('batch.safetensors', { x: floats([200_000, 5], () => 1) }); // 6.4 MB in and out
    const answer = join(harness.path, 'answer.safetensors');
    const passes = [];
    for (let pass = 0; pass < 40; pass += 1) {
      await harness.ask('query', { batch, answer });
      passes.push(used());
    }
    const growth = Math.max(...passes.slice(20)) - Math.max(...passes.slice(0, 20));
    assert(growth < 20e6, `${growth} bytes in 20 queries`);
  });

  test('memory stays flat over twenty passes', async () => {
    for (const loader of ['idiomatic', 'resident']) {
      await prepare(job({ loader, samples: 400_000, batch_size: 4000 })); // 4.8 MB of outputs a pass
      const passes = [];
      for (let pass = 0; pass < 20; pass += 1) {
        await harness.ask('infer');
        passes.push(used());
      }
      const growth = Math.max(...passes.slice(8)) - Math.max(...passes.slice(0, 8));
      assert(growth < 20e6, `${loader}: ${growth} bytes in 12 passes`);
    }
  });
});
