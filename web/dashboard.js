// The dashboard: shows what its address names, and again whenever the server says that it has changed.

(() => {
  const { enliven, follow } = globalThis.crossbindPage;
  const { API, ask, counted, make, notice, plural } = globalThis.crossbindElements;
  const { pageOf } = globalThis.crossbindViews;
  const view = document.getElementById('view');
  const live = document.getElementById('live');

  // ---- the token, where the server wants one ----

  async function openSession(token) {
    await ask('/session', { headers: { Authorization: `Bearer ${token}` } });
  }

  // It stands behind the # of the address that the server printed, which is never sent.
  async function takeToken() {
    const token = new URLSearchParams(globalThis.location.hash.slice(1)).get('token');
    if (token !== null) {
      globalThis.history.replaceState(null, '', globalThis.location.pathname + globalThis.location.search);
      await openSession(token).catch(() => {}); // the page then asks for another
    }
  }

  function tokenPage() {
    const input = make('input', { type: 'password', name: 'token', required: true, autocomplete: 'off' });
    const failed = make('p', { role: 'alert' });
    const enter = make('button', { type: 'submit' }, 'Enter');
    const form = make('form.choice', {}, make('label', {}, 'token', input), enter);
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      try {
        await openSession(input.value);
        start();
      } catch (error) {
        failed.textContent = error.message;
      }
    });
    return {
      title: 'This server wants its token',
      subtitle: 'crossbind serve printed it, or reads it from a file or a variable',
      content: [form, failed],
    };
  }

  // ---- what the reader has opened, scrolled, chosen and typed stays as it is ----

  const FOCUSABLE = 'a, button, input, select, summary, [tabindex]';

  // The pairs of elements with the same id, in what is shown and in what will be.
  function pairs(fresh, selector, idOf) {
    return [...view.querySelectorAll(selector)].map((old) => {
      const id = idOf(old);
      return [old, id ? fresh.querySelector(`#${CSS.escape(id)}`) : null];
    }).filter(([, again]) => again !== null);
  }

  function idInside(element) {
    return element.querySelector('[id]')?.id;
  }

  function keepState(fresh) {
    for (const [, again] of pairs(fresh, 'details[open]', idInside)) {
      again.closest('details').open = true;
    }
    for (const [old, again] of pairs(fresh, 'figure[data-drawn]', (figure) => figure.id)) {
      again.querySelector('.plot').append(...old.querySelector('.plot').childNodes); // until it is drawn again
    }
    const places = pairs(fresh, '.scroll', idInside).map(([old, again]) =>
      [again.closest('.scroll'), old.scrollLeft, old.scrollTop]);
    return () => places.forEach(([region, left, top]) => region.scrollTo(left, top));
  }

  // A form that is being filled in is kept as a whole.
  function keepFocus(fresh) {
    const at = document.activeElement;
    const form = at.closest('#view form');
    if (form !== null) {
      fresh.querySelector('form')?.replaceWith(form);
      return () => at.focus({ preventScroll: true });
    }
    const place = [...view.querySelectorAll(FOCUSABLE)].indexOf(at);
    return () => place >= 0 && view.querySelectorAll(FOCUSABLE)[place]?.focus({ preventScroll: true });
  }

  // ---- showing ----

  function show({ title, subtitle, content, figures = { figures: [], tables: {} }, tables }) {
    document.title = `${title} – crossbind`;
    document.getElementById('title').textContent = title;
    document.getElementById('subtitle').textContent = subtitle;
    const fresh = document.createDocumentFragment();
    fresh.append(...content.flat().filter((each) => each !== null));
    const { scrollX, scrollY } = globalThis;
    view.style.minHeight = `${view.offsetHeight}px`; // so that nothing jumps meanwhile
    const restoreState = keepState(fresh);
    const restoreFocus = keepFocus(fresh);
    view.replaceChildren(fresh);
    enliven(view, figures);
    restoreState();
    restoreFocus();
    if (tables !== undefined) {
      linkTables(tables);
    }
    globalThis.scrollTo({ left: scrollX, top: scrollY, behavior: 'instant' });
    view.style.minHeight = '';
  }

  // Tables that are cut in the page are whole at the server.
  function linkTables(query) {
    for (const cut of view.querySelectorAll('.cut')) {
      const name = cut.closest('details').querySelector('table').id.slice('table-'.length);
      cut.closest('details').querySelector('.csv').href = `${API}/tables/${name}${query}`;
    }
  }

  let asked = 0; // the answer to the last question only is shown
  let shownVersion = null; // of the store; null: it cannot change
  let times = 0; // that something was shown

  // Whether the server has answered this visitor.
  async function refresh() {
    asked += 1;
    const mine = asked;
    try {
      const shown = await pageOf(globalThis.location.pathname)();
      if (mine === asked) {
        show(shown);
        shownVersion = shown.version ?? null;
        times += 1;
        view.dataset.shown = String(times);
      }
      return true;
    } catch (error) {
      if (mine === asked) {
        showFailure(error);
      }
      return error.status !== 401;
    }
  }

  function showFailure(error) {
    if (error.status === 401) {
      show(tokenPage());
    } else if (error.status === 202) {
      show({
        title: 'Report',
        subtitle: '',
        content: [notice('It is being made from all samples of the store, and is shown as soon as it is there.')],
      });
      setTimeout(refresh, 1000 * Number(error.retry)); // and when the server says so
    } else {
      show({ title: 'This cannot be shown', subtitle: '', content: [notice(error.message)] });
    }
  }

  // ---- events ----

  function setLive(state, text) {
    live.dataset.state = state;
    live.textContent = text;
  }

  // Those whose content comes from the report change with it, the others with the store.
  function showsReport() {
    return ['/report', '/compare'].includes(globalThis.location.pathname);
  }

  let newest = null;
  let isRefreshing = false;

  // Changes that come while one is being shown are shown together.
  async function update(version) {
    newest = version;
    if (isRefreshing) {
      return;
    }
    isRefreshing = true;
    while (shownVersion !== null && shownVersion !== newest && await refresh() && shownVersion < newest) {
      // once more
    }
    isRefreshing = false;
  }

  function listen() {
    const events = new EventSource(`${API}/events`);
    events.addEventListener('error', () => setLive('lost', 'Connection lost, trying again'));
    events.addEventListener('change', (event) => {
      const change = JSON.parse(event.data);
      setLive('live', `Live, ${counted(change.trials)} ${plural(change.trials, 'trial', 'trials')}`);
      if (!showsReport()) {
        update(change.version);
      }
    });
    events.addEventListener('report', (event) => {
      const made = JSON.parse(event.data);
      if (showsReport() && made.study === (new URLSearchParams(globalThis.location.search).get('study') ?? '')) {
        update(made.version);
      }
    });
  }

  let isListening = false;

  async function start() {
    for (const each of document.querySelectorAll('.pages a')) {
      const isThis = each.pathname === globalThis.location.pathname ||
        (each.pathname !== '/' && globalThis.location.pathname.startsWith(`${each.pathname}/`));
      if (isThis) {
        each.setAttribute('aria-current', 'page');
      }
    }
    const isKnown = await refresh();
    follow();
    if (isKnown && !isListening) {
      isListening = true;
      listen();
    }
  }

  takeToken().then(start);
})();
