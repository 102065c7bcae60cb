// Files by Node, and the tensors in them for whoever has no host.

import { closeSync, fstatSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { badInput } from '../errors.js';
import { SafetensorsFile, encode } from '../safetensors.js';

/** @typedef {import('../safetensors.js').Tensor} Tensor */

const LONGEST_READ = 2 ** 26; // fs takes less than 2 GiB at once

/** The bytes of a file that is open. */
class FileBytes {
  #path;
  #descriptor;

  /** @param {string} path */
  constructor(path) {
    this.#path = path;
    try {
      this.#descriptor = openSync(path);
    } catch (error) {
      throw badInput(`${path}: ${error.message}`, { cause: error });
    }
    this.size = fstatSync(this.#descriptor).size;
  }

  read(begin, end) {
    const bytes = new Uint8Array(end - begin);
    for (let done = 0; done < bytes.length; ) {
      const length = Math.min(LONGEST_READ, bytes.length - done);
      const count = readSync(this.#descriptor, bytes, done, length, begin + done);
      if (count === 0) {
        throw badInput(`${this.#path}: the file ends too early`);
      }
      done += count;
    }
    return bytes;
  }

  close() {
    closeSync(this.#descriptor);
  }
}

/**
 * @param {string} path
 * @returns {import('../host.js').Bytes}
 */
export const openFile = (path) => new FileBytes(path);

/**
 * The file appears whole or not at all.
 * @param {string} path
 * @param {ArrayBufferView[]} pieces
 */
export function writeFile(path, pieces) {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}`);
  try {
    const descriptor = openSync(temporary, 'w');
    try {
      pieces.forEach((piece) => writeAll(descriptor, piece));
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function writeAll(descriptor, piece) {
  const bytes = new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength);
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(descriptor, bytes, done, Math.min(LONGEST_READ, bytes.length - done));
  }
}

/**
 * All tensors of a file.
 * @param {string} path
 * @returns {Map<string, Tensor>}
 */
export const readSafetensors = (path) => new SafetensorsFile(path, openFile(path)).readAll();

/**
 * @param {string} path
 * @param {Iterable<[string, Tensor]>} tensors
 */
export const writeSafetensors = (path, tensors) => writeFile(path, encode(tensors));
