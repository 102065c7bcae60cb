// Figures as Vega-Lite: what a figure of a report is drawn as, given its rows and a theme. Used by the page and by
// figures.js alike; knows neither a document nor a file.

(() => {
  // Okabe and Ito's colours, which people with any colour vision can tell apart; lighter ones on dark ground. Shapes
  // and dashes tell the same as colours.
  const THEMES = {
    light: {
      text: '#1b1f24', faint: '#57606a', grid: '#d8dee4', ground: '#ffffff',
      colours: ['#0072b2', '#e69f00', '#d55e00', '#cc79a7', '#009e73', '#56b4e9', '#8a8a00', '#666666'],
      heat: ['#eaf2f8', '#0b3c5d'], onHeat: ['#10212e', '#ffffff'],
    },
    dark: {
      text: '#e6edf3', faint: '#9da7b3', grid: '#30363d', ground: '#0f141a',
      colours: ['#5bb0f0', '#f0b440', '#ff8552', '#e6a0c8', '#3ec99a', '#9bd5f5', '#e6dd4a', '#b0b0b0'],
      heat: ['#18242f', '#8fd0fa'], onHeat: ['#e6edf3', '#0b1a26'],
    },
  };
  const LANGUAGES = ['python', 'javascript', 'rust', 'csharp', 'cpp', 'java'];
  const PARTS = ['load', 'forward', 'backward'];
  const SHAPES = [
    'circle', 'square', 'triangle-up', 'diamond', 'cross', 'triangle-down', 'triangle-right', 'triangle-left',
  ];
  const DASHES = [[1, 0], [6, 2], [2, 2], [8, 2, 2, 2], [4, 4], [1, 3], [10, 3], [3, 1]];
  const LOGARITHMIC = 30; // numbers that are further apart than this have a logarithmic axis
  const MOST_LABEL = 230; // pixels, and no more than this share of a figure
  const MOST_LABEL_SHARE = 0.42;
  const FEW_EPOCHS = 10; // that all are named
  const MOST_MARKERS = 15; // on a curve
  const LEGEND_COLUMNS = 3;
  const LEGEND_ROW = 16; // pixels, about
  const AROUND = { spread: 50, ratio: 50, parts: 64, curve: 70, heat: 36 }; // of a plot: axes, padding, the same
  const DARK = 0.01; // a distance of curves that is darkest, where none is larger: a percentage point

  function configOf(theme, width) {
    return {
      background: 'transparent',
      aria: false, // a figure has its name and its table; a name for every dot would be noise
      font: 'system-ui, sans-serif',
      view: { stroke: null },
      axis: {
        labelColor: theme.text, titleColor: theme.faint, gridColor: theme.grid, domainColor: theme.grid,
        tickColor: theme.grid, labelFontSize: 12, titleFontSize: 12, titleFontWeight: 'normal', 
        labelLimit: Math.min(MOST_LABEL, MOST_LABEL_SHARE * width),
      },
      legend: {
        labelColor: theme.text, titleColor: theme.faint, orient: 'bottom', title: null, labelFontSize: 12,
        columns: LEGEND_COLUMNS,
        labelLimit: MOST_LABEL, // without a canvas to measure by, text is taken for wider than it is
        symbolStrokeWidth: 2, symbolOpacity: 1,
      },
      text: { color: theme.text },
    };
  }

  function scaleAndAxis(values) {
    const known = values.filter((value) => typeof value === 'number');
    const low = Math.min(...known);
    const isLogarithmic = low > 0 && Math.max(...known) / low > LOGARITHMIC;
    return isLogarithmic
      ? { scale: { type: 'log', nice: false, padding: 16 }, axis: { tickCount: 4, format: '~g' } }
      : { scale: { zero: true, nice: true }, axis: { tickCount: 8 } };
  }

  // In pixels, at so many a row: Vega-Lite's own steps go with no width that fits the page.
  function heightOf(labels, step) {
    return new Set(labels).size * step;
  }

  function fields(...names) {
    return names.map((field) => ({ field }));
  }

  const byBinding = { field: 'binding', type: 'nominal', sort: null, title: null };

  // A box, a line from end to end, and below them every sample as a dot.
  function spread(figure, rows, theme) {
    const fitting = scaleAndAxis(rows.flatMap((row) => [row.min, row.max]));
    const x = (field) => ({ field, type: 'quantitative', title: figure.unit, ...fitting });
    const [blue, orange] = theme.colours;
    const tooltip = fields('binding', 'n', 'min', 'q1', 'median', 'q3', 'max');
    return {
      height: heightOf(rows.map((row) => row.binding), 34),
      encoding: { y: byBinding },
      layer: [
        { mark: { type: 'rule', color: theme.faint, yOffset: -5 }, encoding: { x: x('min'), x2: { field: 'max' } } },
        {
          mark: { type: 'bar', size: 13, color: blue, fillOpacity: 0.35, stroke: blue, strokeWidth: 1, yOffset: -5 },
          encoding: { x: x('q1'), x2: { field: 'q3' }, tooltip },
        },
        {
          mark: { type: 'tick', color: theme.text, thickness: 2.5, size: 17, yOffset: -5 },
          encoding: { x: x('median'), tooltip },
        },
        {
          transform: [{ flatten: ['dots'], as: ['sample'] }],
          mark: { type: 'circle', color: orange, size: 26, opacity: 0.6, yOffset: 9 },
          encoding: { x: x('sample'), tooltip: fields('binding', 'sample') },
        },
      ],
    };
  }

  function ratio(figure, rows, theme) {
    const x = (field) => ({
      field, type: 'quantitative', title: figure.unit,
      scale: { type: 'log', nice: false, padding: 24, domain: domainOfRatios(rows) },
      axis: { format: '~g', tickCount: 5 },
    });
    return {
      transform: [{ filter: 'isValid(datum.ratio)' }],
      height: heightOf(rows.filter((row) => row.ratio !== null).map((row) => row.binding), 34),
      encoding: { y: byBinding },
      layer: [
        {
          data: { values: [{}] },
          mark: { type: 'rule', color: theme.faint, strokeDash: [4, 3] },
          encoding: { x: { datum: 1 }, y: null },
        },
        {
          transform: [{ filter: 'isValid(datum.low)' }],
          mark: { type: 'rule', color: theme.colours[0], strokeWidth: 3 },
          encoding: { x: x('low'), x2: { field: 'high' } },
        },
        {
          mark: { type: 'point', filled: true, color: theme.colours[2], size: 70, shape: 'diamond', opacity: 1 },
          encoding: { x: x('ratio'), tooltip: fields('binding', 'ratio', 'low', 'high', 'p', 'significant') },
        },
        {
          mark: { type: 'text', dy: -11, fontSize: 11, color: theme.text },
          encoding: { x: x('ratio'), text: { field: 'ratio', format: '.2f' } },
        },
      ],
    };
  }

  function domainOfRatios(rows) {
    const all = rows.flatMap((row) => [row.ratio, row.low, row.high]).filter((value) => typeof value === 'number');
    return [Math.min(0.8, ...all), Math.max(1.25, ...all)];
  }

  function parts(figure, rows, theme) {
    const [load, forward, backward] = [theme.colours[5], theme.colours[0], theme.colours[2]];
    const ways = new Set(rows.map((row) => row.loader));
    return {
      transform: [
        { calculate: ways.size > 1 ? "datum.binding + ', ' + datum.loader" : 'datum.binding', as: 'label' },
        { fold: PARTS, as: ['part', 'seconds'] },
        { filter: 'isValid(datum.seconds)' },
        { calculate: "indexof(['load', 'forward', 'backward'], datum.part)", as: 'place' },
      ],
      height: heightOf(rows.map((row) => `${row.binding}, ${row.loader}`), 26),
      mark: { type: 'bar', stroke: theme.ground, strokeWidth: 1 },
      encoding: {
        y: { field: 'label', type: 'nominal', sort: null, title: null },
        x: { field: 'seconds', type: 'quantitative', title: figure.unit, stack: 'zero', axis: { tickCount: 6 } },
        order: { field: 'place' },
        color: {
          field: 'part', type: 'nominal',
          scale: { domain: PARTS, range: [load, forward, backward] },
        },
        tooltip: fields('label', 'part', 'seconds', 'n'),
      },
    };
  }

  function languageOf(binding) {
    return binding.slice(binding.indexOf('/') + 1);
  }

  function epochAxis(rows) {
    const epochs = [...new Set(rows.map((row) => row.epoch))];
    return epochs.length <= FEW_EPOCHS ? { values: epochs, format: 'd' } : { tickMinStep: 1, format: 'd' };
  }

  // Marks on a long curve would hide it.
  function markerStep(rows) {
    return Math.ceil(new Set(rows.map((row) => row.epoch)).size / MOST_MARKERS);
  }

  function curve(figure, rows, theme) {
    const names = [...new Set(rows.map((row) => row.binding))];
    const others = names.map(languageOf).filter((name) => !LANGUAGES.includes(name));
    const place = (name) => [...LANGUAGES, ...others].indexOf(languageOf(name)) % SHAPES.length;
    const scale = (range) => ({ domain: names, range: names.map((name) => range[place(name)]) });
    const color = { field: 'binding', type: 'nominal', sort: null, scale: scale(theme.colours) };
    const y = (field) => ({
      field, type: 'quantitative', title: figure.unit, scale: { zero: false, nice: true }, axis: { format: '.1%' },
    });
    return {
      height: 220,
      encoding: {
        x: {
          field: 'epoch', type: 'quantitative', title: 'epoch', axis: epochAxis(rows),
          scale: { nice: false, padding: 8, zero: false },
        },
        color,
      },
      layer: [
        { mark: { type: 'area', opacity: 0.18, tooltip: false }, encoding: { y: y('low'), y2: { field: 'high' } } },
        {
          mark: { type: 'line', strokeWidth: 2 },
          encoding: {
            y: y('mean'), strokeDash: { field: 'binding', type: 'nominal', sort: null, scale: scale(DASHES) },
          },
        },
        {
          transform: [{ filter: `(datum.epoch - ${rows[0].epoch}) % ${markerStep(rows)} === 0` }],
          mark: { type: 'point', filled: true, size: 45, opacity: 1 },
          encoding: {
            y: y('mean'),
            shape: { field: 'binding', type: 'nominal', sort: null, scale: scale(SHAPES) },
            tooltip: fields('binding', 'epoch', 'n', 'low', 'mean', 'high'),
          },
        },
      ],
    };
  }

  function heat(figure, rows, theme) {
    const full = Math.max(DARK, ...rows.map((row) => row.mean));
    const names = [...new Set(rows.flatMap((row) => [row.a, row.b]))];
    const axis = { sort: names, title: null, axis: { labelAngle: 0, grid: false } };
    return {
      height: heightOf(names, 38),
      data: { values: rows.flatMap((row) => [row, { ...row, a: row.b, b: row.a }]) },
      encoding: { x: { field: 'a', type: 'nominal', ...axis }, y: { field: 'b', type: 'nominal', ...axis } },
      layer: [
        {
          mark: { type: 'rect', stroke: theme.ground, strokeWidth: 2 },
          encoding: {
            color: {
              field: 'mean', type: 'quantitative', legend: null,
              scale: { domain: [0, full], range: theme.heat },
            },
            tooltip: fields('a', 'b', 'n', 'mean', 'max'),
          },
        },
        {
          mark: { type: 'text', fontSize: 12 },
          encoding: {
            text: { field: 'mean', format: '.2~g' },
            color: {
              condition: { test: `datum.mean > ${0.5 * full}`, value: theme.onHeat[1] }, value: theme.onHeat[0],
            },
          },
        },
      ],
    };
  }

  const KINDS = { spread, ratio, parts, curve, heat };

  // The rows of a figure as objects, each with its samples in `dots`.
  function rowsOf(figure, tables) {
    const { columns, rows, dots } = tables[figure.table];
    return rows.slice(figure.first, figure.first + figure.count).map((cells, i) => ({
      ...Object.fromEntries(columns.map((column, j) => [column, cells[j]])),
      dots: dots ? dots[figure.first + i] : [],
    }));
  }

  // `width` is that of the place, in pixels.
  function specOf(figure, tables, themeName, width) {
    const theme = THEMES[themeName];
    const rows = rowsOf(figure, tables);
    return {
      $schema: 'https://vega.github.io/schema/vega-lite/v5.json',
      description: figure.title,
      width: 'container',
      autosize: { type: 'fit-x', contains: 'padding' },
      padding: 4,
      data: { values: rows },
      ...KINDS[figure.kind](figure, rows, theme),
      config: configOf(theme, width),
    };
  }

  // The names in a figure's legend.
  function legendOf(kind, rows) {
    if (kind === 'parts') {
      return PARTS;
    }
    return kind === 'curve' ? [...new Set(rows.map((row) => row.binding))] : [];
  }

  // The height that a figure will have, in pixels, to the few that fonts make: the page keeps it free.
  function roomFor(figure, tables) {
    const rows = rowsOf(figure, tables);
    const { height } = KINDS[figure.kind](figure, rows, THEMES.light);
    return height + AROUND[figure.kind] + LEGEND_ROW * Math.ceil(legendOf(figure.kind, rows).length / LEGEND_COLUMNS);
  }

  globalThis.crossbindPlots = { specOf, rowsOf, roomFor, THEMES };
})();
