// The order of samples, and its batches.

import { badInput } from './errors.js';
import { openTensors } from './safetensors.js';
import { equal, toIntegers } from './tensors.js';

/**
 * Of samples.
 * @typedef {Int32Array} Ids
 */

/**
 * The sample ids of each epoch.
 * @returns {Promise<Ids[]>}
 */
export async function readOrder(host, path, epochs, samples) {
  const file = await openTensors(host, path);
  try {
    const { dtype, shape } = file.entry('order');
    if (dtype !== 'I64' || !equal(shape, [epochs, samples])) {
      throw badInput(`${path}: 'order' is ${dtype} [${shape}], not I64 [${[epochs, samples]}]`);
    }
    const ids = toIntegers(file.read('order').data, samples, 'order', path);
    return cut(ids, samples);
  } finally {
    file.close();
  }
}

/**
 * An epoch's batches: consecutive pieces, the last one may be shorter.
 * @param {Ids} ids
 * @returns {Ids[]}
 */
export function cut(ids, batchSize) {
  const pieces = Math.ceil(ids.length / batchSize);
  return Array.from({ length: pieces }, (_, piece) => ids.subarray(piece * batchSize, (piece + 1) * batchSize));
}

/**
 * @param {import('./data.js').Split} split
 * @returns {Ids[]}
 */
export function inFileOrder(split, batchSize) {
  return cut(Int32Array.from({ length: split.size }, (_, id) => id), batchSize);
}

/**
 * @param {number} count - of the batches that a loader gave
 * @param {Ids[]} batches - those that it should give
 */
export function checkCount(count, batches) {
  if (count !== batches.length) {
    throw new Error(`the loader gave ${count} batches, not ${batches.length}`);
  }
}
