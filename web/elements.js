// What pages of the dashboard are built from: elements, words and numbers, and the questions to the server. Whatever
// comes from the server is put into the page as text.

(() => {
  const API = '/api/v1';

  // ---- elements ----

  // make('a.csv', { href: '/' }, 'text', child, ...)
  function make(kind, attributes = {}, ...children) {
    const [name, ...classes] = kind.split('.');
    const element = document.createElement(name);
    element.classList.add(...classes);
    for (const [key, value] of Object.entries(attributes)) {
      if (value !== null && value !== undefined && value !== false) {
        element.setAttribute(key, value === true ? '' : value);
      }
    }
    element.append(...children.flat().filter((child) => child !== null));
    return element;
  }

  function link(href, text, attributes = {}) {
    return make('a', { href, ...attributes }, text);
  }

  // A cell that sorts as the number it shows.
  function numberCell(value, text = rounded(value)) {
    return make('td.n', value === null ? {} : { 'data-v': value }, value === null ? '' : text);
  }

  function textCell(...children) {
    return make('td', {}, ...children);
  }

  // A heading stands above each, so its own title is for those who do not see that.
  function table(name, title, heads, rows) {
    return make('div.scroll', { tabindex: '0', role: 'region', 'aria-label': title },
      make('table.list.sortable', { id: `table-${name}` },
        make('caption', {}, make('span.unseen', {}, title), ' ',
          make('a.csv', { href: '#', 'aria-label': `CSV of ${title}` }, 'CSV')),
        make('thead', {}, make('tr', {}, heads.map((head) => make('th', { scope: 'col' }, head)))),
        make('tbody', {}, rows.map((cells) => make('tr', {}, cells)))));
  }

  function section(title, ...children) {
    return make('section', {}, make('h2', {}, title), ...children);
  }

  function notice(...children) {
    return make('p.notice', {}, ...children);
  }

  function tiles(entries) {
    return make('ul.tiles', {}, entries.map(([number, what]) => make('li', {}, make('b', {}, number), ` ${what}`)));
  }

  // ---- words and numbers ----

  function rounded(value) {
    return typeof value === 'number' ? String(Number(value.toPrecision(4))) : String(value ?? '');
  }

  function counted(number) {
    return number.toLocaleString('en');
  }

  function plural(count, one, more) {
    return count === 1 ? one : more;
  }

  function moment(text) {
    return text === null ? 'not known' : text.replace('T', ' ').replace('Z', ' UTC');
  }

  function bytes(value) {
    return value === null ? '' : `${rounded(value / 2 ** 20)} MiB`;
  }

  const SIGNS = {
    done: ['agrees', '\u25CF'], failed: ['failed', '\u25B2'], unsupported: ['unsupported', '\u2013'],
    agrees: ['agrees', '\u25CF'], rounding: ['rounding', '\u2248'], convention: ['convention', '\u25C6'],
    diverges: ['diverges', '\u2716'], 'not measured': ['unmeasured', '?'],
  };

  // A word with its sign and colour.
  function outcome(word) {
    const [style, sign] = SIGNS[word];
    return make(`span.outcome.${style}`, {}, make('span.sign', { 'aria-hidden': 'true' }, sign), ` ${word}`);
  }

  function trialLink(trial) {
    return make('a.id', { href: `/trials/${trial.identity}` }, trial.identity.slice(0, 12));
  }

  function searchOf(parameters) {
    const search = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value));
    return search.size === 0 ? '' : `?${search}`;
  }

  // ---- the server ----

  class Refused extends Error {
    constructor(status, detail, retry) {
      super(detail);
      this.status = status;
      this.retry = retry;
    }
  }

  async function ask(path, options = {}) {
    const response = await fetch(`${API}${path}`, options);
    if (response.status === 204) {
      return null;
    }
    if (response.status === 200) {
      return response.json();
    }
    const problem = await response.json().catch(() => ({ detail: response.statusText }));
    throw new Refused(response.status, problem.detail, response.headers.get('Retry-After'));
  }

  globalThis.crossbindElements = {
    API, ask, bytes, counted, link, make, moment, notice, numberCell, outcome, plural, rounded, searchOf, section,
    SIGNS, table, textCell, tiles, trialLink,
  };
})();
