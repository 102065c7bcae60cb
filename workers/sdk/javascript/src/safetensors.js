// The safetensors format: 8 bytes little-endian header length, a JSON header that gives each tensor's type, shape and
// byte range, then the data. Reading accepts exactly what the format allows, of the types that JavaScript has. Typed
// arrays are taken for the bytes of the file, as they are on little-endian machines.

import { badInput } from './errors.js';
import { parseHeader } from './safetensors-header.js';

/**
 * A tensor on the host, row-major.
 * @typedef {{data: import('./safetensors-header.js').TypedArray, shape: number[]}} Tensor
 */

const LONGEST_HEADER = 100_000_000;
const SPACE = 0x20;

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

/** A file whose tensors are read when they are asked for, whole or some of their rows. */
export class SafetensorsFile {
  #bytes;
  #entries;
  #begin; // of the data

  /**
   * @param {string} path - for messages
   * @param {import('./host.js').Bytes} bytes
   */
  constructor(path, bytes) {
    this.path = path;
    this.#bytes = bytes;
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

  /** All tensors, and nothing after them. */
  readAll() {
    try {
      return new Map(this.names.map((name) => [name, this.read(name)]));
    } finally {
      this.close();
    }
  }

  close() {
    this.#bytes.close();
  }

  #readHeader() {
    const { size } = this.#bytes;
    if (size < 8) {
      throw new Error(`too short for a safetensors file (${size} bytes)`);
    }
    const length = new DataView(this.#bytes.read(0, 8).buffer).getBigUint64(0, true);
    if (length > Math.min(LONGEST_HEADER, size - 8)) {
      throw new Error(`the header claims ${length} bytes`);
    }
    this.#begin = 8 + Number(length);
    this.#entries = parseHeader(this.#bytes.read(8, this.#begin), size - this.#begin, DTYPES);
  }

  #readData(dtype, begin, end) {
    const bytes = this.#bytes.read(this.#begin + begin, this.#begin + end);
    return new (DTYPES.get(dtype))(bytes.buffer);
  }
}

/**
 * @param {import('./host.js').Host} host
 * @param {string} path
 */
export async function openTensors(host, path) {
  return new SafetensorsFile(path, await host.open(path));
}

/**
 * @param {import('./host.js').Host} host
 * @param {string} path
 * @returns {Promise<Map<string, Tensor>>}
 */
export async function readTensors(host, path) {
  return (await openTensors(host, path)).readAll();
}

/**
 * @param {import('./host.js').Host} host
 * @param {string} path
 * @param {Iterable<[string, Tensor]>} tensors
 */
export async function writeTensors(host, path, tensors) {
  await host.write(path, encode(tensors));
}

/**
 * The bytes of a file, piece by piece.
 * @param {Iterable<[string, Tensor]>} tensors
 * @returns {ArrayBufferView[]}
 */
export function encode(tensors) {
  const ordered = [...tensors].sort(largestItemsFirst); // stays aligned
  const header = {};
  let offset = 0;
  for (const [name, { data, shape }] of ordered) {
    const end = offset + data.byteLength;
    header[name] = { dtype: dtypeOf(data), shape, data_offsets: [offset, end] };
    offset = end;
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const start = new Uint8Array(8 + text.length + (-text.length & 7)).fill(SPACE);
  new DataView(start.buffer).setBigUint64(0, BigInt(start.length - 8), true);
  start.set(text, 8);
  return [start, ...ordered.map(([, { data }]) => data)];
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
