// The worker tensorflow/javascript.

import { Hello, serve } from '../sdk/javascript/src/index.js';
import { build } from './model.js';
import { tf } from './tensorflow.js';

const versions = {
  worker: '1',
  node: process.versions.node,
  'tfjs-node': tf.version['tfjs-node'],
  tensorflow: tf.backend().binding.TF_Version,
};

process.exit(await serve(build, Hello.fromManifest(new URL('worker.toml', import.meta.url), versions)));
