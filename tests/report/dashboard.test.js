// The dashboard in a browser, served by the program: plots, live updates, logs, comparisons, themes, a phone, the
// keyboard, accessibility. Environment as in report.test.js, and CROSSBIND_PROGRAM, the program; CROSSBIND_MADE_UP,
// what writes the made-up store and adds trials to it.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import {
  drawAll, expectNothingSticksOut, faultsOf, marksOf, open as openPage, PHONE, picture, seriousFindings,
  unfold,
} from './browser.js';

const PAGES = {
  overview: '', trials: 'trials', report: 'report', compare: 'compare?a=pytorch%2Fpython&b=tensorflow%2Fjavascript',
};
const FAILED = 'api/v1/trials?outcome=failed';

const folder = mkdtempSync(path.join(os.tmpdir(), 'crossbind-dashboard-'));
const store = path.join(folder, 'made-up.db');
const servers = [];

function addTrials(...identities) {
  execFileSync(process.env.CROSSBIND_MADE_UP, [store, ...identities]);
}

// Where it listens.
function serve(environment = {}, port = '0') {
  const server = spawn(process.env.CROSSBIND_PROGRAM, ['serve', '--store', store, '--port', port, '--json'],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...environment } });
  servers.push(server);
  return new Promise((resolve, reject) => {
    server.stdout.once('data', (line) => resolve(JSON.parse(line).url));
    server.once('exit', (code) => reject(new Error(`serve ended with ${code}`)));
  });
}

let address;
before(async () => {
  addTrials();
  address = await serve();
});
after(() => {
  for (const server of servers) {
    server.removeAllListeners('exit');
    server.kill('SIGKILL');
  }
  rmSync(folder, { recursive: true });
});

async function ask(what) {
  return (await fetch(address + what)).json();
}

function isOurs(url) {
  return url.startsWith(address) || /^(data|blob):/.test(url);
}

// With what it names shown in it.
function open(what, use, options) {
  return openPage(address + what, isOurs, async (page, complaints) => {
    await page.waitForFunction(() => document.getElementById('view').dataset.shown);
    await use(page, complaints);
  }, options);
}

test('The page is valid HTML, and so is what it comes to', async () => {
  assert.deepEqual(await faultsOf(await (await fetch(address)).text()), []);
  for (const what of Object.values(PAGES)) {
    await open(what, async (page) => {
      const html = await page.locator('main').evaluate((main) => main.innerHTML);
      // A browser writes void elements and attributes without a value in another way than people do.
      const head = '<!DOCTYPE html>\n<html lang="en"><head><title>x</title></head>';
      const found = await faultsOf(`${head}<body><main>${html}</main></body></html>`);
      assert.deepEqual(found.filter((fault) => !/void element|omit value|Trailing slash|inline style/i.test(fault)), [], what);
    });
  }
});

test('A policy without inline scripts and styles holds, and every plot of the report is drawn', () =>
  open(PAGES.report, async (page) => {
    const violations = await page.evaluate(() => {
      globalThis.violations = [];
      document.addEventListener('securitypolicyviolation',
        (event) => globalThis.violations.push(event.violatedDirective));
      return globalThis.violations;
    });
    assert.deepEqual(violations, []);
    await drawAll(page);
    const marks = await marksOf(page);
    assert.equal(marks.length, (await ask('api/v1/figures')).figures.length);
    assert.ok(marks.length > 10 && marks.every((count) => count > 0), `marks: ${marks}`);
    assert.deepEqual(await page.evaluate(() => globalThis.violations), []);
    await page.screenshot({ path: picture('dashboard-report'), fullPage: true });
  }));

test('The overview shows studies, how far they are, and the latest trials', () => open(PAGES.overview, async (page) => {
  assert.match(await page.locator('.tiles').textContent(), /132 trials.*130 done.*1 failed.*1 unsupported/s);
  assert.equal(await page.locator('#table-studies tbody tr').count(), 1);
  assert.equal(await page.locator('#table-trials tbody tr').count(), 10);
  const java = page.locator('#table-progress tr', { has: page.getByText('tensorflow/java', { exact: true }) });
  assert.match(await java.textContent(), /1 failed/);
  await page.screenshot({ path: picture('dashboard-overview'), fullPage: true });
}));

