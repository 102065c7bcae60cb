// The samples that a worker is prepared with, checked against the graph. Integers are int64 in files and Int32Array
// here: frameworks have no other way to take them from JavaScript.

import { badInput, badRequest } from './errors.js';
import { openTensors } from './safetensors.js';
import { equal, toIntegers } from './tensors.js';

/**
 * @typedef {import('./safetensors.js').Tensor} Tensor
 * @typedef {import('./graph.js').Graph} Graph
 * @typedef {import('./graph.js').Input} Input
 * @typedef {import('./order.js').Ids} Ids
 *
 * Inputs and targets of a batch on the host, by name, in the order of the graph. Inputs are float32, or int32 for
 * integers, batch first; targets are label, or start and end, and none where there are none.
 * @typedef {{inputs: Map<string, Tensor>, targets: Map<string, Int32Array>}} Samples
 *
 * @typedef {{train: Split | null, test: Split | null, close: () => void}} Data
 */

const ROWS_AT_ONCE = 4096;

/** One input of a split, read from the file when it is asked for: whoever does not train needs no training samples. */
export class Rows {
  #file;
  #tensor;
  #input;

  /**
   * @param {import('./safetensors.js').SafetensorsFile} file
   * @param {string} tensor
   * @param {Input} input
   * @param {number} size
   */
  constructor(file, tensor, input, size) {
    this.#file = file;
    this.#tensor = tensor;
    this.#input = input;
    this.size = size;
    checkInput(file, tensor, input);
    if (input.entries !== null) {
      for (let first = 0; first < size; first += ROWS_AT_ONCE) {
        this.read(first, Math.min(first + ROWS_AT_ONCE, size));
      }
    }
  }

  /**
   * The samples from `first` to before `last`.
   * @returns {Tensor}
   */
  read(first = 0, last = this.size) {
    const rows = this.#file.readRows(this.#tensor, first, last);
    return asInput(rows, this.#input, this.#tensor, this.#file.path);
  }
}

export class Split {
  /**
   * @param {string} name
   * @param {number} size
   * @param {Map<string, Rows>} inputs
   * @param {Map<string, Int32Array>} targets
   */
  constructor(name, size, inputs, targets) {
    this.name = name;
    this.size = size;
    this.inputs = inputs;
    this.targets = targets;
  }

  /**
   * @param {Ids} ids
   * @returns {Map<string, Int32Array>}
   */
  labels(ids) {
    return new Map([...this.targets].map(([name, values]) => [name, ids.map((id) => values[id])]));
  }
}

function checkInput(file, tensor, input) {
  const { dtype, shape } = file.entry(tensor);
  if (shape.length === 0 || !equal(shape.slice(1), input.shape)) {
    throw badInput(`${file.path}: tensor '${tensor}' is [${shape}], not samples of [${input.shape}]`);
  }
  const expected = input.entries === null ? 'F32' : 'I64';
  if (dtype !== expected) {
    throw badInput(`${file.path}: tensor '${tensor}' is ${dtype}, not ${expected}`);
  }
}

function asInput({ data, shape }, input, tensor, path) {
  return { data: input.entries === null ? data : toIntegers(data, input.entries, tensor, path), shape };
}

function readTarget(file, tensor, classes, size) {
  const { dtype, shape } = file.entry(tensor);
  if (shape.length !== 1 || dtype !== 'I64') {
    throw badInput(`${file.path}: tensor '${tensor}' is not one int64 number a sample`);
  }
  return toIntegers(file.readRows(tensor, 0, size ?? shape[0]).data, classes, tensor, file.path);
}

function openSplit(file, graph, name, size) {
  if (size === 0) {
    return null;
  }
  const named = (names, open) =>
    new Map(
      names.map((key) => {
        const tensor = `${name}.${key}`;
        const [samples = 0] = file.entry(tensor).shape;
        if (samples < size) {
          throw badInput(`${file.path}: tensor '${tensor}' has fewer than ${size} samples`);
        }
        return [key, open(tensor, key)];
      }),
    );
  const inputs = new Map(graph.inputs.map((input) => [input.name, input]));
  return new Split(
    name,
    size,
    named([...inputs.keys()], (tensor, key) => new Rows(file, tensor, inputs.get(key), size)),
    named(graph.targets, (tensor) => readTarget(file, tensor, graph.classes, size)),
  );
}

/**
 * @param {import('./host.js').Host} host
 * @param {import('./requests.js').DataFile} request
 * @param {Graph} graph
 * @returns {Promise<Data>}
 */
export async function openData(host, { path, trainSamples, testSamples }, graph) {
  const file = await openTensors(host, path);
  try {
    return {
      train: openSplit(file, graph, 'train', trainSamples),
      test: openSplit(file, graph, 'test', testSamples),
      close: () => file.close(),
    };
  } catch (error) {
    file.close();
    throw error;
  }
}

/**
 * The batch of a probe or a query; it may have no targets.
 * @param {import('./host.js').Host} host
 * @param {string} path
 * @param {Graph} graph
 * @returns {Promise<Samples>}
 */
export async function readBatch(host, path, graph) {
  const file = await openTensors(host, path);
  try {
    const inputs = new Map();
    for (const input of graph.inputs) {
      checkInput(file, input.name, input);
      inputs.set(input.name, asInput(file.read(input.name), input, input.name, path));
    }
    const present = graph.targets.filter((target) => file.has(target));
    const targets = new Map(present.map((target) => [target, readTarget(file, target, graph.classes)]));
    const sizes = new Set([...inputs.values()].map(({ shape }) => shape[0]));
    targets.forEach((values) => sizes.add(values.length));
    if (sizes.size !== 1 || sizes.has(0) || ![0, graph.targets.length].includes(targets.size)) {
      throw badInput(`${path}: inputs and targets are not of one number of samples`);
    }
    return { inputs, targets };
  } finally {
    file.close();
  }
}

/**
 * Targets must be there.
 * @param {Samples} batch
 * @param {string} path - of its file, for the message
 * @param {Graph} graph
 * @param {string} purpose
 */
export function requireTargets({ targets }, path, graph, purpose) {
  if (targets.size === 0) {
    throw badInput(`${path}: ${purpose} needs ${graph.targets.join(' and ')}`);
  }
}

/**
 * @param {Split | null} split
 * @returns {Split}
 */
export function requireSplit(split, name) {
  if (!split) {
    throw badRequest(`the worker was prepared without ${name} samples`);
  }
  return split;
}
