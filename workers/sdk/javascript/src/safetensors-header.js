// The header of a safetensors file, checked against the bytes that follow it.

/**
 * @typedef {Float64Array | Float32Array | BigInt64Array | Int32Array | Int16Array | Int8Array | BigUint64Array |
 *   Uint32Array | Uint16Array | Uint8Array | Uint8ClampedArray} TypedArray
 *
 * @typedef {{dtype: string, shape: number[], begin: number, end: number}} Entry
 */

const LARGEST_RANK = 64;

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isNaturals = (value) =>
  Array.isArray(value) && value.every((item) => Number.isSafeInteger(item) && item >= 0);

/**
 * @param {Uint8Array} bytes
 * @param {number} available - how many bytes follow the header
 * @param {Map<string, {BYTES_PER_ELEMENT: number}>} dtypes
 * @returns {Map<string, Entry>}
 */
export function parseHeader(bytes, available, dtypes) {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  const header = JSON.parse(text);
  if (!isObject(header)) {
    throw new Error('the header is not a JSON object');
  }
  if (countKeys(text) !== Object.keys(header).length) {
    throw new Error('the header has a key twice');
  }
  const entries = new Map();
  for (const [name, members] of Object.entries(header)) {
    if (name !== '__metadata__') {
      entries.set(name, parseEntry(name, members, available, dtypes));
    }
  }
  checkCover([...entries.values()], available);
  return entries;
}

/** How many members the outermost object of a valid JSON text has: the parser keeps the last of equal keys. */
function countKeys(text) {
  let depth = 0;
  let keys = 0;
  for (const [token, key] of text.matchAll(/"(?:[^"\\]|\\.)*"([ \t\r\n]*:)?|[[\]{}]/g)) {
    if (token === '{' || token === '[') {
      depth += 1;
    } else if (token === '}' || token === ']') {
      depth -= 1;
    } else if (key && depth === 1) {
      keys += 1;
    }
  }
  return keys;
}

function parseEntry(name, members, available, dtypes) {
  if (!isObject(members) || Object.keys(members).sort().join() !== 'data_offsets,dtype,shape') {
    throw new Error(`tensor '${name}' needs exactly dtype, shape and data_offsets`);
  }
  const { dtype, shape, data_offsets: offsets } = members;
  if (!dtypes.has(dtype)) {
    throw new Error(`tensor '${name}' has the type ${dtype}`);
  }
  if (!isNaturals(shape) || shape.length > LARGEST_RANK || !isNaturals(offsets) || offsets.length !== 2) {
    throw new Error(`the shape or data_offsets of tensor '${name}' are not natural numbers`);
  }
  const [begin, end] = offsets;
  const size = shape.reduce((product, length) => product * length, dtypes.get(dtype).BYTES_PER_ELEMENT);
  if (end - begin !== size || end > available) {
    throw new Error(`the bytes of tensor '${name}' do not fit its shape or the file`);
  }
  return { dtype, shape, begin, end };
}

function checkCover(entries, available) {
  const ranges = entries.sort((a, b) => a.begin - b.begin || a.end - b.end);
  let covered = 0;
  for (const { begin, end } of ranges) {
    if (begin !== covered) {
      throw new Error('the tensors overlap or leave bytes that belong to none');
    }
    covered = end;
  }
  if (covered !== available) {
    throw new Error('the tensors overlap or leave bytes that belong to none');
  }
}
