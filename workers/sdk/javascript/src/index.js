// What all JavaScript workers share: a worker is a function `build(job)` that gives a Model, and a manifest.
//
// process.exit(await serve(build, Hello.fromManifest(new URL('worker.toml', import.meta.url), versions)));

export { Failed, Unsupported } from './errors.js';
export { Hello } from './hello.js';
export { inFileOrder } from './order.js';
export { serve } from './serving.js';
export { equal, product, takeRows } from './tensors.js';
