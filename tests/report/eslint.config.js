import shared, { globals } from '../../workers/sdk/javascript/eslint.config.js';

// What runs in the page is written beside what runs in node.
export default [...shared, { languageOptions: { globals: { ...globals.node, ...globals.browser } } }];
