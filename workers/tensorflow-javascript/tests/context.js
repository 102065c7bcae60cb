// Where things are is said by the variables that a setup has: see README.md.

import { Module } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const { CROSSBIND_WORKER_HOME: home, CROSSBIND_SHARED_TENSORFLOW: shared } = process.env;

export const skip = home && shared ? false : 'CROSSBIND_WORKER_HOME and CROSSBIND_SHARED_TENSORFLOW are not set';

export const here = (name) => fileURLToPath(new URL(name, import.meta.url));
export const python = shared && join(shared, 'bin', 'python');
export const environment = {
  NODE_PATH: home && join(home, 'node_modules'),
  TF_CPP_MIN_LOG_LEVEL: '2',
  TF_NUM_INTRAOP_THREADS: '1',
};

if (!skip) {
  Object.assign(process.env, environment); // for the worker's own modules, where a test imports them
  Module._initPaths(); // NODE_PATH is read when Node starts
}
