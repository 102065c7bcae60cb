// TensorFlow, and what is the same wherever it is used.

import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';

import { Failed } from '../sdk/javascript/src/index.js';

// tfjs-node cannot set threads: TensorFlow takes them from the environment when it is loaded. All of them compute one
// operation, and one operation at a time.
process.env.TF_NUM_INTEROP_THREADS = '1';

/** How many compute an operation. */
export const threads = Number(process.env.TF_NUM_INTRAOP_THREADS ?? availableParallelism());

// `require`, because only it hears NODE_PATH.
const require = createRequire(import.meta.url);

/** @type {any} */
export const tf = require('@tensorflow/tfjs-node');

/**
 * @typedef {any} TfTensor - on the device
 *
 * A batch on the device, as `fitDataset` takes it: the inputs in the order of the graph; one target a sample, or both
 * ends of a span.
 * @typedef {{xs: TfTensor[], ys: TfTensor}} Batch
 */

/** TensorFlow's way to say that there is no memory left. */
export function typed(error) {
  return /\bOOM when allocating|TF_Status: 8\b/.test(error.message) ? new Failed('out_of_memory', error.message) : error;
}
