// One step, taken apart: reads where it starts, writes what is wanted of it.

import { readBatch, requireTargets } from './data.js';
import { Unsupported, badInput, notFinite } from './errors.js';
import { readParameters } from './parameters.js';
import { writeTensors } from './safetensors.js';
import { asFloats, equal } from './tensors.js';

/**
 * @param {import('./dispatcher.js').Context} context
 * @param {import('./requests.js').Probe} request
 */
export async function probe({ host, job, model }, request) {
  const { id, wanted, dropout } = request;
  const batch = await readBatch(host, request.batch, job.graph);
  const isTraining = request.mode === 'train';
  if (isTraining) {
    requireTargets(batch, request.batch, job.graph, 'a training step');
  }
  const start = await startOf(host, job, request);
  const { tensors, loss, fused = [] } = await model.probe(start, batch, { train: isTraining, dropout });
  if (loss !== undefined && !Number.isFinite(loss)) {
    throw notFinite(`the loss of the step is ${loss}`);
  }
  const path = `${request.directory}/${id}.safetensors`;
  const found = wanted.filter((name) => tensors.has(name));
  await writeTensors(host, path, new Map(found.map((name) => [name, asFloats(tensors.get(name))])));
  const others = wanted.filter((name) => !tensors.has(name));
  return {
    tensors: path,
    loss,
    fused: others.filter((name) => fused.includes(name)),
    missing: others.filter((name) => !fused.includes(name)),
  };
}

/** @returns {import('./model.js').State | null | Promise<import('./model.js').State>} */
function startOf(host, job, request) {
  if (job.serialized !== null) {
    if (request.state !== null) {
      throw new Unsupported('parameters of a serialized model');
    }
    return null;
  }
  if (request.state === null) {
    return { parameters: job.weights, moments: new Map(), step: request.step };
  }
  return readState(host, job, request);
}

async function readState(host, job, request) {
  const { parameters, others } = await readParameters(host, request.state, job.graph);
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