test('What is stored meanwhile appears without loading the page again', () => open(PAGES.overview, async (page) => {
  await page.evaluate(() => { globalThis.isSame = true; });
  await page.locator('#live[data-state=live]').waitFor();
  const { trials } = await ask('api/v1/progress');
  addTrials('aaaa01', 'aaaa02');
  await page.waitForFunction((count) => document.querySelector('.tiles b').textContent === String(count), trials + 2);
  await page.locator('#table-trials tbody tr', { hasText: 'aaaa02' }).waitFor();
  assert.match(await page.locator('#live').textContent(), new RegExp(`Live, ${trials + 2} trials`));
  assert.ok(await page.evaluate(() => globalThis.isSame));
}));

test('So does the report, and what was opened stays open', () => open(PAGES.report, async (page) => {
  await page.evaluate(() => { globalThis.isSame = true; });
  await unfold(page, '#training');
  await page.locator('#training').evaluate((element) => element.scrollIntoView());
  await page.waitForFunction(() => document.querySelector('#training-1').dataset.drawn);
  const { trials } = await ask('api/v1/progress');
  addTrials('bbbb01');
  await page.locator('.verdict', { hasText: `${trials + 1} trials` }).waitFor();
  await page.waitForFunction(() => document.querySelector('#training-1').dataset.drawn);
  assert.equal(await page.locator('#training details.data').getAttribute('open'), '');
  assert.ok(await page.evaluate(() => globalThis.isSame));
}));

test('A trial\u2019s page has its log as text, whatever the log says', async () => {
  const { trials: [{ identity }] } = await ask(FAILED);
  await open(`trials/${identity}`, async (page) => {
    assert.equal(await page.locator('main script, main b:not(.tiles b)').count(), 0);
    assert.match(await page.locator('#log').textContent(), /<\/pre><\/details><script>alert\(1\)<\/script>/);
    assert.match(await page.locator('.reason').textContent(), /=1\+1\|<b>x<\/b>/);
    await page.screenshot({ path: picture('dashboard-failed-trial'), fullPage: true });
  });
});

test('A trial\u2019s page shows its curves and samples', async () => {
  const { trials: [{ identity }] } = await ask('api/v1/trials?task=train&measure=total&binding=pytorch%2Frust&text=0');
  await open(`trials/${identity}`, async (page) => {
    await drawAll(page);
    assert.ok((await marksOf(page)).every((count) => count > 0));
    assert.ok(await page.locator('figure').count() >= 3);
    await page.screenshot({ path: picture('dashboard-trial'), fullPage: true });
  });
});

test('Trials are filtered and paged', () => open(PAGES.trials, async (page) => {
  await page.getByLabel('binding').selectOption('pytorch/rust');
  await page.getByLabel('model').selectOption('lenet5');
  await Promise.all([page.waitForURL(/binding=pytorch/), page.getByRole('button', { name: 'Show' }).click()]);
  await page.waitForFunction(() => document.getElementById('view').dataset.shown);
  const bindings = await page.locator('#table-trials tbody tr > :nth-child(3)').allTextContents();
  assert.ok(bindings.length > 5 && bindings.every((text) => text === 'pytorch/rust'), `${bindings}`);
  assert.equal(await page.getByLabel('binding').inputValue(), 'pytorch/rust');
  await page.goto(`${address}trials`);
  const first = await page.locator('#table-trials tbody tr').first().textContent();
  await page.locator('.pager a', { hasText: 'Older' }).first().click();
  await page.waitForURL(/offset=50/);
  await page.locator('.pager a', { hasText: 'Newer' }).first().waitFor();
  assert.notEqual(await page.locator('#table-trials tbody tr').first().textContent(), first);
  await page.screenshot({ path: picture('dashboard-trials') });
}));

test('Any two bindings are compared', () => open('compare', async (page) => {
  await page.getByLabel('binding').selectOption('tensorflow/python');
  await page.getByLabel('against').selectOption('pytorch/python');
  await Promise.all([page.waitForURL(/a=pytorch/), page.getByRole('button', { name: 'Compare' }).click()]);
  await page.locator('#table-times').waitFor();
  assert.match(await page.locator('h1').textContent(), /^tensorflow\/python against pytorch\/python$/);
  const heads = await page.locator('#table-times thead th').allTextContents();
  const column = (head) => page.locator(`#table-times tbody tr > :nth-child(${heads.indexOf(head) + 1})`)
    .allTextContents();
  const ratios = await column('ratio');
  assert.ok(ratios.length >= 4 && ratios.every((ratio) => Math.abs(Number(ratio) - 2) < 0.05), `${ratios}`);
  const { times } = await ask('api/v1/comparison?a=pytorch%2Fpython&b=tensorflow%2Fpython');
  assert.deepEqual((await column('verdict')).sort(), times.map(({ verdict }) => verdict).sort());
  assert.ok((await column('noise')).every((noise) => Number(noise) > 1));
  await drawAll(page);
  assert.ok((await marksOf(page)).every((count) => count > 0));
  await page.screenshot({ path: picture('dashboard-compare'), fullPage: true });
}));

