// The worker pytorch/javascript.

import { readFileSync } from 'node:fs';

import { readManifest, serve } from '../sdk/javascript/src/node/index.js';
import { build } from './model.js';
import { version } from './torch.js';

const [, , installed] = process.argv; // what the setup has built against
const versions = {
  worker: '1',
  node: process.versions.node,
  'torch-js': version,
  ...JSON.parse(readFileSync(installed, 'utf8')),
};

process.exit(await serve(build, readManifest(new URL('worker.toml', import.meta.url), versions)));
