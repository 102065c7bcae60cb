// What can be seen of a TorchScript file without PyTorch: it is a zip archive with an entry for each tensor. torch-js
// shows nothing of a module's parameters, but a file of another model should not be taken for the graph's.

import { createRequire } from 'node:module';
import { promisify } from 'node:util';

import { Failed, product } from '../sdk/javascript/src/index.js';

const require = createRequire(import.meta.url);
const yauzl = require('yauzl');

/**
 * How many numbers the graph's parameters are, of which each must have a tensor of its size in the file. There may be
 * more: PyTorch's second bias of recurrent layers, the counters of batch norms.
 * @param {string} path
 * @param {{parameters: import('../sdk/javascript/src/graph.js').Parameter[]}} graph
 */
export async function countParameters(path, { parameters }) {
  const sizes = await tensorSizes(path);
  let count = 0;
  for (const { name, shape } of parameters) {
    const numbers = product(shape);
    const found = sizes.indexOf(Float32Array.BYTES_PER_ELEMENT * numbers);
    if (found < 0) {
      throw new Failed('bad_input', `${path}: the model has no tensor of the size of '${name}', [${shape}]`);
    }
    sizes.splice(found, 1);
    count += numbers;
  }
  return count;
}

/** In bytes. */
async function tensorSizes(path) {
  const archive = await promisify(yauzl.open)(path, {});
  const sizes = [];
  return new Promise((resolve, reject) => {
    archive.on('entry', ({ fileName, uncompressedSize }) => {
      if (/^[^/]+\/data\/\d+$/.test(fileName)) {
        sizes.push(uncompressedSize);
      }
    });
    archive.on('error', reject);
    archive.on('end', () => resolve(sizes));
  });
}