test('A study has its page, its trials and its report', () => open(PAGES.overview, async (page) => {
  await page.locator('#table-studies tbody th a').click();
  await page.waitForURL(/studies\//);
  await page.locator('pre', { hasText: 'name = "made up"' }).waitFor();
  await page.getByRole('link', { name: 'Its report' }).click();
  await page.locator('#table-verdicts').waitFor();
}));

test('It is dark where the system is, and the switch turns it', () => open(PAGES.report, async (page) => {
  const theme = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(await theme(), 'rgb(15, 20, 26)');
  await page.screenshot({ path: picture('dashboard-dark') });
  await page.getByRole('button', { name: 'Dark' }).click();
  assert.equal(await theme(), 'rgb(255, 255, 255)');
}, { colorScheme: 'dark' }));

for (const [name, what] of Object.entries(PAGES)) {
  test(`On a screen of 390 pixels nothing sticks out: ${name}`, () => open(what, async (page) => {
    await drawAll(page);
    await expectNothingSticksOut(page);
    await page.screenshot({ path: picture(`dashboard-phone-${name}`), fullPage: name !== 'report' });
  }, PHONE));

  for (const colorScheme of ['light', 'dark']) {
    test(`axe finds nothing serious, ${colorScheme}: ${name}`, () => open(what, async (page) => {
      await page.locator('details').evaluateAll((all) => all.forEach((each) => { each.open = true; }));
      await drawAll(page);
      assert.deepEqual(await seriousFindings(page), []);
    }, { colorScheme }));
  }
}

test('Everything can be reached and used by keyboard', () => open(PAGES.overview, async (page) => {
  const reached = [];
  for (let i = 0; i < 40; i += 1) {
    await page.keyboard.press('Tab');
    reached.push(await page.evaluate(() => document.activeElement.textContent || document.activeElement.id));
  }
  for (const text of ['To the content', 'Trials', 'Report', 'Compare', 'Dark', 'study']) {
    assert.ok(reached.includes(text), `${text} among ${reached}`);
  }
  await page.locator('.pages a', { hasText: 'Compare' }).focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/compare/);
  await page.getByRole('button', { name: 'Compare' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'pytorch/cpp against pytorch/python' }).waitFor();
}));

test('It says that the server is gone, and goes on when it is back', async () => {
  const url = await serve();
  const server = servers.at(-1);
  await openPage(url, () => true, async (page, complaints) => {
    await page.locator('#live[data-state=live]').waitFor();
    server.removeAllListeners('exit');
    server.kill('SIGTERM');
    await page.locator('#live[data-state=lost]').waitFor();
    addTrials('cccc01');
    await serve({}, new URL(url).port);
    await page.locator('#live[data-state=live]').waitFor();
    await page.locator('#table-trials tbody tr', { hasText: 'cccc01' }).waitFor();
    complaints.length = 0; // the browser notes each attempt that failed
  });
});

test('A server with a token asks for it once, and takes it from the address it printed', async () => {
  const token = 'a-token-for-the-browser';
  const url = await serve({ CROSSBIND_SERVE_TOKEN: token });
  const isAllowed = (each) => each.startsWith(url);
  await openPage(url, isAllowed, async (page, complaints) => {
    await page.getByLabel('token').fill('wrong');
    await page.getByRole('button', { name: 'Enter' }).click();
    await page.getByRole('alert').filter({ hasText: 'token' }).waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    await page.screenshot({ path: picture('dashboard-token') });
    await page.getByLabel('token').fill(token);
    await page.getByRole('button', { name: 'Enter' }).click();
    await page.locator('#table-studies').waitFor();
    await page.goto(`${url}trials`);
    await page.locator('#table-trials').waitFor();
    complaints.length = 0; // the browser notes what was refused
  });
  await openPage(`${url}#token=${token}`, isAllowed, async (page) => {
    await page.locator('#table-studies').waitFor();
    assert.equal(page.url(), url);
  });
});
