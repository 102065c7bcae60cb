// Lines and the messages that they are.

import { Failed, notFinite } from './errors.js';

/** In bytes, with its end. */
export const LONGEST_LINE = 8 * 2 ** 20;

const MOST_BYTES_OF_A_UNIT = 3; // of UTF-16, in UTF-8

/** @param {{type: string}} message */
export function formatMessage(message) {
  const line = JSON.stringify(message, (_, value) => finite(value, message.type));
  if (MOST_BYTES_OF_A_UNIT * line.length >= LONGEST_LINE) {
    checkLength(message.type, new TextEncoder().encode(line).length + 1);
  }
  return line;
}

function checkLength(type, length) {
  if (length > LONGEST_LINE) {
    throw new Failed('internal', `'${type}' has ${length} bytes, a line at most ${LONGEST_LINE}`);
  }
}

function finite(value, type) {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw notFinite(`a number of '${type}' is not finite`); // JSON.stringify would write null
  }
  return value;
}

/** @param {string} line */
export function parseMessage(line) {
  const message = JSON.parse(line);
  if (typeof message?.type !== 'string' || Array.isArray(message)) {
    throw new Error("a line is not a JSON object with a 'type'");
  }
  if (!Number.isInteger(message.id) && !['welcome', 'bye'].includes(message.type)) {
    throw new Error("a request has no integer 'id'");
  }
  return message;
}
