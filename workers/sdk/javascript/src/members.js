// Members of JSON objects, checked. Whatever is wrong is the sender's mistake: bad_request.

import { badRequest } from './errors.js';

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

function member(members, key, is, kind) {
  if (!Object.hasOwn(members, key) || !is(members[key])) {
    throw badRequest(`'${key}' is missing or not ${kind}`);
  }
  return members[key];
}

export const has = (members, key) => Object.hasOwn(members, key);

export const text = (members, key) => member(members, key, (value) => typeof value === 'string', 'a text');

export const truth = (members, key) =>
  member(members, key, (value) => typeof value === 'boolean', 'true or false');

export const object = (members, key) => member(members, key, isObject, 'an object');

export const texts = (members, key) =>
  member(members, key, (value) => isListOf(value, (item) => typeof item === 'string'), 'a list of texts');

export const objects = (members, key) =>
  member(members, key, (value) => isListOf(value, isObject), 'a list of objects');

export const shape = (members, key) =>
  member(members, key, (value) => isListOf(value, isFromOne), 'a list of integers from 1');

export function integer(members, key, least = 0, most = Number.MAX_SAFE_INTEGER) {
  const value = member(members, key, Number.isInteger, 'an integer');
  if (value < least || value > most) {
    throw badRequest(`'${key}' is ${value}, not from ${least} to ${most}`);
  }
  return value;
}

export function word(members, key, words) {
  const value = text(members, key);
  if (!words.includes(value)) {
    throw badRequest(`'${key}' is '${value}', not one of ${words.join(', ')}`);
  }
  return value;
}

export function path(members, key) {
  const value = text(members, key);
  if (value === '' || value.includes('\0')) {
    throw badRequest(`'${key}' is not a path`);
  }
  return value;
}

function isListOf(value, is) {
  return Array.isArray(value) && value.every(is);
}

function isFromOne(value) {
  return Number.isSafeInteger(value) && value > 0;
}
