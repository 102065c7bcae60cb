// What is said about outputs, the same for every binding: computed on the host, outside of every timer.

import { createHash } from 'node:crypto';

import { notFinite } from './errors.js';
import { product } from './tensors.js';

/**
 * Samples whose largest output (the lowest index among equals) is the label; with one output, output > 0 means 1; with
 * spans, both ends.
 * @param {import('./safetensors.js').Tensor} outputs
 * @param {Map<string, Int32Array>} targets
 */
export function countCorrect({ data, shape: [samples, ...shape] }, targets) {
  if (!data.every(Number.isFinite)) {
    throw notFinite('an output is not finite');
  }
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

/**
 * The evidence of a batch: canonical, little-endian, float32 or int64.
 * @param {import('./data.js').Samples} reached
 */
export function hashes({ inputs, targets }) {
  return {
    inputs_sha256: sha256([...inputs.values()].map(({ data }) => data)),
    labels_sha256: sha256(targets.values()),
  };
}

function sha256(arrays) {
  const hash = createHash('sha256');
  for (const array of arrays) {
    const isFloat = array instanceof Float32Array || array instanceof Float64Array;
    hash.update(isFloat ? Float32Array.from(array) : BigInt64Array.from(array, BigInt));
  }
  return hash.digest('hex');
}
