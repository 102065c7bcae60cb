// The whole model as a file of its framework.

import { readBatch } from './data.js';
import { Unsupported } from './errors.js';

/**
 * @param {import('./dispatcher.js').Context} context
 * @param {import('./requests.js').Serialize} request - with its format
 */
export async function serialize({ host, job, model }, request) {
  const { path, format, precision, training, optimizer } = request;
  if (!model.serialize) {
    throw new Unsupported('serialization');
  }
  const calibration =
    request.calibration === null ? null : await readBatch(host, request.calibration, job.graph);
  await model.serialize({ path, format, precision, training, optimizer, calibration });
  return {};
}
