// What is said about outputs, the same for every binding: computed on the host, outside of every timer.

import { notFinite } from './errors.js';
import { product } from './tensors.js';

/**
 * Samples whose largest output (the lowest index among equals) is the label; with one output, output > 0 means 1; with
 * spans, both ends.
 * @param {import('./safetensors.js').Tensor} outputs
 * @param {Map<string, Int32Array>} targets
 */
export function countCorrect({ data, shape: [samples, ...shape] }, targets) {
  checkFinite(data);
  const length = product(shape);
  const guesses = targets.has('label')
    ? { label: (row) => (length > 1 ? largest(row) : Number(row[0] > 0)) }
    : { start: (row) => largest(row, 0, 2), end: (row) => largest(row, 1, 2) };
  let correct = 0;
  for (let sample = 0; sample < samples; sample += 1) {
    const row = data.subarray(sample * length, (sample + 1) * length);
    if (Object.entries(guesses).every(([target, guess]) => guess(row) === targets.get(target)[sample])) {
      correct += 1;
    }
  }
  return correct;
}

/** @param {import('./safetensors-header.js').TypedArray} outputs */
export function checkFinite(outputs) {
  if (!outputs.every(Number.isFinite)) {
    throw notFinite('an output is not finite');
  }
}

/** Which of every `step` values from `first` on is the largest. */
function largest(row, first = 0, step = 1) {
  let best = first;
  for (let index = first + step; index < row.length; index += step) {
    if (row[index] > row[best]) {
      best = index;
    }
  }
  return (best - first) / step;
}

const LOSSES = {
  cross_entropy: (row, target) => crossEntropy(row, target('label')),
  binary_cross_entropy: ([x], target) => Math.max(x, 0) - x * target('label') + Math.log1p(Math.exp(-Math.abs(x))),
  span_cross_entropy: (row, target) =>
    (crossEntropy(row, target('start'), 0, 2) + crossEntropy(row, target('end'), 1, 2)) / 2,
};

/**
 * The sum of the samples' losses, in double precision; docs/layers.md says what they are. The outputs are finite.
 * @param {string} loss - its type
 * @param {import('./safetensors.js').Tensor} outputs
 * @param {Map<string, Int32Array>} targets
 */
export function sumOfLosses(loss, { data, shape: [samples, ...shape] }, targets) {
  const length = product(shape);
  let sum = 0;
  for (let sample = 0; sample < samples; sample += 1) {
    const row = data.subarray(sample * length, (sample + 1) * length);
    sum += LOSSES[loss](row, (target) => targets.get(target)[sample]);
  }
  return sum;
}

/** Of every `step` logits from `first` on. */
function crossEntropy(row, label, first = 0, step = 1) {
  const most = row[first + step * largest(row, first, step)];
  let sum = 0;
  for (let index = first; index < row.length; index += step) {
    sum += Math.exp(row[index] - most);
  }
  return Math.log(sum) + (most - row[first + step * label]);
}

/**
 * The evidence of a batch: canonical, little-endian, float32 or int64.
 * @param {import('./host.js').Host} host
 * @param {import('./data.js').Samples} reached
 */
export async function hashes(host, { inputs, targets }) {
  return {
    inputs_sha256: await host.sha256([...inputs.values()].map(({ data }) => asInFiles(data))),
    labels_sha256: await host.sha256([...targets.values()].map(asInFiles)),
  };
}

function asInFiles(data) {
  const isFloat = data instanceof Float32Array || data instanceof Float64Array;
  return isFloat ? Float32Array.from(data) : BigInt64Array.from(data, BigInt);
}
