// The seam between the procedures, which all workers share, and a binding. A worker is a function `build(job)` that
// gives a Model; everything that differs between bindings stands in it. Here are types only.

/**
 * @typedef {import('./safetensors.js').Tensor} Tensor
 * @typedef {import('./data.js').Samples} Samples
 * @typedef {import('./data.js').Split} Split
 * @typedef {import('./order.js').Ids} Ids
 *
 * The framework's own file of a whole model.
 * @typedef {{path: string, format: string}} Serialized
 *
 * What a worker is prepared with: read and checked.
 * @typedef {object} Job
 * @property {import('./graph.js').Graph} graph
 * @property {Map<string, Tensor>} weights - canonical; empty when the model comes serialized
 * @property {Serialized | null} serialized
 * @property {import('./data.js').Data} data
 * @property {Ids[] | null} order - of each epoch
 * @property {import('./requests.js').Settings} settings
 * @property {string} scratch
 *
 * Where a probed step starts.
 * @typedef {object} State
 * @property {Map<string, Tensor>} parameters
 * @property {Map<string, Tensor>} moments - `<parameter>.state.m` and `.v`; those not there are zero
 * @property {number} step - its number, from 1
 *
 * @typedef {object} Probed
 * @property {Map<string, Tensor>} tensors - by their names in the protocol; more than the wanted ones may be there
 * @property {number} [loss]
 * @property {string[]} [fused]
 *
 * How a step is probed: whether it trains or only goes forward, and whether dropout draws.
 * @typedef {{train: boolean, dropout: boolean}} Mode
 *
 * @typedef {object} Queried
 * @property {Tensor} outputs
 * @property {Map<string, Tensor>} [gradients] - by the inputs that are not of integers, canonical
 *
 * What is to be written.
 * @typedef {object} Target
 * @property {string} path
 * @property {string} format - one of those that the manifest has
 * @property {'float32' | 'float16' | 'int8-weights' | 'int8'} precision
 * @property {boolean} training - whether it can be trained, too
 * @property {boolean} optimizer - whether its state goes in
 * @property {Samples | null} calibration - for int8
 */

/**
 * What is kept of a training step until the epoch's timer has stopped: on the device; the loss is the batch's mean.
 * @template T
 * @typedef {{outputs: T, loss: T}} Step
 */

/**
 * What a loop of the binding's own tells of a step: the means over the batch, before the update.
 * @typedef {{loss: number, accuracy: number}} Fitted
 */

/**
 * @template Batch
 * @typedef {(number: number, batch: Batch) => void | Promise<void>} Next
 */

/**
 * A model of a binding, prepared; `Batch` and `T`, a tensor, are as the binding has them. Timers run around batches,
 * forward, backward and predict: they do what a user of the binding would do there, and nothing else. Every method
 * may be asynchronous. One that only infers, from a file, has no reset, forward, backward, reached and export.
 * @template Batch, T
 * @typedef {object} Model
 * @property {number} [parameters] - how many numbers were built, running statistics included; none if it cannot say
 * @property {Record<string, any>} effective - every setting that is not as requested; the manifest has the conventions
 * @property {() => void} reset
 *   Parameters, statistics, optimizer state and random generators become as prepared.
 * @property {(split: Split, order: Ids[]) => Iterable<Batch> | AsyncIterable<Batch>} batches
 *   The loader: one batch for each element of the order, on the device when it is given. Made anew for each epoch;
 *   asking it for a batch is *load*.
 * @property {(batch: Batch) => Step<T>} forward - in training mode, with the loss
 * @property {() => void} backward - of the last forward: zeroes the gradients, goes backward, updates
 * @property {(batch: Batch, forwardIsDone: () => void) => Step<T>} [step]
 *   In place of forward and backward, where the binding goes both ways in one call; in the middle of it, it says so.
 * @property {(split: Split, order: Ids[], next: Next<Batch>) => Promise<Fitted[]>} [fit]
 *   In the variant `fit`, in place of all these: an epoch by the binding's own loop, which waits for `next` before it
 *   takes a batch.
 * @property {(batch: Batch) => T} predict - the final output in evaluation mode, on the device
 * @property {() => void} synchronize - waits until the device has done all that was asked of it
 * @property {(tensor: T) => Tensor} toHost
 * @property {(batch: Batch) => void} releaseBatch - it is not used any more; its memory would outlive the garbage
 * @property {(tensor: T) => void} release - likewise, for what forward and predict gave
 * @property {(batch: Batch) => Samples} reached - as it is on the device, back on the host, in canonical layout
 * @property {() => Map<string, Tensor>} export - all parameters and running statistics, canonical
 * @property {(state: State | null, batch: Samples, mode: Mode) => Probed} probe
 *   One step from that state, taken apart. Masks of dropout go on from one probe to the next. A serialized model is
 *   asked without a state and only forward.
 * @property {(batch: Samples, gradients: boolean) => Queried} [query]
 *   Outputs in evaluation mode and, if wanted, the gradients of the sum of the samples' losses. It changes nothing,
 *   draws nothing and leaves nothing behind. Not there, if the manifest does not claim it.
 * @property {(target: Target) => void} [serialize]
 *   Writes the model, whole or not at all. What it cannot is `Unsupported`: "precision int8 of format savedmodel".
 * @property {() => void} close - it is not used any more
 */

/**
 * @typedef {(job: Job) => Model<any, any> | Promise<Model<any, any>>} Build
 */

export {};
