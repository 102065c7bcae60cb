// The worker as crossbind runs it: what is this binding's own. What all must do is tested elsewhere.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { readSafetensors, writeSafetensors } from '../../sdk/javascript/src/node/files.js';
import { Harness, floats, integers, writeJob } from '../../sdk/javascript/src/node/testing.js';
import { environment, here, python, skip } from './context.js';
import { ADAM, IMAGES, TOKENS, decay, node, parameter } from './graphs.js';

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

  async function inferred() {
    const path = join(harness.path, 'outputs.safetensors');
    await done('infer', { outputs: path });
    return readSafetensors(path).get('outputs');
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

  test('the loss of the test set is that of the outputs which the trained model gives', async () => {
    for (const variant of ['step', 'fit']) {
      const { told } = await trained(IMAGES, { variant, batch_size: 4 });
      const { data } = await inferred();
      const labels = readSafetensors(join(harness.path, 'data.safetensors')).get('test.label').data;
      const losses = Array.from(labels, (label, sample) => {
        const row = data.subarray(3 * sample, 3 * sample + 3);
        return Math.log(row.reduce((sum, value) => sum + Math.exp(value), 0)) - row[Number(label)];
      });
      const expected = losses.reduce((sum, loss) => sum + loss) / losses.length;
      assert(Math.abs(told.at(-1).test_loss - expected) < 1e-12); // sums in double precision
    }
  });

  /** The file of a batch: its path. */
  function batchOf(tensors) {
    const path = join(harness.path, 'batch.safetensors');
    writeSafetensors(path, Object.entries(tensors));
    return path;
  }

  const twoImages = () => floats([2, 2, 5, 4], (_, index) => Math.sin(index));

  test('a probe with dropout draws a mask of its own, and all that it shows is of that pass', async () => {
    const members = job();
    const batch = batchOf({ image: twoImages(), label: integers([2], [0, 2]) });
    const layers = ['relu.out', 'dropout.out', 'flatten.out', 'fc.out'];
    const wanted = [...layers, 'fc.weight.grad', 'fc.weight', 'fc.weight.state.m'];
    const probe = async (dropout) => {
      const state = members.weights;
      const asked = { mode: 'train', step: 1, batch, state, wanted, directory: harness.path };
      return readSafetensors((await done('probe', { ...asked, dropout })).reply.tensors);
    };
    await done('prepare', members);
    const [first, off, second] = [await probe(true), await probe(false), await probe(true)];
    for (const tensors of [first, second]) {
      checkMask(tensors);
      checkStep(tensors, readSafetensors(members.weights).get('fc.weight').data);
    }
    assert.notDeepEqual(first.get('dropout.out'), second.get('dropout.out'));
    assert.deepEqual(first.get('relu.out'), second.get('relu.out'));
    assert.deepEqual(off.get('dropout.out'), off.get('relu.out'));
    await done('prepare', members);
    assert.deepEqual([await probe(true), await probe(true)], [first, second]);
    await done('prepare', { ...members, settings: { ...members.settings, seed: 2 } });
    assert.notDeepEqual((await probe(true)).get('dropout.out'), first.get('dropout.out'));
  });

  /** Some outputs are 0, the others are scaled by what is kept. */
  function checkMask(tensors) {
    const [given, left] = ['relu.out', 'dropout.out'].map((name) => tensors.get(name).data);
    const positive = [...given.keys()].filter((index) => given[index] > 0);
    const kept = positive.filter((index) => left[index] !== 0);
    assert(kept.length > 0 && kept.length < positive.length);
    for (const index of kept) {
      const scaled = given[index] / 0.7;
      assert(Math.abs(left[index] - scaled) <= 4e-7 * scaled, `${left[index]} is not ${scaled}`); // a few ulp
    }
  }

  /** The gradient of the last layer is that of the features which dropout left; its update is by that. */
  function checkStep(tensors, weight) {
    const of = (name) => tensors.get(name).data;
    const gradient = new Float64Array(3 * 36);
    [0, 2].forEach((label, sample) => {
      const powers = Array.from(of('fc.out').subarray(3 * sample, 3 * sample + 3), Math.exp);
      const sum = powers.reduce((a, b) => a + b);
      gradient.forEach((_, index) => {
        const [row, column] = [Math.floor(index / 36), index % 36];
        gradient[index] += ((powers[row] / sum - Number(row === label)) * of('flatten.out')[36 * sample + column]) / 2;
      });
    });
    gradient.forEach((value, index) => {
      const near = (found, expected) => assert(Math.abs(found - expected) < 1e-6, `${found} is not ${expected}`);
      near(of('fc.weight.grad')[index], value);
      const moment = value + 0.01 * weight[index]; // decay is coupled
      near(of('fc.weight.state.m')[index], moment);
      near(of('fc.weight')[index], weight[index] - 0.1 * moment);
    });
  }

  test('a query is answered by what was trained, with gradients in the shape of the images', async () => {
    const { saved: parameters } = await trained();
    const answer = join(harness.path, 'answer.safetensors');
    const batch = batchOf({ image: twoImages(), label: integers([2], [0, 2]) });
    await done('query', { batch, answer });
    const { outputs } = Object.fromEntries(readSafetensors(answer));
    await done('query', { batch, answer, gradients: true });
    const both = readSafetensors(answer);
    assert.deepEqual(both.get('outputs'), outputs);
    assert.deepEqual(both.get('image.grad').shape, [2, 2, 5, 4]);
    const wanted = ['fc.out', 'fc.weight'];
    const state = join(harness.path, 'trained.safetensors');
    const { reply } = await done('probe', { mode: 'eval', step: 1, batch, state, wanted, directory: harness.path });
    const probed = readSafetensors(reply.tensors);
    assert.deepEqual([probed.get('fc.out'), probed.get('fc.weight')], [outputs, parameters.get('fc.weight')]);
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
    const { data, shape } = await inferred();
    assert.deepEqual([...data, shape], [30, 34, 38, 27, 31, 35, [2, 3]]);
    const { reply: refused } = await harness.ask('train');
    assert.deepEqual([refused.type, refused.feature], ['unsupported', 'training of a serialized model']);
  });

  async function assertUnsupported(type, members, feature) {
    const { reply } = await harness.ask(type, members);
    assert.deepEqual([reply.type, reply.feature], ['unsupported', feature], JSON.stringify(reply));
  }

  test('a SavedModel answers queries, but has no gradients', async () => {
    await done('prepare', { ...saved('tokens'), format: 'savedmodel' });
    const answer = join(harness.path, 'answer.safetensors');
    const batch = batchOf({ tokens: integers([1, 4], [1, 2, 3, 4]), label: integers([1], [0]) });
    await done('query', { batch, answer });
    assert.deepEqual(readSafetensors(answer).get('outputs'), { data: Float32Array.of(30, 34, 38), shape: [1, 3] });
    await assertUnsupported('query', { batch, answer, gradients: true }, 'gradients of a serialized model');
    await assertUnsupported('prepare', { ...saved('tokens'), format: 'onnx' }, 'format onnx');
  });

  test('it writes no format', async () => {
    await done('prepare', job());
    const path = join(harness.path, 'model');
    await assertUnsupported('serialize', { path, format: 'tfjs' }, 'format tfjs');
    await assertUnsupported('serialize', { path }, 'serialization');
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
