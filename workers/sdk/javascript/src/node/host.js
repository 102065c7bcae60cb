// Node as the procedures' host.

import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';

import { openFile, writeFile } from './files.js';

/** @param {ArrayBufferView[]} arrays */
export function sha256(arrays) {
  const hash = createHash('sha256');
  arrays.forEach((array) => hash.update(array));
  return hash.digest('hex');
}

/** @param {number} code @param {string} reason */
export function leave(code, reason) {
  console.error(`worker: ${reason}`);
  process.exit(code);
}

/**
 * @param {(line: string) => void} send
 * @returns {import('../host.js').Host}
 */
export const nodeHost = (send) => ({
  now: process.hrtime.bigint,
  turn: () => setImmediate(),
  sha256,
  open: openFile,
  write: writeFile,
  send,
  leave,
});
