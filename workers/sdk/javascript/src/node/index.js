// A worker in Node:
//
// process.exit(await serve(build, readManifest(new URL('worker.toml', import.meta.url), versions)));

export { readManifest } from './manifest.js';
export { serve } from './serving.js';
