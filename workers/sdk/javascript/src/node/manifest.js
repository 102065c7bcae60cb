// What a worker can do, from its manifest: the one place that lists it.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import { Hello } from '../hello.js';

// `require`, because only it hears NODE_PATH, by which a worker finds what its setup has installed.
const require = createRequire(import.meta.url);

/**
 * @param {string | URL} path
 * @param {Record<string, string>} versions
 */
export function readManifest(path, versions) {
  const { parse } = require('smol-toml');
  const { framework, language, capabilities } = parse(readFileSync(path, 'utf8'));
  return new Hello(`${framework}/${language}`, versions, capabilities);
}
