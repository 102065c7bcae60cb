import shared, { globals } from '../workers/sdk/javascript/eslint.config.js';

export default [
  ...shared,
  { files: ['plots.js', 'report.js'], languageOptions: { sourceType: 'script', globals: globals.browser } },
];
