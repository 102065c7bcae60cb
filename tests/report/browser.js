// What the tests of pages share: a browser, pages that must not complain, axe and a validator.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { after, before } from 'node:test';
import { HtmlValidate } from 'html-validate';
import { chromium } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const pictures = path.resolve(process.env.CROSSBIND_SCREENSHOTS);

export const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, deviceScaleFactor: 2 };

let browser;
before(async () => {
  mkdirSync(pictures, { recursive: true });
  browser = await chromium.launch({ executablePath: process.env.CROSSBIND_CHROMIUM, args: ['--no-sandbox'] });
});
after(() => browser?.close());

export function picture(name) {
  return path.join(pictures, `${name}.png`);
}

// A page that must not complain and must not ask for anything but what `isAllowed` takes.
export async function open(address, isAllowed, use, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(180_000); // a loaded machine is no failure
  const complaints = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => isAllowed(request.url()) || complaints.push(request.url()));
  await page.goto(address);
  try {
    await use(page, complaints);
    assert.deepEqual(complaints, []);
  } finally {
    await context.close();
  }
}

export async function drawAll(page) {
  await page.evaluate(() => globalThis.dispatchEvent(new Event('beforeprint')));
  await page.waitForFunction(() => [...document.querySelectorAll('figure')].every((figure) => figure.dataset.drawn));
}

// Opens the tables of a section. Not by a click before its figures are drawn: those may yet move it by some pixels.
export async function unfold(page, section) {
  await drawAll(page);
  await page.locator(`${section} details.data summary`).click();
  await page.locator(`${section} details.data[open]`).waitFor();
}

// How many marks each figure has.
export function marksOf(page) {
  const kinds = ['rect', 'symbol', 'line'].map((kind) => `svg .mark-${kind} path`).join();
  return page.locator('figure').evaluateAll((figures, selector) =>
    figures.map((figure) => figure.querySelectorAll(selector).length), kinds);
}

export async function expectNothingSticksOut(page) {
  // Not innerWidth: a phone makes that as wide as what sticks out.
  const { width } = page.viewportSize();
  const scroll = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(scroll <= width, `${scroll} pixels wide on ${width}`);
}

export async function seriousFindings(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  return violations.filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).slice(0, 3).join(' ')}`);
}

export async function faultsOf(html) {
  const validator = new HtmlValidate({ extends: ['html-validate:standard'], rules: { 'long-title': 'off' } });
  const report = await validator.validateString(html);
  return report.results.flatMap(({ messages }) => messages.map((each) => `${each.line}: ${each.message}`));
}
