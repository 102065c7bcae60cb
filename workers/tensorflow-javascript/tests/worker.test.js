// The worker as crossbind runs it: what is this binding's own. What all must do is tested elsewhere.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { readSafetensors, writeSafetensors } from '../../sdk/javascript/src/safetensors.js';
import { Harness, floats, integers, writeJob } from '../../sdk/javascript/src/testing.js';
import { environment, here, python, skip } from './context.js';

const parameter = (name, shape, role = 'weight') => ({ name, shape, role, trainable: !role.startsWith('running') });
const node = (name, type, input, output, fields = {}, parameters = []) => ({
  name, type, inputs: [input], output, fields, parameters,
});
const SGD = { type: 'sgd', rate: 0.1, momentum: 0.9 };
const ADAM = { type: 'adam', rate: 0.01, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, epsilon_form: 'outside' };
const decay = (value, form = 'coupled') => ({ weight_decay: { value, form, applies_to: 'weights' } });
const CONVOLUTION = { out_channels: 3, kernel: [3, 3], stride: [2, 1], pads: [1, 1, 1, 1], bias: true };

const IMAGES = {
  version: 1,
  id: 'images',
  inputs: [{ name: 'image', type: 'float', shape: [2, 5, 4] }],
  nodes: [
    node('conv', 'conv2d', 'image', [3, 3, 4], CONVOLUTION, [
      parameter('conv.weight', [3, 2, 3, 3]),
      parameter('conv.bias', [3], 'bias'),
    ]),
    node('bn', 'batchnorm', 'conv', [3, 3, 4], { epsilon: 1e-3, momentum: 0.1, running_variance: 'biased' }, [
      parameter('bn.weight', [3], 'scale'),
      parameter('bn.bias', [3], 'shift'),
      parameter('bn.running_mean', [3], 'running_mean'),
      parameter('bn.running_var', [3], 'running_variance'),
    ]),
    node('relu', 'relu', 'bn', [3, 3, 4]),
    node('dropout', 'dropout', 'relu', [3, 3, 4], { rate: 0.3 }),
    node('flatten', 'flatten', 'dropout', [36]),
    node('fc', 'linear', 'flatten', [3], { out_features: 3, bias: false }, [parameter('fc.weight', [3, 36])]),
  ],
  loss: { type: 'cross_entropy' },
  optimizer: { ...SGD, ...decay(0.01) },
};
const TOKENS = {
  ...IMAGES,
  inputs: [{ name: 'tokens', type: 'integer', entries: 10, shape: [4] }],
  nodes: [node('table', 'embedding', 'tokens', [3], {}, [parameter('table.weight', [10, 3])])],
};

