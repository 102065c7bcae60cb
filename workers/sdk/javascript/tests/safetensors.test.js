import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';

import { Failed } from '../src/errors.js';
import { openFile, readSafetensors, writeSafetensors } from '../src/node/files.js';
import { DTYPES, SafetensorsFile } from '../src/safetensors.js';
import { product } from '../src/tensors.js';

const folder = mkdtempSync(join(tmpdir(), 'crossbind-'));
const path = join(folder, 'file.safetensors');

beforeEach(() => rmSync(path, { force: true }));
after(() => rmSync(folder, { recursive: true }));

const entry = (dtype, shape, begin, end) => ({ dtype, shape, data_offsets: [begin, end] });

function write(header, data = '', length = undefined) {
  const text = Buffer.from(typeof header === 'string' || Buffer.isBuffer(header) ? header : JSON.stringify(header));
  const start = Buffer.alloc(8);
  start.writeBigUInt64LE(BigInt(length ?? text.length));
  writeFileSync(path, Buffer.concat([start, text, Buffer.from(data)]));
}

function assertRefused(message) {
  assert.throws(
    () => readSafetensors(path),
    (error) => {
      assert(error instanceof Failed);
      assert.equal(error.code, 'bad_input');
      assert(error.message.startsWith(path));
      assert.match(error.message, message);
      return true;
    },
  );
}

test('gives back every type and shape', () => {
  const tensors = new Map();
  for (const [dtype, type] of DTYPES) {
    for (const shape of [[], [0], [3], [2, 0, 3], [2, 3, 4]]) {
      const data = new type(product(shape)).fill(dtype.endsWith('64') && dtype !== 'F64' ? 7n : 7);
      tensors.set(`${dtype} ${shape}`, { data, shape });
    }
  }
  writeSafetensors(path, tensors);
  const read = readSafetensors(path);
  assert.equal(read.size, tensors.size);
  for (const [name, tensor] of tensors) {
    assert.deepEqual(read.get(name), tensor, name);
  }
});

test('reads some rows of a tensor, of a part of an array too', () => {
  const data = Float32Array.from({ length: 14 }, (_, index) => index).subarray(2);
  writeSafetensors(path, [['other', { data: Int8Array.of(1), shape: [1] }], ['t', { data, shape: [4, 3] }]]);
  const file = new SafetensorsFile(path, openFile(path));
  rmSync(path);
  assert.deepEqual(file.readRows('t', 1, 3), { data: Float32Array.of(5, 6, 7, 8, 9, 10), shape: [2, 3] });
  assert.deepEqual(file.read('t').data, Float32Array.from(data));
  file.close();
});

test('a file without tensors is empty', () => {
  writeSafetensors(path, []);
  assert.deepEqual(readSafetensors(path), new Map());
});

test('metadata are not tensors', () => {
  write({ __metadata__: { name: 'x', other: '"t": {' }, t: entry('U8', [2], 0, 2) }, 'ab');
  assert.deepEqual([...readSafetensors(path).keys()], ['t']);
});

test('a failed write leaves what was there', () => {
  writeSafetensors(path, [['t', { data: Float64Array.of(1), shape: [1] }]]);
  const strange = { data: new DataView(new ArrayBuffer(1)), shape: [1] };
  assert.throws(() => writeSafetensors(path, [['t', strange]]), TypeError);
  assert.deepEqual([...readSafetensors(path).keys()], ['t']);
  assert.equal(readdirSync(folder).length, 1);
});

test('refuses a file that is not there', () => assertRefused(/no such file/));

test('refuses files that are too short', () => {
  for (const content of ['', '1234567']) {
    writeFileSync(path, content);
    assertRefused(/too short/);
  }
});

test('refuses headers longer than the file', () => {
  for (const length of [3n, 2n ** 32n, 2n ** 64n - 1n]) {
    write('{}', '', length);
    assertRefused(/claims/);
  }
});

test('refuses headers that are not objects', () => {
  for (const header of ['[]', '1', 'null', '{', Buffer.from([0xff, 0xfe]), `{"a": ${'['.repeat(100_000)}`]) {
    write(header);
    assertRefused(/./);
  }
});

test('refuses a name that is there twice', () => {
  const tensor = JSON.stringify(entry('U8', [1], 0, 1));
  write(`{"t": ${tensor}, "t" : ${tensor}}`, 'a');
  assertRefused(/twice/);
  write(`{"t": ${tensor}, "\\u0074": ${tensor}}`, 'a');
  assertRefused(/twice/);
});

test('refuses entries that make no sense', () => {
  for (const broken of [
    7,
    { dtype: 'U8', shape: [4] },
    { ...entry('U8', [4], 0, 4), more: 1 },
    entry('Q7', [4], 0, 4),
    entry(8, [4], 0, 4),
    entry('U8', [-4], 0, 4),
    entry('U8', [4.5], 0, 4),
    entry('U8', [true, 4], 0, 4),
    entry('U8', 4, 0, 4),
    entry('U8', [4], 4, 0),
    entry('U8', [5], 0, 5),
    entry('F32', [2], 0, 4),
    entry('U8', [2 ** 40, 2 ** 40], 0, 4),
    entry('U8', Array(65).fill(1), 0, 1),
  ]) {
    write({ t: broken }, 'abcd');
    assertRefused(/tensor 't'/);
  }
});

test('refuses gaps, overlaps and rests', () => {
  for (const [first, second] of [[[0, 2], [3, 4]], [[0, 3], [2, 4]], [[0, 2], [2, 3]], [[1, 2], [2, 4]]]) {
    const [a, b] = [first, second].map(([begin, end]) => entry('U8', [end - begin], begin, end));
    write({ a, b }, 'abcd');
    assertRefused(/overlap or leave/);
  }
});
