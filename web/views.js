// The pages of the dashboard: each is a function that asks the server and gives its title, its content, the version of
// the store that is in it (none: it cannot change) and its figures.

(() => {
  const {
    API, ask, bytes, counted, link, make, moment, notice, numberCell, outcome, plural, rounded, searchOf, section,
    SIGNS, table, textCell, tiles, trialLink,
  } = globalThis.crossbindElements;
  const PAGE = 50; // trials of a list
  const FEW = 20; // values of a series

  function progressOf(entry) {
    if (entry.planned === null) {
      return make('span.ratio', {}, `${counted(entry.trials)} ${plural(entry.trials, 'trial', 'trials')}`);
    }
    const text = `${counted(entry.trials)} of ${counted(entry.planned)}`;
    const name = `${entry.name}: ${text} ${plural(entry.planned, 'trial', 'trials')}`;
    return make('span.ratio', {},
      make('progress', { max: entry.planned, value: entry.trials, 'aria-label': name }),
      ` ${text}`);
  }

  function studiesTable(studies) {
    const heads = ['study', 'progress', 'done', 'failed', 'unsupported', 'last trial', 'more'];
    return table('studies', 'Studies', heads, studies.map((study) => [
      make('th', { scope: 'row' }, link(`/studies/${study.id}`, study.name || '(no name)')),
      textCell(progressOf(study)),
      ...[study.done, study.failed, study.unsupported].map((count) => numberCell(count, counted(count))),
      textCell(moment(study.last)),
      textCell(link(`/trials?study=${study.id}`, 'trials', { 'aria-label': `Trials of ${study.name}` }), ' ',
        link(`/report?study=${study.id}`, 'report', { 'aria-label': `Report of ${study.name}` })),
    ]));
  }

  function cellOf(cell, study) {
    if (!cell) {
      return make('td.v.unmeasured', {}, make('span.sign', { 'aria-hidden': 'true' }, '?'), ' none');
    }
    const parts = [['done', cell.done], ['failed', cell.failed], ['unsupported', cell.unsupported]]
      .filter(([, count]) => count > 0);
    const worst = cell.failed > 0 ? 'failed' : parts[0][0];
    const text = parts.map(([word, count]) => `${counted(count)} ${word}`).join(', ');
    const [style, sign] = SIGNS[worst];
    const href = `/trials${searchOf({ study, binding: cell.binding, model: cell.model })}`;
    return make(`td.v.${style}`, {}, make('a', { href }, make('span.sign', { 'aria-hidden': 'true' }, sign),
      ` ${text}`));
  }

  // How many trials of each binding on each model have ended, and how.
  function progressMatrix(progress, study) {
    const { binding: bindings, model: models } = progress.axes;
    const cells = new Map(progress.cells.map((cell) => [`${cell.binding} ${cell.model}`, cell]));
    const made = table('progress', 'Trials by binding and model', ['binding', ...models], bindings.map((binding) => [
      make('th', { scope: 'row' }, binding),
      ...models.map((model) => cellOf(cells.get(`${binding} ${model}`), study)),
    ]));
    made.querySelector('table').classList.add('matrix');
    return made;
  }

  function trialsTable(title, trials) {
    const heads = ['trial', 'outcome', 'binding', 'model', 'task', 'loader', 'measure', 'seed', 'seconds', 'memory',
      'started', 'reason'];
    return table('trials', title, heads, trials.map((trial) => [
      make('th', { scope: 'row' }, trialLink(trial)),
      textCell(outcome(trial.outcome)),
      ...[trial.binding, trial.model, trial.task, trial.loader, trial.measure].map((text) => textCell(text)),
      numberCell(trial.seed),
      numberCell(trial.wall),
      numberCell(trial.peak_memory, bytes(trial.peak_memory)),
      textCell(moment(trial.started)),
      make('td.clipped', trial.reason ? { title: trial.reason } : {}, trial.reason),
    ]));
  }

  function totals(progress, studies) {
    return tiles([
      [counted(progress.trials), plural(progress.trials, 'trial', 'trials')],
      [counted(progress.done), 'done'],
      [counted(progress.failed), 'failed'],
      [counted(progress.unsupported), 'unsupported'],
      ...(studies === null ? [] : [[counted(studies), studies === 1 ? 'study' : 'studies']]),
      [counted(progress.axes.binding.length), progress.axes.binding.length === 1 ? 'binding' : 'bindings'],
    ]);
  }

  async function overview() {
    const [{ studies }, progress, { trials }] = await Promise.all([
      ask('/studies'), ask('/progress'), ask('/trials?limit=10'),
    ]);
    return {
      version: progress.version,
      title: 'Overview',
      subtitle: progress.last === null ? 'When trials ran is not known' : `Last trial ${moment(progress.last)}`,
      content: progress.trials === 0 ? [
        section('Studies', studiesTable(studies)), notice('No trial has ended yet. This page shows each as it does.'),
      ] : [
        totals(progress, studies.length),
        section('Studies', studiesTable(studies)),
        section('How far it is', progressMatrix(progress, '')),
        section('Latest trials', trialsTable('Latest trials', trials), make('p', {}, link('/trials', 'All trials'))),
      ],
    };
  }

  async function studyPage(id) {
    const query = searchOf({ study: id });
    const [study, progress, { trials }] = await Promise.all([
      ask(`/studies/${id}`), ask(`/progress${query}`), ask(`/trials${query}&limit=10`),
    ]);
    return {
      version: progress.version,
      title: `Study ${study.name}`,
      subtitle: study.last === null ? '' : `First trial ${moment(study.first)}, last ${moment(study.last)}`,
      content: [
        make('p', {}, progressOf(study), ' ', link(`/report${query}`, 'Its report')),
        totals(progress, null),
        section('How far it is', progressMatrix(progress, id)),
        section('Latest trials', trialsTable('Latest trials', trials),
          make('p', {}, link(`/trials${query}`, 'All of its trials'))),
        section('Its file', make('pre', { tabindex: '0' }, study.text)),
      ],
    };
  }

  function choice(name, title, options, chosen) {
    return make('label', {}, title, make('select', { name },
      make('option', { value: '' }, 'all'),
      options.map(([value, text]) => make('option', { value, selected: value === chosen }, text))));
  }

  function trialsForm(parameters, axes, studies) {
    const of = (name) => choice(name, name, axes[name].map((value) => [value, value || 'none']), parameters[name]);
    return make('form.choice', { action: '/trials' },
      choice('study', 'study', studies.map((study) => [study.id, study.name]), parameters.study),
      ['binding', 'model', 'task', 'loader', 'device'].map(of),
      choice('outcome', 'outcome', ['done', 'failed', 'unsupported'].map((word) => [word, word]), parameters.outcome),
      make('label', {}, 'reason or identity',
        make('input', { name: 'text', type: 'search', value: parameters.text ?? '', autocomplete: 'off' })),
      make('button', { type: 'submit' }, 'Show'));
  }

  function pager(parameters, { total, offset, trials }) {
    const shown = `${counted(offset + 1)} to ${counted(offset + trials.length)} of ${counted(total)}`;
    const to = (place, text) => link(`/trials${searchOf({ ...parameters, offset: place })}`, text);
    return make('nav.pager', { 'aria-label': 'Parts of the list' },
      make('span', {}, trials.length === 0 ? 'No trial' : shown),
      offset > 0 ? to(Math.max(0, offset - PAGE), 'Newer') : null,
      offset + trials.length < total ? to(offset + PAGE, 'Older') : null);
  }

  // Scrolls with the page.
  function whole(element) {
    element.classList.add('whole');
    return element;
  }

  async function trialsPage() {
    const parameters = Object.fromEntries(new URLSearchParams(globalThis.location.search));
    const [list, { axes }, { studies }] = await Promise.all([
      ask(`/trials${searchOf({ ...parameters, limit: PAGE })}`), ask('/progress'), ask('/studies'),
    ]);
    return {
      version: list.version,
      title: 'Trials',
      subtitle: 'The newest first',
      content: [
        trialsForm(parameters, axes, studies),
        pager(parameters, list),
        whole(trialsTable('Trials', list.trials)),
        pager(parameters, list),
      ],
    };
  }

  function facts(entries) {
    return make('dl.facts', {}, entries.filter(([, value]) => value !== '' && value !== null)
      .map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value))));
  }

  function figureElement(figure) {
    return make('figure', { id: figure.id, 'data-kind': figure.kind },
      make('figcaption', {}, figure.title),
      make('div.plot', { role: 'img', 'aria-label': figure.title }),
      make('p.links', {}));
  }

  // Nothing where there are none.
  function folded(title, count, content) {
    return count === 0 ? null : make('details.data', {}, make('summary', {}, `${title}, ${counted(count)}`), content);
  }

  function namedTexts(title, name, texts) {
    const entries = Object.entries(texts);
    return folded(title, entries.length, table(name, title, ['name', 'value'], entries.map(([key, value]) => [
      make('th', { scope: 'row' }, key), make('td.long', {}, value)])));
  }

  function curveTable(curve) {
    const heads = ['epoch', 'loss', 'training accuracy', 'test accuracy'];
    return folded('By epoch', curve.length, table('epochs', 'By epoch', heads, curve.map((point) =>
      [point.epoch, point.loss, point.train_accuracy, point.test_accuracy].map((value) => numberCell(value)))));
  }

  function seriesTable(series) {
    const heads = ['metric', 'epoch', 'n', 'values'];
    const rows = series.map(({ metric, epoch, n, values }) => [
      make('th', { scope: 'row' }, metric), numberCell(epoch), numberCell(n),
      make('td.long', {}, values.slice(0, FEW).map((value) => rounded(value)).join(' '), n > FEW ? ' …' : ''),
    ]);
    return folded('Series', series.length, table('series', 'Series', heads, rows));
  }

  function logOf(trial) {
    if (trial.log_bytes === 0) {
      return make('p.empty', {}, 'It printed nothing.');
    }
    const shown = counted(trial.log_bytes - trial.log_from);
    const cut = trial.log_from > 0 ? `, of which the last ${shown} are here` : '';
    return [
      make('p', {}, `${counted(trial.log_bytes)} bytes${cut}. `,
        link(`${API}/trials/${trial.identity}/log`, 'The whole log')),
      make('pre', { tabindex: '0', id: 'log' }, trial.log),
    ];
  }

  function factsOf(trial) {
    const studies = trial.studies.flatMap((study, i) => [i > 0 ? ', ' : '', link(`/studies/${study.id}`, study.name)]);
    return facts([
      ['data set', trial.dataset], ['device', trial.device], ['loader', trial.loader], ['variant', trial.variant],
      ['measure', trial.measure], ['weights', trial.weights], ['seed', String(trial.seed)],
      ['repeat', String(trial.repeat)], ['started', moment(trial.started)], ['seconds', rounded(trial.wall)],
      ['user, system', trial.user === null ? '' : `${rounded(trial.user)}, ${rounded(trial.system)} s`],
      ['peak memory', bytes(trial.peak_memory)], ['studies', make('span', {}, studies)],
    ]);
  }

  function measuredOf(trial) {
    const { figures } = trial.figures;
    return figures.length === 0 ? null : section('Measured', make('div.figures', {}, figures.map(figureElement)),
      curveTable(trial.curve), seriesTable(trial.series));
  }

  function originOf(trial) {
    const settings = trial.settings.map((each) => [make('th', { scope: 'row' }, each.name),
      make('td.long', {}, each.requested), make('td.long', {}, each.effective)]);
    return section('What it was',
      folded('Settings', settings.length, table('settings', 'Settings', ['name', 'requested', 'effective'], settings)),
      namedTexts('Facts', 'facts', trial.facts), namedTexts('Worker', 'worker', trial.worker),
      namedTexts('Machine', 'host', trial.host));
  }

  async function trialPage(id) {
    const trial = await ask(`/trials/${id}`);
    return {
      title: `${trial.binding} on ${trial.model}, ${trial.task}`,
      subtitle: `Trial ${trial.identity}`,
      content: [
        make('p', {}, outcome(trial.outcome)),
        trial.reason ? make('p.reason', {}, trial.reason) : null,
        factsOf(trial),
        measuredOf(trial),
        section('Its log', logOf(trial)),
        originOf(trial),
      ],
      figures: trial.figures,
    };
  }

  // What the server has made of a document: escaped there, and no script in it would run here.
  function sectionsOf(html) {
    const body = new DOMParser().parseFromString(html, 'text/html').body;
    return [...body.childNodes];
  }

  async function reportPage() {
    const { study } = Object.fromEntries(new URLSearchParams(globalThis.location.search));
    const query = searchOf({ study });
    const [report, { studies }] = await Promise.all([ask(`/report${query}`), ask('/studies')]);
    return {
      version: report.version,
      title: 'Report',
      subtitle: report.subtitle,
      content: [
        make('form.choice', { action: '/report' },
          choice('study', 'study', studies.map((each) => [each.id, each.name]), study),
          make('button', { type: 'submit' }, 'Show')),
        ...sectionsOf(report.html),
      ],
      figures: report.figures,
      tables: query,
    };
  }

  function comparedTable(name, title, rows, { a, b }) {
    if (rows.length === 0) {
      return make('p.empty', {}, `Nothing was measured in both of them for this: ${title.toLowerCase()}.`);
    }
    const heads = ['what', 'where', 'ratio', 'from', 'to', 'noise', 'verdict', 'p, Holm', "Cliff's delta", 'effect',
      `median, ${b}`, `median, ${a}`, `n, ${b}`, `n, ${a}`];
    return table(name, title, heads, rows.map((row) => [
      textCell(row.what), textCell(row.where),
      ...[row.ratio, row.ratio_low, row.ratio_high, row.noise].map((value) => numberCell(value)),
      textCell(row.verdict),
      ...[row.p_adjusted, row.cliffs_delta].map((value) => numberCell(value)),
      textCell(row.effect),
      ...[row.median_b, row.median_a, row.n_b, row.n_a].map((value) => numberCell(value)),
    ]));
  }

  function compareForm({ axes: { binding: bindings }, usual_binding: usual }, studies, parameters) {
    const other = bindings.find((binding) => binding !== usual);
    const pick = (name, title, otherwise) => make('label', {}, title, make('select', { name }, bindings.map((binding) =>
      make('option', { value: binding, selected: binding === (parameters[name] ?? otherwise) }, binding))));
    return make('form.choice', { action: '/compare' }, pick('b', 'binding', other), pick('a', 'against', usual),
      choice('study', 'study', studies.map((each) => [each.id, each.name]), parameters.study),
      make('button', { type: 'submit' }, 'Compare'));
  }

  async function comparePage() {
    const parameters = Object.fromEntries(new URLSearchParams(globalThis.location.search));
    const [progress, { studies }] = await Promise.all([ask('/progress'), ask('/studies')]);
    const form = compareForm(progress, studies, parameters);
    const title = 'Compare two bindings';
    if (!parameters.a || !parameters.b) {
      return { title, subtitle: 'Times, scores and verdicts of any two, whatever their frameworks', content: [form] };
    }
    const found = await ask(`/comparison${searchOf(parameters)}`);
    const verdicts = found.verdicts.map((each) => [
      make('th', { scope: 'row' }, each.model), textCell(outcome(each.b)), textCell(outcome(each.a))]);
    return {
      version: found.version,
      title: `${found.b} against ${found.a}`,
      subtitle: 'A ratio of 2 means twice as long, or twice the score; its interval is that of 95 %',
      content: [
        form,
        section('Times', comparedTable('times', 'Seconds', found.times, found)),
        section('Scores', comparedTable('scores', 'Scores of trained models', found.scores, found)),
        section('What the referee says', table('verdicts', 'Verdicts', ['model', found.b, found.a], verdicts)),
        ...sectionsOf(found.html),
      ],
      figures: found.figures,
    };
  }

  function pageOf(path) {
    const [first, second] = path.split('/').slice(1);
    if (second) {
      return { trials: () => trialPage(second), studies: () => studyPage(second) }[first];
    }
    return { '': overview, trials: trialsPage, report: reportPage, compare: comparePage }[first];
  }

  globalThis.crossbindViews = { pageOf };
})();