describe('tensorflow/javascript', { skip }, () => {
  const models = mkdtempSync(join(tmpdir(), 'crossbind-'));
  let harness;

  before(async () => {
    execFileSync(python, [here('models.py'), models], { stdio: 'pipe' });
    harness = await Harness.start([process.execPath, '--expose-gc', here('../worker.js')], { environment });
  });

  after(async () => {
    assert.equal(await harness.bye(), 0);
    await harness.stop();
    rmSync(models, { recursive: true });
  });

  /** Variances are above 0. */
  function job(graph = IMAGES, settings = {}) {
    const members = writeJob(harness.path, graph, { train: 20, test: 6, ...settings });
    const weights = readSafetensors(members.weights);
    weights.get('bn.running_var').data.fill(1);
    writeSafetensors(members.weights, weights);
    return members;
  }

  async function done(type, members) {
    const { events, reply } = await harness.ask(type, members);
    assert.equal(reply.type, 'done', JSON.stringify(reply));
    return { events, reply };
  }

  /** What a training tells and leaves, but for times. */
  async function trained(graph, settings) {
    await done('prepare', job(graph, settings));
    const save = join(harness.path, 'trained.safetensors');
    const { events } = await done('train', { save, evidence: -1 });
    const told = events.filter(({ type }) => type === 'epoch' || type === 'batch');
    return { told: told.map((event) => ({ ...event, id: 0 })), saved: readSafetensors(save) };
  }

  test('says what it is made of', () => {
    const { binding, versions } = harness.hello;
    assert.equal(binding, 'tensorflow/javascript');
    assert.equal(versions['tfjs-node'], '4.22.0');
    assert.match(versions.tensorflow, /^2\.\d+\.\d+$/);
  });

  for (const optimizer of [IMAGES.optimizer, { ...ADAM, ...decay(0.01, 'decoupled') }]) {
    test(`loader, loop, parts and warm-up make no difference: ${optimizer.type}`, async () => {
      const graph = { ...IMAGES, optimizer };
      const expected = await trained(graph);
      assert(expected.told.at(-1).loss < expected.told.find(({ type }) => type === 'epoch').loss);
      for (const settings of [
        { loader: 'idiomatic' },
        { measure: 'parts' },
        { variant: 'fit', warmup_steps: 2 },
        { variant: 'fit', loader: 'idiomatic' },
      ]) {
        assert.deepEqual(await trained(graph, settings), expected, JSON.stringify(settings));
      }
    });
  }

  test('the seed decides the masks of dropout', async () => {
    const [first, second] = [await trained(IMAGES, { seed: 1 }), await trained(IMAGES, { seed: 2 })];
    assert.notEqual(first.told.at(-1).loss, second.told.at(-1).loss);
  });

  test('fit has no parts', async () => {
    const { reply } = await harness.ask('prepare', job(IMAGES, { variant: 'fit', measure: 'parts' }));
    assert.deepEqual([reply.type, reply.feature], ['unsupported', 'measure parts of variant fit']);
  });

  test('forms that tfjs lacks are unsupported, those that it has instead are said', async () => {
    const gru = node('gru', 'gru', 'image', [4], { hidden: 4, biases: 1, reset_after: true });
    const { reply } = await harness.ask('prepare', { ...job(), graph: { ...IMAGES, nodes: [gru] } });
    assert.deepEqual([reply.type, reply.feature], ['unsupported', 'gru.reset_after=true']);
    const nodes = IMAGES.nodes.map((each) =>
      each.name === 'bn' ? { ...each, fields: { ...each.fields, running_variance: 'unbiased' } } : each,
    );
    const graph = { ...IMAGES, nodes, optimizer: { ...ADAM, epsilon_form: 'hat', ...decay(0) } };
    const { effective } = (await done('prepare', { ...job(), graph })).reply;
    assert.deepEqual(effective, { 'batchnorm.running_variance': 'biased', 'adam.epsilon_form': 'outside' });
  });

  test('no weights are drawn that are loaded anyway', async () => {
    const fields = { hidden: 512, biases: 1, recurrent_activation: 'sigmoid' };
    const shapes = { weight_ih: [2048, 2], weight_hh: [2048, 512], bias_ih: [2048] };
    const parameters = Object.entries(shapes).map(([name, shape]) => parameter(`lstm.${name}`, shape));
    const graph = {
      ...IMAGES,
      inputs: [{ name: 'image', type: 'float', shape: [3, 2] }],
      nodes: [node('lstm', 'lstm', 'image', [3, 512], fields, parameters)],
    };
    const { settings, scratch } = job();
    const weights = join(harness.path, 'large.safetensors');
    writeSafetensors(weights, parameters.map(({ name, shape }) => [name, floats(shape, () => 0)]));
    assert.equal((await done('prepare', { graph, weights, settings, scratch })).reply.parameters, 2048 * 515);
    assert(!harness.log.includes('Orthogonal'), harness.log); // tfjs warns of minutes that it takes
  });

  test('threads that cannot be had are said', async () => {
    assert.deepEqual((await done('prepare', job(IMAGES, { threads: 3 }))).reply.effective, { threads: 1 });
  });

  function saved(name) {
    const path = join(harness.path, 'tokens.safetensors');
    writeSafetensors(path, Object.entries({
      'test.tokens': integers([2, 4], [1, 2, 3, 4, 9, 0, 0, 0]),
      'test.label': integers([2], [2, 2]),
    }));
    const { settings, scratch } = job();
    const data = { path, train_samples: 0, test_samples: 2 };
    return { graph: TOKENS, serialized: join(models, name), data, settings, scratch };
  }

  test('a SavedModel infers, from integers too', async () => {
    const { reply } = await done('prepare', saved('tokens'));
    assert.equal(reply.parameters, 30);
    const outputs = join(harness.path, 'outputs.safetensors');
    await done('infer', { outputs });
    const { data, shape } = readSafetensors(outputs).get('outputs');
    assert.deepEqual([...data, shape], [30, 34, 38, 27, 31, 35, [2, 3]]);
    const { reply: refused } = await harness.ask('train');
    assert.deepEqual([refused.type, refused.feature], ['unsupported', 'training of a serialized model']);
  });

  test('a folder of no model, or of another, is bad input', async () => {
    for (const [name, part] of [['none', 'saved_model.pb'], ['bare', 'parameters'], ['longer', '[11,3], not [10,3]']]) {
      const { reply } = await harness.ask('prepare', saved(name));
      assert.deepEqual([reply.type, reply.code], ['failed', 'bad_input'], JSON.stringify(reply));
      assert(reply.message.includes(part), reply.message);
    }
  });

  test('a probe without labels shows outputs and no loss', async () => {
    const members = job();
    await done('prepare', members);
    const batch = join(harness.path, 'batch.safetensors');
    writeSafetensors(batch, [['image', floats([2, 2, 5, 4], (_, index) => index / 80)]]);
    const wanted = ['conv.out', 'fc.out', 'conv.weight'];
    const { reply } = await done('probe', { mode: 'eval', step: 1, batch, wanted, directory: harness.path });
    assert.deepEqual([reply.loss, reply.missing], [undefined, []]);
    const tensors = readSafetensors(reply.tensors);
    assert.deepEqual(tensors.get('conv.out').shape, [2, 3, 3, 4]);
    assert.deepEqual(tensors.get('conv.weight'), readSafetensors(members.weights).get('conv.weight'));
  });
});
