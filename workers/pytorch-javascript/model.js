// A model that came as a TorchScript file, as the procedures of the SDK want it.

import { availableParallelism } from 'node:os';
import { setImmediate } from 'node:timers/promises';

import { Failed, equal } from '../sdk/javascript/src/index.js';
import { countParameters } from './archive.js';
import { LOADERS } from './loaders.js';
import { reason, torch, typed } from './torch.js';

/**
 * @typedef {import('./torch.js').TorchTensor} TorchTensor
 * @typedef {import('./torch.js').Batch} Batch
 * @typedef {import('../sdk/javascript/src/model.js').Job} Job
 */

class SerializedModel {
  #job;
  #module;
  #loader;

  /**
   * @param {Job} job
   * @param {number} parameters
   */
  constructor(job, module, parameters) {
    this.#job = job;
    this.#module = module;
    this.parameters = parameters;
    this.effective = departures(job.settings);
    const { test } = job.data;
    this.#loader = test && new LOADERS[job.settings.loader](test, job.settings.batchSize);
  }

  batches(_split, order) {
    return this.#loader.batches(order);
  }

  /**
   * Whoever calls must refer to the batch until the end: torch-js frees a tensor that has become garbage, also while it
   * computes with it.
   * @param {Batch} batch
   */
  async predict(batch) {
    const output = await this.#forward(batch);
    if (!(output instanceof torch.Tensor)) {
      throw new Failed('bad_input', `${this.#job.serialized.path}: the model gives more or less than one tensor`);
    }
    return output;
  }

  synchronize() {}

  /** @param {TorchTensor} tensor */
  toHost(tensor) {
    const { data, shape } = tensor.toObject();
    const { serialized: { path }, graph } = this.#job;
    if (!equal(shape.slice(1), graph.last.output)) {
      throw new Failed('bad_input', `${path}: outputs are [${shape}], not samples of [${graph.last.output}]`);
    }
    return { data, shape };
  }

  /** @param {Batch} batch */
  releaseBatch(batch) {
    this.#loader.release(batch);
  }

  /** @param {TorchTensor} tensor */
  release(tensor) {
    tensor.free();
  }

  async probe(_state, samples) {
    return { tensors: new Map([[`${this.#job.graph.last.name}.out`, await this.#outputs(samples)]]) };
  }

  /** Without gradients: torch-js has none. */
  async query(samples) {
    return { outputs: await this.#outputs(samples) };
  }

  close() {
    this.#loader?.close();
  }

  /** @param {import('../sdk/javascript/src/data.js').Samples} samples */
  async #outputs({ inputs }) {
    const tensors = [...inputs.values()].map((tensor) => torch.Tensor.fromObject(tensor));
    try {
      const output = await this.predict([...tensors]);
      tensors.push(output);
      return this.toHost(output);
    } finally {
      tensors.forEach((tensor) => tensor.free());
    }
  }

  async #forward(batch) {
    try {
      return await this.#module.forward(...batch);
    } catch (error) {
      throw typed(error);
    }
  }
}

function load(path) {
  try {
    return new torch.ScriptModule(path);
  } catch (error) {
    throw new Failed('bad_input', `${path}: ${reason(error)}`, { cause: error });
  }
}

/** torch-js cannot set the number of threads; PyTorch takes it from the environment when it starts. */
function departures(settings) {
  const threads = Number(process.env.OMP_NUM_THREADS ?? availableParallelism());
  return threads === settings.threads ? {} : { threads };
}

/** @param {Job} job */
export async function build(job) {
  globalThis.gc?.(); // a module can be freed by no one else, and the one before may be as large as this one
  await setImmediate();
  const { path } = job.serialized;
  const module = load(path);
  return new SerializedModel(job, module, await countParameters(path, job.graph));
}
