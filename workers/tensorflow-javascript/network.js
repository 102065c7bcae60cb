// The graph as a model of tfjs, and its weights by the names of the graph.

import { Dropout } from './custom.js';
import { LAYERS } from './layers.js';
import { nativeShape, pieces } from './layouts.js';
import { tf } from './tensorflow.js';

/**
 * @typedef {import('./tensorflow.js').TfTensor} TfTensor
 * @typedef {import('../sdk/javascript/src/graph.js').Graph} Graph
 * @typedef {import('../sdk/javascript/src/graph.js').Parameter} Parameter
 * @typedef {import('../sdk/javascript/src/safetensors.js').Tensor} Tensor
 * @typedef {import('./layouts.js').Piece} Piece
 *
 * @typedef {any} Weight - of a layer; `read` gives its variable
 */

/** `model` takes the inputs in the order of the graph; `taps` is of the same layers and gives what each layer gave. */
export class Network {
  /** @type {{parameter: Parameter, piece: Piece, weight: Weight}[]} */
  #weights;
  #dropouts;

  /**
   * @param {Graph} graph
   * @param {number} seed - of dropout
   */
  constructor(graph, seed) {
    const inputs = graph.inputs.map(({ name, shape, entries }) =>
      tf.input({ name, shape: nativeShape(shape), dtype: entries === null ? 'float32' : 'int32' }),
    );
    const values = new Map(graph.inputs.map(({ name }, index) => [name, inputs[index]]));
    for (const node of graph.nodes) {
      const given = node.inputs.map((name) => values.get(name));
      values.set(node.name, LAYERS[node.type](node, given, `${seed} ${node.name}`));
    }
    this.model = tf.model({ inputs, outputs: values.get(graph.last.name) });
    this.taps = tf.model({ inputs, outputs: graph.nodes.map(({ name }) => values.get(name)) });
    this.#dropouts = this.taps.layers.filter((layer) => layer instanceof Dropout);
    const weights = new Map(this.taps.weights.map((weight) => [weight.originalName, weight]));
    this.#weights = graph.nodes.flatMap((node) =>
      pieces(node).map(([parameter, piece]) => ({
        parameter,
        piece,
        weight: weights.get(`${node.name}/${piece.weight}`),
      })),
    );
  }

  /** Those that are trained, and their parameters, in the order of the graph. */
  get trained() {
    return this.#weights.filter(({ parameter }) => parameter.trainable);
  }

  /** @param {Map<string, Tensor>} canonical */
  load(canonical) {
    for (const { parameter, piece, weight } of this.#weights) {
      tf.tidy(() => weight.write(toNative(piece, canonical.get(parameter.name))));
    }
  }

  /**
   * What belongs to the weights (values, gradients or moments): canonical, by the names of the graph.
   * @param {(weight: Weight) => TfTensor | undefined} [of]
   * @returns {Map<string, Tensor>}
   */
  export(of = (weight) => weight.read()) {
    const tensors = new Map();
    for (const { parameter, piece, weight } of this.#weights) {
      const native = of(weight);
      if (native) {
        const canonical = piece.toCanonical(native);
        tensors.set(parameter.name, { data: canonical.dataSync(), shape: parameter.shape });
        canonical.dispose();
      }
    }
    return tensors;
  }

  /** The masks of dropout begin anew. */
  reset() {
    this.#dropouts.forEach((layer) => layer.reset());
  }

  /** @param {boolean} isOn - whether it draws @param {() => T} work @returns {T} @template T */
  withDropout(isOn, work) {
    this.#dropouts.forEach((layer) => (layer.isOn = isOn));
    try {
      return work();
    } finally {
      this.#dropouts.forEach((layer) => (layer.isOn = true));
    }
  }

  close() {
    this.taps.weights.forEach((weight) => weight.dispose());
  }
}

/** @param {Piece} piece @param {Tensor} canonical */
export function toNative(piece, { data, shape }) {
  return tf.tidy(() => piece.toNative(tf.tensor(data, shape)));
}
