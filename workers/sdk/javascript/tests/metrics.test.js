import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';

import { countCorrect, hashes } from '../src/metrics.js';
import { cut } from '../src/order.js';
import { toIntegers } from '../src/tensors.js';

const outputs = (shape, ...values) => ({ data: Float32Array.from(values), shape });
const label = (...values) => new Map([['label', Int32Array.from(values)]]);

test('the lowest index wins among equals', () => {
  assert.equal(countCorrect(outputs([3, 2], 1, 1, 0, 2, 0, 0), label(0, 1, 1)), 2);
});

test('one output above zero means one', () => {
  assert.equal(countCorrect(outputs([4, 1], 0.1, 0, -1, 2), label(1, 0, 1, 0)), 2);
});

test('of spans both ends must be right', () => {
  const twice = [0, 0, 1, 0, 0, 1]; // starts at 1, ends at 2
  const targets = new Map([['start', Int32Array.of(1, 1)], ['end', Int32Array.of(2, 1)]]);
  assert.equal(countCorrect(outputs([2, 3, 2], ...twice, ...twice), targets), 1);
});

test('outputs that are not finite are a failure', () => {
  assert.throws(() => countCorrect(outputs([1, 2], NaN, 1), label(1)), { code: 'not_finite' });
});

test('evidence hashes the canonical bytes of one input after the other', () => {
  const inputs = new Map([
    ['a', { data: Float64Array.of(0, 1.5, 2), shape: [1, 3] }],
    ['b', { data: Int32Array.of(7), shape: [1] }],
  ]);
  const { inputs_sha256: found, labels_sha256: labels } = hashes({ inputs, targets: label(1, 0) });
  const sha256 = (...arrays) => arrays.reduce((hash, array) => hash.update(array), createHash('sha256')).digest('hex');
  assert.equal(found, sha256(Float32Array.of(0, 1.5, 2), BigInt64Array.of(7n)));
  assert.equal(labels, sha256(BigInt64Array.of(1n, 0n)));
});

test('cutting keeps the last batch though it is short', () => {
  assert.deepEqual(cut(Int32Array.of(0, 1, 2, 3, 4), 2).map((ids) => [...ids]), [[0, 1], [2, 3], [4]]);
});

test('integers are those that an int32 can hold, below their end', () => {
  const read = (end, ...values) => toIntegers(BigInt64Array.from(values), end, 't', 'file');
  assert.deepEqual(read(2 ** 40, 0n, 2n ** 31n - 1n), Int32Array.of(0, 2 ** 31 - 1));
  for (const [end, value] of [[3, 3n], [3, -1n], [2 ** 40, 2n ** 31n], [2 ** 40, 2n ** 32n], [3, -(2n ** 32n)]]) {
    assert.throws(() => read(end, value), { code: 'bad_input' }, `${value} below ${end}`);
  }
});
