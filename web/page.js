// What the report's page and the dashboard share: the theme and its switch, figures that are drawn when they come into
// view, tables that sort, the filter, CSV. Everything but the figures is there without it. Knows no page: whoever has
// put something into one has it enlivened.

(() => {
  const { specOf, rowsOf, roomFor } = globalThis.crossbindPlots;
  const known = new Map(); // what is drawn in an element, by its id: { figure, tables }
  const drawn = new Set();

  // ---- theme: the system's, unless the switch was used ----

  const system = globalThis.matchMedia('(prefers-color-scheme: dark)');
  const button = document.getElementById('theme');
  let chosen = remembered();

  function remembered() {
    try {
      return globalThis.localStorage.getItem('crossbind-theme');
    } catch {
      return null; // a page from disk may have no storage
    }
  }

  function remember(name) {
    try {
      globalThis.localStorage.setItem('crossbind-theme', name);
    } catch {
      // it holds until the page is left
    }
  }

  function theme() {
    return chosen ?? (system.matches ? 'dark' : 'light');
  }

  function showTheme() {
    document.documentElement.dataset.theme = theme();
    button.setAttribute('aria-pressed', String(theme() === 'dark'));
    for (const id of drawn) {
      draw(id);
    }
  }

  button.addEventListener('click', () => {
    chosen = theme() === 'dark' ? 'light' : 'dark';
    remember(chosen);
    showTheme();
  });
  system.addEventListener('change', showTheme);

  // ---- figures ----

  // Styles that Vega would put into the page are in report.css, and expressions are interpreted: no page need allow
  // what is not in its files.
  const OPTIONS = {
    actions: false, renderer: 'svg', ast: true, defaultStyle: false, tooltip: { disableDefaultStyle: true },
  };

  async function draw(id) {
    drawn.add(id);
    const element = document.getElementById(id);
    const place = element.querySelector('.plot');
    const { figure, tables } = known.get(id);
    try {
      await globalThis.vegaEmbed(place, specOf(figure, tables, theme(), place.clientWidth), OPTIONS);
      place.querySelector('svg').setAttribute('aria-hidden', 'true'); // the place has the name
      element.dataset.drawn = theme();
    } catch (error) {
      place.textContent = `This figure cannot be drawn: ${error.message}`;
    }
  }

  const inView = new IntersectionObserver((entries) => {
    for (const entry of entries.filter((each) => each.isIntersecting)) {
      inView.unobserve(entry.target);
      draw(entry.target.id);
    }
  }, { rootMargin: '400px' });

  globalThis.addEventListener('beforeprint', () => {
    for (const id of known.keys()) {
      if (!drawn.has(id)) {
        draw(id);
      }
    }
  });

  // ---- CSV ----

  function csvCell(value) {
    if (value === null || value === undefined) {
      return '';
    }
    const isText = typeof value === 'string';
    const text = isText && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  }

  function offer(link, name, makeRows) {
    link.download = `${name}.csv`;
    link.addEventListener('click', () => {
      const text = makeRows().map((row) => `${row.map(csvCell).join(',')}\n`).join('');
      link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
    });
  }

  function valueOf(cell) {
    return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
  }

  // What is below a figure stays where it is when the figure is drawn.
  function keepRoom(element) {
    const { figure, tables } = known.get(element.id);
    element.querySelector('.plot').style.minHeight = `${roomFor(figure, tables)}px`;
  }

  function addFigureLink(element) {
    const { figure, tables } = known.get(element.id);
    const link = document.createElement('a');
    link.textContent = 'CSV';
    link.href = '#';
    link.className = 'csv';
    offer(link, figure.id, () => {
      const { columns } = tables[figure.table];
      return [columns, ...rowsOf(figure, tables).map((row) => columns.map((column) => row[column]))];
    });
    link.setAttribute('aria-label', `CSV of ${figure.title}`);
    element.querySelector('.links').append(' ', link);
  }

  // ---- tables ----

  function makeSortable(table) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const sort = document.createElement('button');
      sort.type = 'button';
      sort.textContent = head.textContent;
      sort.addEventListener('click', () => sortBy(table, heads, column));
      head.replaceChildren(sort);
    });
  }

  function sortBy(table, heads, column) {
    const descending = heads[column].getAttribute('aria-sort') === 'ascending';
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row, place) => ({ row, place, value: valueOf(row.cells[column]) }));
    rows.sort((a, b) => (descending ? -1 : 1) * compare(a.value, b.value) || a.place - b.place);
    body.append(...rows.map(({ row }) => row));
    heads.forEach((head) => head.removeAttribute('aria-sort'));
    heads[column].setAttribute('aria-sort', descending ? 'descending' : 'ascending');
  }

  function compare(a, b) {
    if (typeof a === 'number' && typeof b === 'number') {
      return a - b;
    }
    return String(a).localeCompare(String(b), 'en', { numeric: true });
  }

  // ---- filter: what has all of the words ----

  const filter = document.getElementById('filter');

  function applyFilter() {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (text) => words.every((word) => text.toLowerCase().includes(word));
    let shown = 0;
    let all = 0;
    for (const row of document.querySelectorAll('main tbody tr')) {
      row.hidden = !fits(row.textContent);
      all += 1;
      shown += row.hidden ? 0 : 1;
    }
    for (const element of document.querySelectorAll('figure')) {
      const { figure, tables } = known.get(element.id);
      const rows = rowsOf(figure, tables);
      const texts = rows.map((row) => Object.values(row).filter((value) => typeof value === 'string').join(' '));
      element.hidden = words.length > 0 && !texts.some((text) => fits(`${element.textContent} ${text}`));
    }
    document.getElementById('filtered').textContent = words.length === 0 ? '' : `${shown} of ${all} rows`;
  }

  filter?.addEventListener('input', applyFilter);

  // ---- a link to something that is folded, or to a reason ----

  function follow() {
    const target = document.getElementById(globalThis.location.hash.slice(1));
    const folded = target?.closest('details');
    if (folded) {
      folded.open = true;
      target.scrollIntoView();
    }
    if (target?.classList.contains('why')) {
      target.focus();
    }
  }

  globalThis.addEventListener('hashchange', follow);

  // What was drawn here before and is no longer in the page is forgotten.
  function forget() {
    for (const id of known.keys()) {
      if (!document.getElementById(id)) {
        known.delete(id);
        drawn.delete(id);
      }
    }
  }

  // Makes the tables and figures in an element work; `data` has the figures and their tables.
  function enliven(root, data) {
    forget();
    for (const figure of data.figures) {
      known.set(figure.id, { figure, tables: data.tables });
    }
    for (const table of root.querySelectorAll('table.sortable')) {
      const link = table.querySelector('caption .csv');
      if (link && !table.closest('details')?.querySelector('.cut')) {
        offer(link, table.id.slice('table-'.length), () => [...table.rows].map((row) => [...row.cells].map(valueOf)));
      }
      makeSortable(table);
    }
    for (const element of root.querySelectorAll('figure')) {
      drawn.delete(element.id);
      keepRoom(element);
      addFigureLink(element);
      inView.observe(element);
    }
    if (filter) {
      applyFilter();
    }
  }

  showTheme();
  globalThis.crossbindPage = { enliven, follow };
})();
