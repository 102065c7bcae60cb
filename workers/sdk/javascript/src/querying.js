// A batch in, its outputs back, and what the loss says to each input: light, for many come one after another.

import { readBatch, requireTargets } from './data.js';
import { checkFinite } from './metrics.js';
import { writeTensors } from './safetensors.js';
import { asFloats } from './tensors.js';

/**
 * @param {import('./dispatcher.js').Context} context
 * @param {import('./requests.js').Query} request
 */
export async function query({ host, job, model }, request) {
  const batch = await readBatch(host, request.batch, job.graph);
  if (request.gradients) {
    requireTargets(batch, request.batch, job.graph, 'a gradient');
  }
  const { outputs, gradients = new Map() } = await model.query(batch, request.gradients);
  checkFinite(outputs.data);
  const answer = [['outputs', asFloats(outputs)]];
  for (const [input, gradient] of gradients) {
    answer.push([`${input}.grad`, asFloats(gradient)]);
  }
  await writeTensors(host, request.answer, answer);
  return {};
}
