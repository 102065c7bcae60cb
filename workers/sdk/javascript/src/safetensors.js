// The safetensors format: 8 bytes little-endian header length, a JSON header that gives each tensor's type, shape and
// byte range, then the data. Reading accepts exactly what the format allows, of the types that JavaScript has. Typed
// arrays are taken for the bytes of the file, as they are wherever Node runs on little-endian machines.

import { closeSync, fstatSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { badInput } from './errors.js';
import { parseHeader } from './safetensors-header.js';

/**
 * A tensor on the host, row-major.
 * @typedef {{data: import('./safetensors-header.js').TypedArray, shape: number[]}} Tensor
 */

const LONGEST_HEADER = 100_000_000;
const LONGEST_READ = 2 ** 26; // fs takes less than 2 GiB at once

export const DTYPES = new Map([
  ['F64', Float64Array],
  ['F32', Float32Array],
  ['I64', BigInt64Array],
  ['I32', Int32Array],
  ['I16', Int16Array],
  ['I8', Int8Array],
  ['U64', BigUint64Array],
  ['U32', Uint32Array],
  ['U16', Uint16Array],
  ['U8', Uint8Array],
  ['BOOL', Uint8ClampedArray], // a type of its own, so that it is written as it was read
]);

/** A file whose tensors are read when they are asked for, whole or some of their rows. It may be removed meanwhile. */
export class SafetensorsFile {
  #descriptor;
  #entries;
  #begin; // of the data

  /** @param {string} path */
  constructor(path) {
    this.path = path;
    try {
      this.#descriptor = openSync(path);
    } catch (error) {
      throw badInput(`${path}: ${error.message}`, { cause: error });
    }
    try {
      this.#readHeader();
    } catch (error) {
      this.close();
      throw badInput(`${path}: ${error.message}`, { cause: error });
    }
  }

  get names() {
    return [...this.#entries.keys()];
  }

  has(name) {
    return this.#entries.has(name);
  }

  /** Type and shape of a tensor, which must be there. */
  entry(name) {
    const entry = this.#entries.get(name);
    if (!entry) {
      throw badInput(`${this.path}: there is no tensor '${name}'`);
    }
    return entry;
  }

  /**
   * @param {string} name
   * @returns {Tensor}
   */
  read(name) {
    const { dtype, shape, begin, end } = this.entry(name);
    return { data: this.#readData(dtype, begin, end), shape };
  }

  /**
   * The rows from `first` to before `last`.
   * @returns {Tensor}
   */
  readRows(name, first, last) {
    const { dtype, shape, begin, end } = this.entry(name);
    const bytes = (end - begin) / shape[0];
    return {
      data: this.#readData(dtype, begin + first * bytes, begin + last * bytes),
      shape: [last - first, ...shape.slice(1)],
    };
  }

  close() {
    closeSync(this.#descriptor);
  }

  #readHeader() {
    const { size } = fstatSync(this.#descriptor);
    if (size < 8) {
      throw new Error(`too short for a safetensors file (${size} bytes)`);
    }
    const length = new DataView(this.#readBytes(0, 8).buffer).getBigUint64(0, true);
    if (length > Math.min(LONGEST_HEADER, size - 8)) {
      throw new Error(`the header claims ${length} bytes`);
    }
    this.#begin = 8 + Number(length);
    this.#entries = parseHeader(this.#readBytes(8, this.#begin), size - this.#begin, DTYPES);
  }

  #readData(dtype, begin, end) {
    const bytes = this.#readBytes(this.#begin + begin, this.#begin + end);
    return new (DTYPES.get(dtype))(bytes.buffer);
  }

  #readBytes(begin, end) {
    const bytes = new Uint8Array(end - begin);
    for (let done = 0; done < bytes.length; ) {
      const length = Math.min(LONGEST_READ, bytes.length - done);
      const count = readSync(this.#descriptor, bytes, done, length, begin + done);
      if (count === 0) {
        throw badInput(`${this.path}: the file ends too early`);
      }
      done += count;
    }
    return bytes;
  }
}

/**
 * All tensors of a file.
 * @param {string} path
 * @returns {Map<string, Tensor>}
 */
export function readSafetensors(path) {
  const file = new SafetensorsFile(path);
  try {
    return new Map(file.names.map((name) => [name, file.read(name)]));
  } finally {
    file.close();
  }
}

/**
 * The file appears whole or not at all.
 * @param {string} path
 * @param {Iterable<[string, Tensor]>} tensors
 */
export function writeSafetensors(path, tensors) {
  const ordered = [...tensors].sort(largestItemsFirst); // stays aligned
  const header = {};
  let offset = 0;
  for (const [name, { data, shape }] of ordered) {
    const end = offset + data.byteLength;
    header[name] = { dtype: dtypeOf(data), shape, data_offsets: [offset, end] };
    offset = end;
  }
  const text = Buffer.from(JSON.stringify(header));
  const start = Buffer.alloc(8 + text.length + (-text.length & 7), ' ');
  start.writeBigUInt64LE(BigInt(start.length - 8));
  text.copy(start, 8);
  writeWhole(path, [start, ...ordered.map(([, { data }]) => data)]);
}

function largestItemsFirst([a, { data: first }], [b, { data: second }]) {
  return second.BYTES_PER_ELEMENT - first.BYTES_PER_ELEMENT || (a < b ? -1 : 1);
}

function dtypeOf(data) {
  for (const [dtype, type] of DTYPES) {
    if (data instanceof type) {
      return dtype;
    }
  }
  throw new TypeError(`safetensors files have no type for ${data.constructor.name}`);
}

function writeWhole(path, pieces) {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}`);
  try {
    const descriptor = openSync(temporary, 'w');
    try {
      pieces.forEach((piece) => writeAll(descriptor, piece));
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function writeAll(descriptor, piece) {
  const bytes = new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength);
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(descriptor, bytes, done, Math.min(LONGEST_READ, bytes.length - done));
  }
}
