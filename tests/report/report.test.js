// The report's page in a browser: validity, plots, sorting, filtering, themes, a phone, the keyboard, accessibility.
// Environment: CROSSBIND_REPORT, a folder that `crossbind report` has written; CROSSBIND_CHROMIUM, the browser;
// CROSSBIND_SCREENSHOTS, where pictures go.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { HtmlValidate } from 'html-validate';
import { chromium } from 'playwright-core';

const folder = path.resolve(process.env.CROSSBIND_REPORT);
const pictures = path.resolve(process.env.CROSSBIND_SCREENSHOTS ?? path.join(folder, 'screenshots'));
const index = path.join(folder, 'index.html');
const address = pathToFileURL(index).href;
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser;
before(async () => {
  mkdirSync(pictures, { recursive: true });
  browser = await chromium.launch({ executablePath: process.env.CROSSBIND_CHROMIUM, args: ['--no-sandbox'] });
});
after(() => browser?.close());

// A page that must not complain and must not ask for anything.
async function open(use, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(180_000); // a loaded machine is no failure
  const complaints = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => /^(file|data|blob):/.test(request.url()) || complaints.push(request.url()));
  await page.goto(address);
  try {
    await use(page);
    assert.deepEqual(complaints, []);
  } finally {
    await context.close();
  }
}

async function drawAll(page) {
  await page.evaluate(() => globalThis.dispatchEvent(new Event('beforeprint')));
  await page.waitForFunction(() => [...document.querySelectorAll('figure')].every((figure) => figure.dataset.drawn));
}

function column(page, table, number) {
  return page.locator(`${table} tbody tr:not([hidden]) > :nth-child(${number})`).allTextContents();
}

