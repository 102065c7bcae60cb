// A worker of one linear layer.

import { serve } from '../src/node/index.js';
import { HELLO, LinearModel } from './linear-model.js';

console.log('frameworks print things');
process.exit(await serve((job) => new LinearModel(job), HELLO));
