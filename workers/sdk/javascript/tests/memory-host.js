// A host of plain objects in memory, as a web page could be one: files are there already, hashing is asynchronous.

import { webcrypto } from 'node:crypto';

import { Failed } from '../src/index.js';
import { SafetensorsFile, encode } from '../src/safetensors.js';

export const TICK = 1000; // nanoseconds between two looks at the clock

const bytesOf = ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength);
const joined = (pieces) => Uint8Array.from(pieces.flatMap((piece) => [...bytesOf(piece)]));

/** Its files and what was sent can be looked at, and how the worker left. */
export function memoryHost() {
  const host = {
    time: 0n,
    files: new Map(),
    openFiles: 0,
    messages: [],
    left: null,
    now: () => (host.time += BigInt(TICK)),
    turn: () => Promise.resolve(),
    sha256: async (arrays) => {
      const digest = await webcrypto.subtle.digest('SHA-256', joined(arrays));
      return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
    },
    open: (path) => {
      const bytes = host.files.get(path);
      if (!bytes) {
        return Promise.reject(new Failed('bad_input', `${path}: there is no such file`));
      }
      host.openFiles += 1;
      const read = (begin, end) => bytes.slice(begin, end);
      return Promise.resolve({ size: bytes.length, read, close: () => (host.openFiles -= 1) });
    },
    write: (path, pieces) => Promise.resolve(host.files.set(path, joined(pieces))),
    send: (line) => host.messages.push(JSON.parse(line)),
    leave: (code, reason) => (host.left = { code, reason }),
  };
  return host;
}

/** The path. */
export function putTensors(host, path, tensors) {
  host.files.set(path, joined(encode(Object.entries(tensors))));
  return path;
}

export async function getTensors(host, path) {
  return new SafetensorsFile(path, await host.open(path)).readAll();
}
