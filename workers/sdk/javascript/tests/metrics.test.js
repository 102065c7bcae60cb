import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';

import { countCorrect, hashes, sumOfLosses } from '../src/metrics.js';
import { sha256 } from '../src/node/host.js';
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

/** To what a few sums in double precision lose. */
const near = (found, expected) => assert(Math.abs(found - expected) <= 1e-14 * Math.abs(expected), `${found}`);

test('the loss of logits is that of their softmax, summed up over the samples', () => {
  const [e1, e2] = [Math.E, Math.E ** 2];
  const expected = Math.log(e1 + e2 + 1) - 2 + Math.log(3);
  near(sumOfLosses('cross_entropy', outputs([2, 3], 1, 2, 0, 5, 5, 5), label(1, 2)), expected);
});

test('the loss of one logit is that of its sigmoid', () => {
  const expected = Math.log1p(Math.exp(-0.5)) + Math.log1p(Math.exp(0.5)) + 2 * Math.log(2);
  near(sumOfLosses('binary_cross_entropy', outputs([4, 1], 0.5, 0.5, 0, 0), label(1, 0, 1, 0)), expected);
});

test('the loss of a span is the mean of its ends', () => {
  const targets = new Map([['start', Int32Array.of(1)], ['end', Int32Array.of(0)]]);
  const expected = (Math.log(Math.exp(-1) + 1) + Math.log(1 + Math.exp(3))) / 2; // starts are 1, 2 and ends 0, 3
  near(sumOfLosses('span_cross_entropy', outputs([1, 2, 2], 1, 0, 2, 3), targets), expected);
});

test('losses of large logits are finite', () => {
  near(sumOfLosses('cross_entropy', outputs([2, 2], 3e38, -3e38, -1000, 1000), label(1, 1)), 2 * Math.fround(3e38));
  near(sumOfLosses('binary_cross_entropy', outputs([2, 1], 1000, -1000), label(0, 1)), 2000);
});

test('evidence hashes the canonical bytes of one input after the other', async () => {
  const inputs = new Map([
    ['a', { data: Float64Array.of(0, 1.5, 2), shape: [1, 3] }],
    ['b', { data: Int32Array.of(7), shape: [1] }],
  ]);
  const { inputs_sha256: found, labels_sha256: labels } = await hashes({ sha256 }, { inputs, targets: label(1, 0) });
  const expected = (...arrays) =>
    arrays.reduce((hash, array) => hash.update(array), createHash('sha256')).digest('hex');
  assert.equal(found, expected(Float32Array.of(0, 1.5, 2), BigInt64Array.of(7n)));
  assert.equal(labels, expected(BigInt64Array.of(1n, 0n)));
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
