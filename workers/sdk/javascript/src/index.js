// What all JavaScript workers share, wherever they run: a worker is a function `build(job)` that gives a Model, and a
// Hello, which says what it can do. src/node has it serve from Node.

export { Failed, Unsupported } from './errors.js';
export { Hello } from './hello.js';
export { inFileOrder } from './order.js';
export { Session } from './session.js';
export { equal, product, takeRows } from './tensors.js';
