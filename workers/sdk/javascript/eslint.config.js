// Lint for all JavaScript workers; their own eslint.config.js takes it from here.

import js from '@eslint/js';
import globals from 'globals';

export { globals };

const without = (names) => Object.fromEntries(Object.keys(names).map((name) => [name, 'off']));

export default [
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2022, sourceType: 'module', globals: globals.node },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      complexity: ['error', 10],
      curly: 'error',
      eqeqeq: 'error',
      'max-depth': ['error', 3],
      'max-len': ['error', { code: 120, ignoreRegExpLiterals: true }],
      'max-lines-per-function': ['error', { max: 60, skipComments: true }],
      'no-shadow': 'error',
      'no-unused-expressions': 'error',
      'no-use-before-define': ['error', { functions: false, classes: false }],
      'no-var': 'error',
      'object-shorthand': 'error',
      'prefer-const': 'error',
      'prefer-template': 'error',
      'require-await': 'error',
    },
  },
  { // what runs anywhere; src/node is for Node
    files: ['src/*.js'],
    languageOptions: { globals: { ...without(globals.node), ...globals['shared-node-browser'] } },
  },
  { files: ['**/*.test.js'], rules: { 'max-lines-per-function': 'off' } },
];
