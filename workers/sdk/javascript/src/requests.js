// What crossbind asks for, checked. Members that are not known here are ignored.

import { badRequest } from './errors.js';
import { parseGraph } from './graph.js';
import { has, integer, object, path, text, texts, truth, word } from './members.js';

/**
 * @typedef {object} Settings
 * @property {string} device
 * @property {'idiomatic' | 'resident'} loader
 * @property {'step' | 'fit' | 'savedmodel' | 'graph'} variant
 * @property {'total' | 'parts'} measure
 * @property {number} seed
 * @property {number} epochs
 * @property {number} batchSize
 * @property {'eval' | 'running'} trainingAccuracy
 * @property {'every_epoch' | 'last'} evaluate
 * @property {number} warmupSteps
 * @property {number} threads
 *
 * @typedef {{path: string, trainSamples: number, testSamples: number}} DataFile
 *
 * @typedef {object} Prepare
 * @property {'prepare'} type
 * @property {number} id
 * @property {import('./graph.js').Graph} graph
 * @property {string | null} weights - one of these two is there
 * @property {string | null} serialized
 * @property {string | null} format - of what is serialized; without it, the only one that the worker reads
 * @property {DataFile | null} data
 * @property {string | null} order
 * @property {Settings} settings
 * @property {string} scratch
 *
 * @typedef {{type: 'train', id: number, save: string | null, evidence: number}} Train
 * @typedef {{type: 'infer', id: number, outputs: string | null}} Infer
 *
 * @typedef {object} Probe
 * @property {'probe'} type
 * @property {number} id
 * @property {'train' | 'eval'} mode
 * @property {number} step
 * @property {boolean} dropout - whether it draws as in training; in mode train only
 * @property {string} batch
 * @property {string | null} state - without it, in mode eval only, the prepared parameters are meant
 * @property {string[]} wanted
 * @property {string} directory
 *
 * @typedef {{type: 'query', id: number, batch: string, gradients: boolean, answer: string}} Query
 *
 * @typedef {object} Serialize
 * @property {'serialize'} type
 * @property {number} id
 * @property {string} path
 * @property {string | null} format - without it, the only one that the worker writes
 * @property {'float32' | 'float16' | 'int8-weights' | 'int8'} precision
 * @property {boolean} training - whether what is written must be trainable
 * @property {boolean} optimizer - whether its state goes in
 * @property {string | null} calibration - samples for int8
 *
 * @typedef {Prepare | Train | Infer | Probe | Query | Serialize} Request
 */

const FORMATS = ['torchscript', 'savedmodel', 'onnx', 'tflite', 'tfjs', 'coreml', 'checkpoint'];
const PRECISIONS = ['float32', 'float16', 'int8-weights', 'int8'];

const optional = (members, key, read) => (has(members, key) ? read(members, key) : null);
const format = (members, key) => word(members, key, FORMATS);
const isSaid = (members, key) => has(members, key) && truth(members, key);

/** @returns {Settings} */
function parseSettings(members) {
  return {
    device: text(members, 'device'),
    loader: word(members, 'loader', ['idiomatic', 'resident']),
    variant: word(members, 'variant', ['step', 'fit', 'savedmodel', 'graph']),
    measure: word(members, 'measure', ['total', 'parts']),
    seed: integer(members, 'seed', 0, 2 ** 32 - 1),
    epochs: integer(members, 'epochs', 1),
    batchSize: integer(members, 'batch_size', 1),
    trainingAccuracy: word(members, 'training_accuracy', ['eval', 'running']),
    evaluate: word(members, 'evaluate', ['every_epoch', 'last']),
    warmupSteps: integer(members, 'warmup_steps'),
    threads: integer(members, 'threads', 1),
  };
}

/** @returns {DataFile} */
function parseData(members) {
  return {
    path: path(members, 'path'),
    trainSamples: integer(members, 'train_samples'),
    testSamples: integer(members, 'test_samples'),
  };
}

function parsePrepare(members) {
  if (has(members, 'weights') === has(members, 'serialized')) {
    throw badRequest("one of 'weights' and 'serialized' must be there, not both");
  }
  return {
    graph: parseGraph(object(members, 'graph')),
    weights: optional(members, 'weights', path),
    serialized: optional(members, 'serialized', path),
    format: optional(members, 'format', format),
    data: has(members, 'data') ? parseData(object(members, 'data')) : null,
    order: optional(members, 'order', path),
    settings: parseSettings(object(members, 'settings')),
    scratch: path(members, 'scratch'),
  };
}

function parseTrain(members) {
  return {
    save: optional(members, 'save', path),
    evidence: has(members, 'evidence') ? integer(members, 'evidence', -1) : 0,
  };
}

function parseInfer(members) {
  return { outputs: optional(members, 'outputs', path) };
}

function parseProbe(members) {
  const mode = word(members, 'mode', ['train', 'eval']);
  const dropout = isSaid(members, 'dropout');
  if (dropout && mode === 'eval') {
    throw badRequest("'dropout' is for mode 'train'");
  }
  return {
    mode,
    step: integer(members, 'step', 1),
    dropout,
    batch: path(members, 'batch'),
    state: mode === 'train' ? path(members, 'state') : optional(members, 'state', path),
    wanted: texts(members, 'wanted'),
    directory: path(members, 'directory'),
  };
}

function parseQuery(members) {
  return {
    batch: path(members, 'batch'),
    gradients: isSaid(members, 'gradients'),
    answer: path(members, 'answer'),
  };
}

function parseSerialize(members) {
  return {
    path: path(members, 'path'),
    format: optional(members, 'format', format),
    precision: has(members, 'precision') ? word(members, 'precision', PRECISIONS) : 'float32',
    training: isSaid(members, 'training'),
    optimizer: isSaid(members, 'optimizer'),
    calibration: optional(members, 'calibration', path),
  };
}

const PARSERS = new Map(
  Object.entries({
    prepare: parsePrepare,
    train: parseTrain,
    infer: parseInfer,
    probe: parseProbe,
    query: parseQuery,
    serialize: parseSerialize,
  }),
);

/** @returns {Request} */
export function parseRequest(members) {
  const id = integer(members, 'id');
  const type = text(members, 'type');
  const parse = PARSERS.get(type);
  if (!parse) {
    throw badRequest(`there is no request '${type}'`);
  }
  return { type, id, ...parse(members) };
}
