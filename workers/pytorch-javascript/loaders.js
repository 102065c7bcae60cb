// Batches on the device, by either loader. The worker only infers, which is in file order: the ids of a batch are
// consecutive.

import { inFileOrder, product } from '../sdk/javascript/src/index.js';
import { torch } from './torch.js';

/**
 * @typedef {import('./torch.js').Batch} Batch
 * @typedef {import('../sdk/javascript/src/data.js').Split} Split
 * @typedef {import('../sdk/javascript/src/order.js').Ids} Ids
 */

/** Arrays of JavaScript; a batch is a part of each, made a tensor. */
class IdiomaticLoader {
  #inputs;

  /** @param {Split} split */
  constructor(split) {
    this.#inputs = [...split.inputs.values()].map((rows) => rows.read());
  }

  /**
   * @param {Ids[]} order
   * @returns {Iterable<Batch>}
   */
  *batches(order) {
    for (const ids of order) {
      yield this.#inputs.map(({ data, shape: [, ...shape] }) => {
        const length = product(shape);
        const part = data.subarray(ids[0] * length, (ids[0] + ids.length) * length);
        return torch.tensor(part, { shape: [ids.length, ...shape] });
      });
    }
  }

  /** @param {Batch} batch */
  release(batch) {
    batch.forEach((tensor) => tensor.free());
  }

  close() {}
}

/** Tensors of all batches, made beforehand: torch-js cannot take a part of a tensor. */
class ResidentLoader {
  /** @type {Map<number, Batch>} by their first sample */
  #batches = new Map();

  /**
   * @param {Split} split
   * @param {number} batchSize
   */
  constructor(split, batchSize) {
    const inputs = [...split.inputs.values()];
    for (const [first] of inFileOrder(split, batchSize)) {
      const last = Math.min(first + batchSize, split.size);
      this.#batches.set(first, inputs.map((rows) => torch.Tensor.fromObject(rows.read(first, last))));
    }
  }

  /**
   * @param {Ids[]} order
   * @returns {Iterable<Batch>}
   */
  *batches(order) {
    for (const [first] of order) {
      yield this.#batches.get(first);
    }
  }

  release() {}

  close() {
    this.#batches.forEach((batch) => batch.forEach((tensor) => tensor.free()));
  }
}

export const LOADERS = { idiomatic: IdiomaticLoader, resident: ResidentLoader };
