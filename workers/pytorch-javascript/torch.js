// torch-js, and what is the same wherever it is used.

import { createRequire } from 'node:module';

import { Failed } from '../sdk/javascript/src/index.js';

// `require`, because only it hears NODE_PATH.
const require = createRequire(import.meta.url);

/** @type {any} */
export const torch = require('@arition/torch-js');
export const { version } = require('@arition/torch-js/package.json');

/**
 * @typedef {any} TorchTensor
 *
 * A batch on the device: the inputs, in the order of the graph.
 * @typedef {TorchTensor[]} Batch
 */

/** What PyTorch says, without the stack of C++ behind it. */
export const reason = (error) => error.message.split('\nException raised from')[0];

/** PyTorch's way to say that there is no memory left. */
export function typed(error) {
  return error.message.includes("can't allocate memory") ? new Failed('out_of_memory', reason(error)) : error;
}
