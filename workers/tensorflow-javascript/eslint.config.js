export { default } from '../sdk/javascript/eslint.config.js';
