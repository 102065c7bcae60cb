// One linear layer, in plain JavaScript, as the model of a binding. The graph's id makes it misbehave.

import { writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

import { Failed, Hello, Unsupported, takeRows } from '../src/index.js';
import { countCorrect } from '../src/metrics.js';

const RATE = 0.1;

export class LinearModel {
  #job;
  #weight; // [classes, features]
  #gradient;
  #draws = 0; // of dropout
  #alive = new Set(); // what was given and not released

  constructor(job) {
    if (job.graph.id === 'raises') {
      throw new TypeError('the binding broke');
    }
    if (job.graph.id === 'hungry') {
      new Float32Array(2 ** 52);
    }
    this.#job = job;
    this.parameters = 15;
    this.effective = job.graph.id === 'infinite' ? { rate: Infinity } : { threads: 3 };
    this.#load(job.weights);
    if (job.graph.id === 'whole') {
      this.step = (batch, forwardIsDone) => this.#step(batch, forwardIsDone);
    }
  }

  reset() {
    this.#load(this.#job.weights);
  }

  *batches(split, order) {
    const x = split.inputs.get('x').read();
    for (const ids of this.#job.graph.id === 'lazy' ? order.slice(1) : order) {
      yield this.#give({ inputs: new Map([['x', takeRows(x, ids)]]), targets: split.labels(ids) });
    }
  }

  async forward(batch) {
    if (this.#job.graph.id === 'slow') {
      await setTimeout(10);
    }
    const { data: x, shape: [samples, features] } = batch.inputs.get('x');
    const outputs = this.predict(batch);
    const gradient = new Float64Array(outputs.shape[1] * features);
    let loss = 0;
    slopes(outputs, batch.targets).forEach((slope, sample) => {
      loss -= Math.log(1 + slope[batch.targets.get('label')[sample]]) / samples;
      gradient.forEach((_, index) => {
        const [row, column] = [Math.floor(index / features), index % features];
        gradient[index] += (slope[row] * x[sample * features + column]) / samples;
      });
    });
    this.#gradient = gradient;
    return { outputs, loss: this.#give({ data: Float32Array.of(loss), shape: [] }) };
  }

  backward() {
    this.#gradient.forEach((value, index) => (this.#weight.data[index] -= RATE * value));
  }

  async fit(split, order, next) {
    const steps = [];
    for (const batch of this.batches(split, order)) {
      try {
        await next(steps.length, batch);
        const { outputs, loss } = await this.#step(batch, () => {});
        const correct = countCorrect(outputs, batch.targets);
        steps.push({ loss: loss.data[0], accuracy: Math.fround(correct / outputs.shape[0]) });
        this.#release(outputs);
        this.#release(loss);
      } finally {
        this.#release(batch);
      }
    }
    return steps;
  }

  async #step(batch, forwardIsDone) {
    const step = await this.forward(batch);
    forwardIsDone();
    this.backward();
    return step;
  }

  predict(batch) {
    return this.#give(this.#multiply(batch));
  }

  #multiply(batch) {
    const { data: x, shape: [samples, features] } = batch.inputs.get('x');
    const { data: weight, shape: [classes] } = this.#weight;
    const data = Float32Array.from({ length: samples * classes }, (_, index) => {
      const [sample, row] = [Math.floor(index / classes), index % classes];
      let sum = 0;
      for (let column = 0; column < features; column += 1) {
        sum += x[sample * features + column] * weight[row * features + column];
      }
      return sum;
    });
    return { data, shape: [samples, classes] };
  }

  synchronize() {}

  toHost(tensor) {
    return tensor;
  }

  reached(batch) {
    return batch;
  }

  releaseBatch(batch) {
    this.#release(batch);
  }

  release(tensor) {
    this.#release(tensor);
  }

  export() {
    if (this.#alive.size > 0) {
      throw new Error(`${this.#alive.size} things were not released`);
    }
    return new Map([['fc.weight', this.#weight]]);
  }

  probe(state, batch, { train, dropout }) {
    if (train && !state.moments.has('fc.weight.state.m')) {
      throw new Failed('bad_input', 'no moment');
    }
    this.#load(state.parameters);
    const outputs = this.#multiply(batch);
    const data = Float64Array.from(outputs.data);
    if (dropout) {
      this.#drop(data, outputs.shape[1]);
    }
    return {
      tensors: new Map([['fc.out', { data, shape: outputs.shape }]]),
      loss: batch.targets.size > 0 ? meanLoss(outputs, batch.targets) : undefined,
      fused: ['hidden.out'],
    };
  }

  query(batch, gradients) {
    const outputs = this.#multiply(batch);
    if (!gradients) {
      return { outputs };
    }
    const { data: weight, shape: [, features] } = this.#weight;
    const rows = slopes(outputs, batch.targets).map((slope) =>
      Array.from({ length: features }, (_, column) =>
        slope.reduce((sum, value, row) => sum + value * weight[row * features + column], 0),
      ),
    );
    const gradient = { data: Float64Array.from(rows.flat()), shape: batch.inputs.get('x').shape };
    return { outputs, gradients: new Map([['x', gradient]]) };
  }

  serialize({ calibration, ...target }) {
    if (target.optimizer) {
      throw new Unsupported(`optimizer state in format ${target.format}`);
    }
    const samples = calibration?.inputs.get('x').shape[0];
    writeFileSync(target.path, JSON.stringify({ ...target, samples }));
  }

  close() {
    console.log('closed');
  }

  /** One class after the other, a step each. */
  #drop(outputs, classes) {
    const dropped = this.#draws % classes;
    this.#draws += 1;
    outputs.forEach((value, index) => {
      outputs[index] = index % classes === dropped ? 0 : (value * classes) / (classes - 1);
    });
  }

  #load(weights) {
    const { data, shape } = weights.get('fc.weight');
    this.#weight = { data: data.slice(), shape };
  }

  #give(thing) {
    this.#alive.add(thing);
    return thing;
  }

  #release(thing) {
    if (!this.#alive.delete(thing)) {
      throw new Error('released what was not given, or twice');
    }
  }
}

/** How the sum of the losses changes with each output, a row a sample. */
function slopes({ data, shape: [samples, classes] }, targets) {
  return Array.from({ length: samples }, (_, sample) => {
    const slope = softmax(data.subarray(sample * classes, (sample + 1) * classes));
    slope[targets.get('label')[sample]] -= 1;
    return slope;
  });
}

function meanLoss(outputs, targets) {
  const likely = slopes(outputs, targets).map((slope, sample) => 1 + slope[targets.get('label')[sample]]);
  return -likely.reduce((sum, value) => sum + Math.log(value), 0) / likely.length;
}

function softmax(row) {
  const powers = Array.from(row, Math.exp);
  const sum = powers.reduce((a, b) => a + b);
  return powers.map((power) => power / sum);
}

export const HELLO = new Hello(
  'fake/javascript',
  { worker: '1' },
  {
    tasks: ['train', 'infer-parameters'], devices: ['cpu'], loaders: ['resident'], variants: ['step', 'fit'],
    measures: ['total', 'parts'], training_accuracies: ['eval', 'running'], layers: ['linear'],
    losses: ['cross_entropy'], optimizers: ['sgd'], lacks: ['sgd.momentum', 'linear.bias=true'],
    conventions: { 'linear.sum': 'pairwise', 'sgd.form': 'plain' },
    probe: 'gradients', queries: 'gradients', saves: true, writes: ['torchscript'],
  },
);
