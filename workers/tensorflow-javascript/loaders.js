// Batches in TensorFlow's layout, by either loader.

import { takeRows } from '../sdk/javascript/src/index.js';
import { canonicalValues, imagesToNative } from './layouts.js';
import { tf } from './tensorflow.js';

/**
 * @typedef {import('./tensorflow.js').Batch} Batch
 * @typedef {import('./tensorflow.js').TfTensor} TfTensor
 * @typedef {import('../sdk/javascript/src/data.js').Samples} Samples
 * @typedef {import('../sdk/javascript/src/data.js').Split} Split
 * @typedef {import('../sdk/javascript/src/graph.js').Graph} Graph
 * @typedef {import('../sdk/javascript/src/order.js').Ids} Ids
 * @typedef {import('../sdk/javascript/src/safetensors.js').Tensor} Tensor
 */

/** @param {Tensor} tensor */
const toDevice = ({ data, shape }) => tf.tensor(data, shape);

/** @param {TfTensor} tensor @returns {Tensor} */
const toHost = (tensor) => ({ data: tensor.dataSync(), shape: tensor.shape });

/** @param {Tensor} canonical */
const nativeInput = (canonical) => tf.tidy(() => imagesToNative(toDevice(canonical)));

/** One number a sample, or both ends of a span: [samples] or [samples, 2]. */
function joined(targets) {
  return tf.tidy(() => {
    const columns = [...targets.values()].map((values) => tf.tensor1d(values, 'int32'));
    return columns.length === 1 ? columns[0] : tf.stack(columns, 1);
  });
}

/**
 * Without targets there are no `ys`.
 * @param {Samples} samples
 * @returns {Batch}
 */
export function whole({ inputs, targets }) {
  return { xs: [...inputs.values()].map(nativeInput), ys: targets.size > 0 ? joined(targets) : null };
}

/**
 * The batch as crossbind has it.
 * @param {Batch} batch
 * @param {Graph} graph
 * @returns {Samples}
 */
export function toSamples({ xs, ys }, { inputs, targets }) {
  return tf.tidy(() => {
    const columns = targets.length === 1 ? [ys] : tf.unstack(ys, 1);
    return {
      inputs: new Map(inputs.map(({ name }, index) => [name, canonicalValues(xs[index])])),
      targets: new Map(targets.map((name, index) => [name, columns[index].dataSync()])),
    };
  });
}

export const releaseBatch = ({ xs, ys }) => tf.dispose([xs, ys]);

/** Arrays of JavaScript; a batch is copied out of them and made tensors of. */
class IdiomaticLoader {
  #inputs;
  #targets;

  /** @param {Split} split */
  constructor(split) {
    const { xs, ys } = whole(read(split));
    this.#inputs = xs.map(toHost);
    this.#targets = toHost(ys);
    releaseBatch({ xs, ys });
  }

  /** For `fitDataset`. @param {Ids[]} order */
  *generate(order) {
    for (const ids of order) {
      yield {
        xs: this.#inputs.map((tensor) => toDevice(takeRows(tensor, ids))),
        ys: toDevice(takeRows(this.#targets, ids)),
      };
    }
  }

  /** @param {Ids[]} order */
  async *batches(order) {
    const iterator = await tf.data.generator(() => this.generate(order)).iterator();
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
      yield next.value;
    }
  }

  close() {}
}

/** Whole tensors; a batch is some of their rows. */
class ResidentLoader {
  #xs;
  #ys;

  /** @param {Split} split */
  constructor(split) {
    const { xs, ys } = whole(read(split));
    this.#xs = xs;
    this.#ys = ys;
  }

  /** @param {Ids[]} order */
  *generate(order) {
    for (const ids of order) {
      yield tf.tidy(() => {
        const rows = tf.tensor1d(ids, 'int32');
        return { xs: this.#xs.map((tensor) => tf.gather(tensor, rows)), ys: tf.gather(this.#ys, rows) };
      });
    }
  }

  /** @param {Ids[]} order */
  batches(order) {
    return this.generate(order);
  }

  close() {
    tf.dispose([this.#xs, this.#ys]);
  }
}

/** @param {Split} split @returns {Samples} */
function read({ inputs, targets }) {
  return { inputs: new Map([...inputs].map(([name, rows]) => [name, rows.read()])), targets };
}

export const LOADERS = { idiomatic: IdiomaticLoader, resident: ResidentLoader };
