import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { QueryTooSlowError, TooManyRowsError } from '../../src/core/management/index.ts';
import { findChromium } from '../support/clients/browser.ts';
import { expectGoodLook, startVisits, type Visits } from '../support/clients/console-visits.ts';
import { MODEL } from '../support/harness/http.ts';
import type { ConsoleService } from '../support/harness/http-users.ts';

const ANN = 100;
const BOB = 200;
const ADMIN = 7;

describe.skipIf(findChromium() === undefined)('the console', () => {
  let visits: Visits;
  let service: ConsoleService;
  beforeAll(async () => {
    visits = await startVisits();
    ({ service } = visits);
  });
  afterAll(() => visits?.close());
  afterEach(() => {
    service.adminIds.length = 0;
    return visits.end();
  });

  test('creates a key that works, pauses and revokes it', async () => {
    const { page } = await visits.enter(ANN);
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByText('More', { exact: true }).click();
    await expectGoodLook(page);
    await page.getByLabel('Name').fill('laptop <b>');
    await page.getByLabel('US dollars per month').fill('5');
    await page.getByRole('button', { name: 'Create' }).click();
    const secret = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
    const ask = async () => {
      const chat = { model: MODEL, messages: [{ role: 'user', content: 'Hi' }] };
      const headers = { authorization: `Bearer ${secret}` };
      return (await service.post('/ai/openai/chat/completions', chat, { headers })).status;
    };
    expect(await ask()).toBe(200);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('heading', { name: 'laptop <b>' }).waitFor();
    await page.getByText('budget: $5.00 a month').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    await expect.poll(ask).toBe(401);
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('You have no keys yet.').waitFor();
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByRole('cell', { name: MODEL }).waitFor();
  });

  test('goes on after a lost connection', async () => {
    visits.allow(/ERR_INTERNET_DISCONNECTED/);
    const { page, context } = await visits.enter(ANN);
    await page.getByRole('link', { name: 'Sessions' }).click();
    await page.getByText('this session').waitFor();
    await context.setOffline(true);
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByText('No connection to the service. Please try again.').waitFor();
    await context.setOffline(false);
    await page.getByText('You have no keys yet.').waitFor();
  });

  test('asks for a shorter period if there is too much usage', async () => {
    visits.allow(/status of (?:400|503)/);
    const { usage } = service.management;
    const { group } = usage;
    const { page } = await visits.enter(ANN);
    const refusal = page.getByText('There is too much usage in this period. Please choose a shorter one.');
    for (const error of [new TooManyRowsError(50_000), new QueryTooSlowError()]) {
      try {
        Object.assign(usage, { group: () => Promise.reject(error) });
        await page.getByLabel('Period').selectOption('90 days');
        await refusal.waitFor();
      } finally {
        Object.assign(usage, { group });
      }
      await page.getByLabel('Period').selectOption('7 days');
      await refusal.waitFor({ state: 'detached' });
    }
    // Sums of more pages than the page loads.
    await page.route('**/summary*', (route) => route.fulfill({ json: { data: [], next_cursor: 'more' } }));
    await page.getByLabel('Period').selectOption('90 days');
    await refusal.waitFor();
  });

  describe.each([
    ['light', 390, 'en-GB'],
    ['dark', 1280, 'ru-RU'],
  ] as const)('every page in %s at %i pixels (%s)', (colorScheme, width, locale) => {
    test('has no barriers, no errors, and fits the width', async () => {
      service.adminIds.push(ADMIN);
      const { page, open } = await visits.enter(ADMIN, { colorScheme, locale, viewport: { width, height: 844 } });
      const names: string[] = await page.evaluate(
        `[...document.querySelectorAll('nav a')].map(({ hash }) => hash.slice(2))`,
      );
      expect(names).toContain('audit-log');
      for (const name of names) {
        await open(name);
        await page.locator(`[data-page="${name}"]`).waitFor();
        await expectGoodLook(page);
      }
    });
  });

  test.each([1280, 390])('finds pages, keys and models by the keyboard at %i pixels', async (width) => {
    const ann = await service.signIn(ANN);
    const bob = await service.signIn(BOB);
    const [{ body: key }, { body: other }] = await Promise.all([
      ann.send('POST', '/api/me/keys', { label: 'model railway' }),
      bob.send('POST', '/api/me/keys', { label: 'model aircraft' }),
    ]);
    const { page } = await visits.enter(ANN, { viewport: { width, height: 844 } });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.keyboard.press('/');
    await page.keyboard.type('MODEL');
    const hits = page.getByRole('listbox', { name: 'Find anything' });
    await hits.getByRole('option', { name: 'model railway' }).waitFor();
    await hits.getByRole('group', { name: 'Models' }).getByRole('option', { name: MODEL }).waitFor();
    expect(await hits.getByRole('option', { name: 'model aircraft' }).count()).toBe(0);
    expect(asked.filter((path) => !path.startsWith('/api/me/'))).toEqual([]);
    await expectGoodLook(page);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByLabel('Name').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('memo');
    await hits.getByRole('option', { name: 'Memory' }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('h1:focus', { hasText: 'Memory' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('nothing');
    await page.getByText('Nothing found.').waitFor();
    await page.keyboard.press('Escape');
    await hits.waitFor({ state: 'detached' });
    await ann.send('DELETE', `/api/me/keys/${key.id}`);
    await bob.send('DELETE', `/api/me/keys/${other.id}`);
  });

  test('hides filters on phones behind a button with their number', async () => {
    const { page, open } = await visits.enter(ANN, { viewport: { width: 390, height: 844 } });
    await open('files');
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('Show').selectOption('Files');
    await page.getByRole('button', { name: 'Filters · 1' }).click();
    await page.getByLabel('Show').waitFor({ state: 'hidden' });
    await expectGoodLook(page);
  });

  test.each(['light', 'dark'] as const)('the front page leads to it, in %s', async (colorScheme) => {
    const page = await visits.openTab(await visits.openContext({ colorScheme }), '/');
    await expectGoodLook(page);
    await page.getByRole('link', { name: '/console' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  test('works with the keyboard alone', async () => {
    const { page } = await visits.enter(ANN);
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    await page.keyboard.press('Tab');
    while (!(await page.locator('a[href="#/keys"]:focus').count())) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    // The heading of the new page has the focus, so that screen readers announce it.
    await page.locator('h1:focus', { hasText: 'API keys' }).waitFor();
    await page.getByRole('button', { name: 'New key' }).press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('is less than 110 kB', async () => {
    const html = await (await fetch(`${service.url}/console/`)).text();
    const names = [...html.matchAll(/(?:src|href)="(main-[^"]+)"/g)].map(([, name]) => name);
    expect(names).toHaveLength(2);
    let bytes = 0;
    for (const name of names) {
      const headers = { 'accept-encoding': 'gzip' };
      const response = await fetch(`${service.url}/console/${name}`, { headers });
      expect(response.headers.get('content-encoding')).toBe('gzip');
      bytes += Number(response.headers.get('content-length'));
    }
    expect(bytes).toBeLessThan(110_000);
  });
});
