// Layers that tfjs lacks, or has in another form.

import { tf } from './tensorflow.js';

/** @typedef {import('./tensorflow.js').TfTensor} TfTensor */

/** The class is not exported. */
const Embedding = tf.layers.embedding({ inputDim: 1, outputDim: 1 }).constructor;

const first = (inputs) => (Array.isArray(inputs) ? inputs[0] : inputs);

/** Without weights: a function of its inputs. The output's shape is that of one sample. */
export class Lambda extends tf.layers.Layer {
  static className = 'Lambda';
  #compute;
  #shape;

  /**
   * @param {(...inputs: TfTensor[]) => TfTensor} compute
   * @param {number[]} shape
   */
  constructor(compute, shape) {
    super({});
    this.#compute = compute;
    this.#shape = shape;
  }

  computeOutputShape() {
    return [null, ...this.#shape];
  }

  call(inputs) {
    return tf.tidy(() => this.#compute(...[inputs].flat()));
  }
}

/** That of tfjs draws either the same mask in every step or another one in every run. */
export class Dropout extends tf.layers.Layer {
  static className = 'SeededDropout';
  #rate;
  #seed;
  #steps = 0;

  /** Whether training has it. */
  isOn = true;

  constructor(rate, seed) {
    super({});
    this.#rate = rate;
    this.#seed = seed;
  }

  /** The masks begin anew. */
  reset() {
    this.#steps = 0;
  }

  computeOutputShape(shape) {
    return shape;
  }

  call(inputs, { training }) {
    const x = first(inputs);
    if (!training || !this.isOn) {
      return x.clone();
    }
    this.#steps += 1;
    return tf.dropout(x, this.#rate, null, `${this.#seed} ${this.#steps}`);
  }
}

/** Looks up where a token stands instead of what it is. */
export class PositionEmbedding extends Embedding {
  static className = 'PositionEmbedding';

  call(inputs) {
    return tf.tidy(() => {
      const [samples, length] = first(inputs).shape;
      return tf.tile(super.call(tf.range(0, length, 1, 'int32').expandDims(0)), [samples, 1, 1]);
    });
  }
}

const withoutGradient = tf.customGrad((x) => ({ value: x.clone(), gradFunc: (dy) => tf.zerosLike(dy) }));

/** With one row that is not trained; `maskZero` is another thing. */
export class PaddedEmbedding extends Embedding {
  static className = 'PaddedEmbedding';
  #padding;

  constructor({ paddingIndex, ...settings }) {
    super(settings);
    this.#padding = paddingIndex;
  }

  call(inputs) {
    return tf.tidy(() => {
      const rows = super.call(inputs);
      const isPadding = tf.equal(first(inputs), this.#padding).expandDims(-1);
      return tf.where(isPadding, withoutGradient(rows), rows);
    });
  }
}
