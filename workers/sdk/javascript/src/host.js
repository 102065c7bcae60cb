// What the procedures need of where they run. A host is an object of these members: src/node is one, a web page can be
// another. Here are types only.

/**
 * The bytes of a file, which may be removed meanwhile.
 * @typedef {object} Bytes
 * @property {number} size
 * @property {(begin: number, end: number) => Uint8Array} read - a copy of its own
 * @property {() => void} close
 */

/**
 * @typedef {object} Host
 * @property {() => bigint} now - nanoseconds, of a clock that only goes forward
 * @property {() => Promise<void>} turn - lets the event loop turn once, so that lines that have come are taken
 * @property {(arrays: ArrayBufferView[]) => string | Promise<string>} sha256 - of all their bytes, in hex
 * @property {(path: string) => Bytes | Promise<Bytes>} open - `Failed` with the code `bad_input` when it cannot be read
 * @property {(path: string, pieces: ArrayBufferView[]) => void | Promise<void>} write
 *   The file appears whole or not at all, in place of what may be there.
 * @property {(line: string) => void} send - to crossbind; without its end
 * @property {(code: number, reason: string) => void} leave - ends the worker at once: nobody waits for the answer
 */

export {};
