// The report's page: draws figures when they come into view, sorts and filters tables, gives CSV. Everything but the
// figures is there without it.

(() => {
  const { specOf, rowsOf } = globalThis.crossbindPlots;
  const data = JSON.parse(document.getElementById('data').textContent);
  const figures = new Map(data.figures.map((figure) => [figure.id, figure]));
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

  async function draw(id) {
    drawn.add(id);
    const figure = document.getElementById(id);
    const place = figure.querySelector('.plot');
    const spec = specOf(figures.get(id), data.tables, theme(), place.clientWidth);
    try {
      await globalThis.vegaEmbed(place, spec, { actions: false, renderer: 'svg', ast: true });
      place.querySelector('svg').setAttribute('aria-hidden', 'true'); // the place has the name
      figure.dataset.drawn = theme();
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
    for (const id of figures.keys()) {
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

  function addFigureLink(element) {
    const figure = figures.get(element.id);
    const link = document.createElement('a');
    link.textContent = 'CSV';
    link.href = '#';
    link.className = 'csv';
    offer(link, figure.id, () => {
      const { columns } = data.tables[figure.table];
      return [columns, ...rowsOf(figure, data.tables).map((row) => columns.map((column) => row[column]))];
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
      const rows = rowsOf(figures.get(element.id), data.tables);
      const texts = rows.map((row) => Object.values(row).filter((value) => typeof value === 'string').join(' '));
      element.hidden = words.length > 0 && !texts.some((text) => fits(`${element.textContent} ${text}`));
    }
    document.getElementById('filtered').textContent = words.length === 0 ? '' : `${shown} of ${all} rows`;
  }

  filter.addEventListener('input', applyFilter);

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

  for (const table of document.querySelectorAll('table.sortable')) {
    const link = table.querySelector('caption .csv');
    if (!table.closest('details')?.querySelector('.cut')) {
      offer(link, table.id.slice('table-'.length), () =>
        [...table.rows].map((row) => [...row.cells].map(valueOf)));
    }
    makeSortable(table);
  }
  for (const figure of document.querySelectorAll('figure')) {
    addFigureLink(figure);
    inView.observe(figure);
  }
  showTheme();
  follow();
})();
