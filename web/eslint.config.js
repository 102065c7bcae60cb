import shared, { globals } from '../workers/sdk/javascript/eslint.config.js';

export default [
  ...shared,
  {
    files: ['dashboard.js', 'elements.js', 'page.js', 'plots.js', 'report.js', 'views.js'],
    languageOptions: { sourceType: 'script', globals: globals.browser },
  },
];
