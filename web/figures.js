// Draws the figures of a report to files: node figures.js MODULES DATA FOLDER svg|png. MODULES is where npm has put
// Vega and resvg, DATA what `crossbind report` knows of the figures.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import './plots.js';

const [modules, dataFile, folder, format] = process.argv.slice(2);
const load = createRequire(path.join(path.resolve(modules), 'from.js'));
const vega = load('vega');
const vegaLite = load('vega-lite');
const { specOf, THEMES } = globalThis.crossbindPlots;

const WIDTH = 640;
const SCALE = 2; // of PNG

async function svgOf(figure, tables) {
  const spec = { ...specOf(figure, tables, 'light', WIDTH), width: WIDTH, background: THEMES.light.ground };
  const compiled = vegaLite.compile({ ...spec, title: { text: figure.title, anchor: 'start' } }).spec;
  const view = new vega.View(vega.parse(compiled), { renderer: 'none' });
  const svg = await view.toSVG();
  view.finalize();
  return svg;
}

function pngOf(svg) {
  const { Resvg } = load('@resvg/resvg-js');
  const options = { fitTo: { mode: 'zoom', value: SCALE }, font: { defaultFontFamily: 'DejaVu Sans' } };
  return new Resvg(svg, options).render().asPng();
}

const { figures, tables } = JSON.parse(readFileSync(dataFile, 'utf8'));
mkdirSync(folder, { recursive: true });
for (const figure of figures) {
  const svg = await svgOf(figure, tables);
  writeFileSync(path.join(folder, `${figure.id}.${format}`), format === 'png' ? pngOf(svg) : svg);
}
