// A worker as a process of Node.

import { Session } from '../session.js';
import { connect } from './connection.js';
import { nodeHost } from './host.js';

/**
 * Speaks for a binding until crossbind says bye; the exit status of the worker.
 * @param {import('../model.js').Build} build
 * @param {import('../hello.js').Hello} hello
 * @returns {Promise<number>}
 */
export async function serve(build, hello) {
  const endpoint = process.env.CROSSBIND_ENDPOINT;
  if (!endpoint) {
    console.error('worker: CROSSBIND_ENDPOINT is not set; crossbind sets it when it starts a worker');
    return 2;
  }
  let connection;
  try {
    connection = await connect(endpoint);
  } catch (error) {
    console.error(`worker: cannot connect to ${endpoint}: ${error.message}`);
    return 1;
  }
  const session = new Session(nodeHost((line) => connection.send(line)), build, hello);
  connection.listen((line) => session.take(line));
  const reason = await session.run(process.env.CROSSBIND_TOKEN ?? '');
  if (reason) {
    console.error(`worker: crossbind said bye: ${reason}`);
  }
  await connection.close();
  return 0;
}
