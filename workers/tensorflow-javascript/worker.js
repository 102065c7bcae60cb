// The worker tensorflow/javascript.

import { readManifest, serve } from '../sdk/javascript/src/node/index.js';
import { build } from './model.js';
import { tf } from './tensorflow.js';

const versions = {
  worker: '1',
  node: process.versions.node,
  'tfjs-node': tf.version['tfjs-node'],
  tensorflow: tf.backend().binding.TF_Version,
};

process.exit(await serve(build, readManifest(new URL('worker.toml', import.meta.url), versions)));
