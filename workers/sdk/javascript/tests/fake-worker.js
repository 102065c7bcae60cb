// A worker with one linear layer, in plain JavaScript. The graph's id makes it misbehave.

import { setTimeout } from 'node:timers/promises';

import { Failed, Hello, serve, takeRows } from '../src/index.js';
import { countCorrect } from '../src/metrics.js';

const RATE = 0.1;

class LinearModel {
  #job;
  #weight; // [classes, features]
  #gradient;
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
    const classes = outputs.shape[1];
    const gradient = new Float64Array(classes * features);
    let loss = 0;
    for (let sample = 0; sample < samples; sample += 1) {
      const label = batch.targets.get('label')[sample];
      const likely = softmax(outputs.data.subarray(sample * classes, (sample + 1) * classes));
      loss -= Math.log(likely[label]) / samples;
      likely[label] -= 1;
      gradient.forEach((_, index) => {
        const [row, column] = [Math.floor(index / features), index % features];
        gradient[index] += (likely[row] * x[sample * features + column]) / samples;
      });
    }
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
    return this.#give({ data, shape: [samples, classes] });
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

  async probe(state, batch, isTraining) {
    if (isTraining && !state.moments.has('fc.weight.state.m')) {
      throw new Failed('bad_input', 'no moment');
    }
    this.#load(state.parameters);
    const { data, shape } = this.predict(batch);
    const { loss } = batch.targets.size > 0 ? await this.forward(batch) : {};
    return {
      tensors: new Map([['fc.out', { data: Float64Array.from(data), shape }]]),
      loss: loss?.data[0],
      fused: ['hidden.out'],
    };
  }

  close() {
    console.log('closed');
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

function softmax(row) {
  const powers = Array.from(row, Math.exp);
  const sum = powers.reduce((a, b) => a + b);
  return powers.map((power) => power / sum);
}

const hello = new Hello(
  'fake/javascript',
  { worker: '1' },
  {
    tasks: ['train', 'infer-parameters'], devices: ['cpu'], loaders: ['resident'], variants: ['step', 'fit'],
    measures: ['total', 'parts'], training_accuracies: ['eval', 'running'], layers: ['linear'],
    losses: ['cross_entropy'], optimizers: ['sgd'], lacks: ['sgd.momentum', 'linear.bias=true'],
    conventions: { 'linear.sum': 'pairwise', 'sgd.form': 'plain' },
    probe: 'gradients', saves: true,
  },
);

console.log('frameworks print things');
process.exit(await serve((job) => new LinearModel(job), hello));
