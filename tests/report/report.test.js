// The report's page in a browser: validity, plots, sorting, filtering, themes, a phone, the keyboard, accessibility.
// Environment: CROSSBIND_REPORT, a folder that `crossbind report` has written; CROSSBIND_CHROMIUM, the browser;
// CROSSBIND_SCREENSHOTS, where pictures go.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import {
  drawAll, expectNothingSticksOut, faultsOf, marksOf, open as openPage, PHONE, picture, seriousFindings, unfold,
} from './browser.js';

const index = path.join(path.resolve(process.env.CROSSBIND_REPORT), 'index.html');

function open(use, options) {
  return openPage(pathToFileURL(index).href, (address) => /^(file|data|blob):/.test(address), use, options);
}

function column(page, table, number) {
  return page.locator(`${table} tbody tr:not([hidden]) > :nth-child(${number})`).allTextContents();
}

test('The page is valid HTML', async () => {
  // Scripts are not HTML, and a megabyte of them takes minutes.
  const html = readFileSync(index, 'utf8').replaceAll(/(<script[^>]*>).*?(<\/script>)/gs, '$1$2');
  assert.deepEqual(await faultsOf(html), []);
});

test('Every figure is drawn, with marks in it', () => open(async (page) => {
  await drawAll(page);
  const marks = await marksOf(page);
  assert.ok(marks.length > 10, `${marks.length} figures`);
  assert.ok(marks.every((count) => count > 0), `marks: ${marks}`);
  await page.screenshot({ path: picture('light'), fullPage: true });
}));

test('Figures are drawn when they come into view', () => open(async (page) => {
  const last = page.locator('figure').last();
  assert.equal(await last.getAttribute('data-drawn'), null);
  await last.scrollIntoViewIfNeeded();
  await page.waitForFunction((element) => element.dataset.drawn, await last.elementHandle());
}));

test('What is below a figure stays where it is when the figure is drawn', () => open(async (page) => {
  const height = () => page.evaluate(() => document.documentElement.scrollHeight);
  const before = await height();
  await drawAll(page);
  const moved = Math.abs(await height() - before);
  assert.ok(moved <= 0.02 * before, `${moved} of ${before} pixels`); // fonts differ by some pixels a figure
}));

test('A table sorts by a column, up and down, numbers as numbers', () => open(async (page) => {
  await unfold(page, '#training');
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
  await why.screenshot({ path: picture('why') });
}));

test('CSV of a table and of a figure can be saved', () => open(async (page) => {
  await drawAll(page); // what is below a figure may yet move by some pixels
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
  await page.screenshot({ path: picture('dark'), fullPage: true });
  await page.getByRole('button', { name: 'Dark' }).click();
  assert.deepEqual(await theme(), ['light', 'rgb(255, 255, 255)']);
  await page.waitForFunction(() => document.querySelector('figure').dataset.drawn === 'light');
}, { colorScheme: 'dark' }));

test('On a screen of 390 pixels nothing sticks out', () => open(async (page) => {
  await drawAll(page);
  await expectNothingSticksOut(page);
  const inner = page.viewportSize().width;
  const widths = await page.locator('figure svg').evaluateAll((all) =>
    all.map((svg) => svg.getBoundingClientRect().right));
  assert.ok(widths.every((right) => right <= inner), `${widths}`);
  await page.screenshot({ path: picture('phone'), fullPage: true });
}, PHONE));

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