async function seriousFindings(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  return violations.filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).slice(0, 3).join(' ')}`);
}

test('The page is valid HTML', async () => {
  const validator = new HtmlValidate({ extends: ['html-validate:standard'], rules: { 'long-title': 'off' } });
  // Scripts are not HTML, and a megabyte of them takes minutes.
  const html = readFileSync(index, 'utf8').replaceAll(/(<script[^>]*>).*?(<\/script>)/gs, '$1$2');
  const report = await validator.validateString(html);
  const findings = report.results.flatMap(({ messages }) => messages.map((each) => `${each.line}: ${each.message}`));
  assert.deepEqual(findings, []);
});

test('Every figure is drawn, with marks in it', () => open(async (page) => {
  await drawAll(page);
  const kinds = ['rect', 'symbol', 'line'].map((kind) => `svg .mark-${kind} path`).join();
  const marks = await page.locator('figure').evaluateAll((figures, selector) =>
    figures.map((figure) => figure.querySelectorAll(selector).length), kinds);
  assert.ok(marks.length > 10, `${marks.length} figures`);
  assert.ok(marks.every((count) => count > 0), `marks: ${marks}`);
  await page.screenshot({ path: path.join(pictures, 'light.png'), fullPage: true });
}));

test('Figures are drawn when they come into view', () => open(async (page) => {
  const last = page.locator('figure').last();
  assert.equal(await last.getAttribute('data-drawn'), null);
  await last.scrollIntoViewIfNeeded();
  await page.waitForFunction((element) => element.dataset.drawn, await last.elementHandle());
}));

test('A table sorts by a column, up and down, numbers as numbers', () => open(async (page) => {
  await page.locator('#training details.data summary').click();
  const table = '#table-training_times';
  const heads = await page.locator(`${table} thead th`).allTextContents();
  const place = heads.indexOf('median') + 1;
  const head = page.locator(`${table} thead th:nth-child(${place})`);
  for (const [direction, sign] of [['ascending', 1], ['descending', -1]]) {
    await head.getByRole('button').click();
    assert.equal(await head.getAttribute('aria-sort'), direction);
    const values = (await column(page, table, place)).map(Number);
    assert.ok(values.length > 5);
    assert.deepEqual(values, [...values].sort((a, b) => sign * (a - b)));
  }
}));

test('The filter leaves rows and figures with all of its words', () => open(async (page) => {
  const all = await page.locator('figure:visible').count();
  await page.getByLabel('Filter').fill('rust lenet5');
  const bindings = await column(page, '#table-verdicts', 1);
  assert.deepEqual(bindings, []); // a row of the matrix has no model in it
  await page.getByLabel('Filter').fill('rust');
  assert.deepEqual(await column(page, '#table-verdicts', 1), ['pytorch/rust']);
  assert.ok(await page.locator('figure:visible').count() < all);
  assert.match(await page.locator('#filtered').textContent(), /^\d+ of \d+ rows$/);
  await page.getByLabel('Filter').fill('');
  assert.equal(await page.locator('figure:visible').count(), all);
}));

test('A cell of the matrix leads to its reasons', () => open(async (page) => {
  assert.equal(await page.locator('.why:visible').count(), 0);
  await page.locator('#table-verdicts .diverges a').click();
  const why = page.locator('.why:visible');
  assert.equal(await why.count(), 1);
  assert.match(await why.textContent(), /step 1, forward 'conv1'\[3\]/);
  await why.screenshot({ path: path.join(pictures, 'why.png') });
}));

test('CSV of a table and of a figure can be saved', () => open(async (page) => {
  for (const link of ['#table-verdicts .csv', '#training-1 .csv']) {
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator(link).click()]);
    const text = readFileSync(await download.path(), 'utf8');
    assert.match(download.suggestedFilename(), /\.csv$/);
    assert.match(text, /^[a-z]+,.*\n.*pytorch\/python/);
  }
}));

test('Names and logs of others are text', () => open(async (page) => {
  assert.equal(await page.locator('main script, main b').count(), 0);
  assert.match(await page.locator('#failures pre').textContent(), /<script>alert\(1\)<\/script>/);
}));

test('It is dark where the system is, and the switch turns it', () => open(async (page) => {
  const theme = () => page.evaluate(() => [document.documentElement.dataset.theme,
    getComputedStyle(document.body).backgroundColor]);
  assert.deepEqual(await theme(), ['dark', 'rgb(15, 20, 26)']);
  await drawAll(page);
  await page.screenshot({ path: path.join(pictures, 'dark.png'), fullPage: true });
  await page.getByRole('button', { name: 'Dark' }).click();
  assert.deepEqual(await theme(), ['light', 'rgb(255, 255, 255)']);
  await page.waitForFunction(() => document.querySelector('figure').dataset.drawn === 'light');
}, { colorScheme: 'dark' }));

test('On a screen of 390 pixels nothing sticks out', () => open(async (page) => {
  await drawAll(page);
  const [inner, scroll] = await page.evaluate(() => [globalThis.innerWidth, document.documentElement.scrollWidth]);
  assert.ok(scroll <= inner, `${scroll} pixels wide on ${inner}`);
  const widths = await page.locator('figure svg').evaluateAll((all) =>
    all.map((svg) => svg.getBoundingClientRect().right));
  assert.ok(widths.every((right) => right <= inner), `${widths}`);
  await page.screenshot({ path: path.join(pictures, 'phone.png'), fullPage: true });
}, { viewport: { width: 390, height: 844 }, isMobile: true, deviceScaleFactor: 2 }));

test('Everything can be reached and used by keyboard', () => open(async (page) => {
  const reached = new Set();
  for (let i = 0; i < 80; i += 1) {
    await page.keyboard.press('Tab');
    reached.add(await page.evaluate(() => {
      const at = document.activeElement;
      return at.id || at.closest('[id]')?.id;
    }));
  }
  for (const id of ['filter', 'theme', 'table-verdicts']) {
    assert.ok(reached.has(id), `${id} among ${[...reached]}`);
  }
  await page.locator('#table-verdicts .diverges a').focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement.classList.contains('why'));
  await page.locator('#table-verdicts thead button').first().focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  assert.deepEqual((await column(page, '#table-verdicts', 1)).at(-1), 'pytorch/cpp');
  await page.locator('#theme').focus();
  await page.keyboard.press('Space');
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
}));

for (const colorScheme of ['light', 'dark']) {
  test(`axe finds nothing serious, ${colorScheme}`, () => open(async (page) => {
    await page.locator('details').evaluateAll((all) => all.forEach((each) => { each.open = true; }));
    await drawAll(page);
    assert.deepEqual(await seriousFindings(page), []);
  }, { colorScheme }));
}
