// One step, taken apart: reads where it starts, writes what is wanted of it.

import { join } from 'node:path';

import { readBatch } from './data.js';
import { Unsupported, badInput, notFinite } from './errors.js';
import { readParameters } from './parameters.js';
import { writeSafetensors } from './safetensors.js';
import { equal } from './tensors.js';

/**
 * @param {import('./model.js').Job} job
 * @param {import('./model.js').Model<any, any>} model
 * @param {import('./requests.js').Probe} request
 */
export async function probe(job, model, request) {
  const { id, wanted } = request;
  const batch = readBatch(request.batch, job.graph);
  const isTraining = request.mode === 'train';
  if (isTraining && batch.targets.size === 0) {
    throw badInput(`${request.batch}: a training step needs ${job.graph.targets.join(' and ')}`);
  }
  const { tensors, loss, fused = [] } = await model.probe(startOf(job, request), batch, isTraining);
  if (loss !== undefined && !Number.isFinite(loss)) {
    throw notFinite(`the loss of the step is ${loss}`);
  }
  const path = join(request.directory, `${id}.safetensors`);
  const found = wanted.filter((name) => tensors.has(name));
  writeSafetensors(path, new Map(found.map((name) => [name, asFloats(tensors.get(name))])));
  const others = wanted.filter((name) => !tensors.has(name));
  return {
    tensors: path,
    loss,
    fused: others.filter((name) => fused.includes(name)),
    missing: others.filter((name) => !fused.includes(name)),
  };
}

/** @returns {import('./model.js').State | null} */
function startOf(job, request) {
  if (job.serialized !== null) {
    if (request.state !== null) {
      throw new Unsupported('parameters of a serialized model');
    }
    return null;
  }
  if (request.state === null) {
    return { parameters: job.weights, moments: new Map(), step: request.step };
  }
  return readState(job, request);
}

function readState(job, request) {
  const { parameters, others } = readParameters(request.state, job.graph);
  const moments = new Map();
  for (const [name, values] of others) {
    const [, parameter] = /^(.*)\.state\.[mv]$/s.exec(name) ?? [];
    if (!parameters.has(parameter)) {
      continue;
    }
    if (!(values.data instanceof Float32Array) || !equal(values.shape, parameters.get(parameter).shape)) {
      throw badInput(`${request.state}: '${name}' has not the type and shape of its parameter`);
    }
    moments.set(name, values);
  }
  return { parameters, moments, step: request.step };
}

function asFloats({ data, shape }) {
  return { data: data instanceof Float32Array ? data : Float32Array.from(data, Number), shape };
}
