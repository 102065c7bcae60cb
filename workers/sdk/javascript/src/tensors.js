// Tensors on the host: their shapes, some of their rows, and integers.

import { badInput } from './errors.js';

/** @typedef {import('./safetensors.js').Tensor} Tensor */

export const product = (shape) => shape.reduce((result, length) => result * length, 1);

/** Whether two shapes, or other lists, are the same. */
export const equal = (one, other) =>
  one.length === other.length && one.every((item, index) => item === other[index]);

/**
 * Some samples of a tensor, copied.
 * @param {Tensor} tensor
 * @param {Int32Array} ids
 * @returns {Tensor}
 */
export function takeRows({ data, shape: [, ...shape] }, ids) {
  const length = product(shape);
  const rows = new data.constructor(ids.length * length);
  ids.forEach((id, row) => rows.set(data.subarray(id * length, (id + 1) * length), row * length));
  return { data: rows, shape: [ids.length, ...shape] };
}

/**
 * As files have it.
 * @param {Tensor} tensor
 * @returns {Tensor}
 */
export function asFloats({ data, shape }) {
  return { data: data instanceof Float32Array ? data : Float32Array.from(data, Number), shape };
}

/**
 * From int64 to int32: the halves of each number, the low one first, spare a BigInt a number.
 * @param {BigInt64Array} values
 * @param {number} end - they must be below it
 * @param {string} tensor - its name, and
 * @param {string} path - its file, for the message
 */
export function toIntegers(values, end, tensor, path) {
  const halves = new Int32Array(values.buffer, values.byteOffset, 2 * values.length);
  const integers = new Int32Array(values.length);
  for (let index = 0; index < integers.length; index += 1) {
    const low = halves[2 * index];
    if (halves[2 * index + 1] !== 0 || low < 0 || low >= end) {
      const most = Math.min(end, 2 ** 31) - 1;
      throw badInput(`${path}: tensor '${tensor}' has values outside of 0 to ${most}`);
    }
    integers[index] = low;
  }
  return integers;
}
