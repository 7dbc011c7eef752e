import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBroadcasts } from '../../src/core/broadcasts/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { FailureCount } from '../../src/lib/log/failure-count.ts';
import { createRecentLog } from '../../src/lib/log/recent-log.ts';
import { findChromium } from '../support/clients/browser.ts';
import { expectGoodLook, startVisits, type Visit, type Visits } from '../support/clients/console-visits.ts';
import { MODEL } from '../support/harness/http.ts';
import type { ConsoleService, SignedInUser } from '../support/harness/http-users.ts';

const ADMIN = 7;
const ANN = 100;
const BOB = 101;

describe.skipIf(findChromium() === undefined)('the console of an admin', () => {
  const recentLog = createRecentLog();
  const failures: FailureCount[] = [];
  let service: ConsoleService;
  let visits: Visits;
  let page: Page;
  let open: Visit['open'];
  let press: Visit['press'];
  let confirm: Visit['confirm'];
  let ann: SignedInUser;
  let admin: SignedInUser;
  beforeAll(async () => {
    visits = await startVisits({ recentLog, failures: { list: () => failures } });
    ({ service } = visits);
    service.adminIds.push(ADMIN);
    [admin, ann] = await Promise.all([service.signIn(ADMIN), service.signIn(ANN), service.signIn(BOB)]);
    const { body: key } = await ann.send('POST', '/api/me/keys', { label: 'laptop' });
    const headers = { authorization: `Bearer ${key.secret}` };
    await service.post(
      '/ai/openai/chat/completions',
      { model: MODEL, messages: [{ role: 'user', content: 'Hi' }] },
      { headers },
    );
    await service.writtenDown();
    // A change that was made in the meantime.
    visits.allow(/status of 412/);
    ({ page, open, press, confirm } = await visits.enter(ADMIN));
  });
  afterAll(async () => {
    await visits?.end();
    await visits?.close();
  });

  const card = (name: string) => page.getByRole('region', { name, exact: true });

  test('shows the state of the service, and refreshes it', async () => {
    await open('system');
    const { body } = await admin.send('GET', '/api/system');
    await card('Service').getByText(`embedded Postgres ${body.database.version}`).waitFor();
    await card('Files of users').getByText('0 · 0 bytes').waitFor();
    await page.waitForResponse((response) => response.url().endsWith('/api/system'));
  });

  test('finds a user by the Telegram id', async () => {
    await open('users');
    const rows = page.getByRole('table', { name: 'Users' }).locator('tbody tr');
    await expect.poll(() => rows.count()).toBeGreaterThan(2);
    await page.getByLabel('Telegram id').fill(String(ANN));
    await expect.poll(() => rows.count()).toBe(1);
    await rows.getByRole('link').click();
    await card(`User ${ann.userId}`).getByText(String(ANN)).waitFor();
    await page.getByRole('cell', { name: MODEL }).waitFor();
    await expectGoodLook(page);
  });

  test('bans a user with a reason, and lifts the ban', async () => {
    await open(`users/${ann.userId}`);
    await press('Ban');
    await page.getByRole('dialog').getByLabel('Reason').fill('spam <b>');
    await confirm('Ban');
    await page.getByText('Banned: spam <b>').waitFor();
    expect((await ann.send('GET', '/api/me')).status).toBe(401);
    await press('Lift the ban');
    await page.getByText('Not banned.').waitFor();
    ann = await service.signIn(ANN);
  });

  test('sets, raises and resets a budget', async () => {
    await open(`users/${ann.userId}`);
    const budget = card('Budget');
    await budget.getByRole('button', { name: 'Set' }).click();
    await page.getByLabel('Per month, $').fill('1.5');
    await confirm('Save');
    await budget.getByText('$1.50').waitFor();
    await budget.getByRole('button', { name: 'Raise' }).click();
    await page.getByLabel('By, $').fill('2');
    await confirm('Raise');
    await budget.getByText('$3.50').waitFor();
    const path = `/api/budgets/user:${ann.userId}`;
    expect((await admin.send('GET', path)).body).toMatchObject({ dollars_per_month: 3.5, dollars_per_day: null });
    await budget.getByRole('button', { name: 'Reset' }).click();
    await confirm('Reset');
    await budget.getByText('$3.50').waitFor({ state: 'detached' });
    expect((await admin.send('GET', path)).body).toMatchObject({ dollars_per_month: null });
  });

  test('does not overwrite what another admin has changed in the meantime', async () => {
    await open('users');
    await open(`users/${ann.userId}`);
    const budget = card('Budget');
    await budget.getByRole('button', { name: 'Set' }).click();
    await page.getByLabel('Per day, $').fill('9');
    const path = `/api/budgets/user:${ann.userId}`;
    await admin.send('PUT', path, { dollars_per_day: 4 });
    await confirm('Save');
    await page.getByText('This has been changed in the meantime.').waitFor();
    await budget.getByText('$4.00').waitFor();
    expect((await admin.send('GET', path)).body).toMatchObject({ dollars_per_day: 4 });
    await admin.send('DELETE', path);
  });

  test('finds people, keys and models from every page', async () => {
    const { body: key } = await ann.send('POST', '/api/me/keys', { label: 'watch' });
    await admin.send('PATCH', `/api/users/${ann.userId}`, { note: 'Ann, Sales' });
    await open('system');
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.url()));
    const find = (text: string) => page.getByRole('combobox', { name: 'Find anything' }).fill(text);
    const hit = (group: string, name: string) =>
      page.getByRole('group', { name: group, exact: true }).getByRole('option', { name });
    await find(key.secret);
    await hit('API keys', 'watch').waitFor();
    expect(sent.join()).not.toContain(key.secret);
    await find(MODEL);
    await hit('Models', MODEL).click();
    await page.getByRole('table', { name: 'Models' }).getByRole('cell', { name: MODEL }).first().waitFor();
    for (const text of ['sales', `${ANN}`]) {
      await find(text);
      await hit('Users', 'Ann, Sales').waitFor();
    }
    await hit('Users', 'Ann, Sales').click();
    await page.getByRole('heading', { name: 'Ann, Sales' }).waitFor();
    await admin.send('PATCH', `/api/users/${ann.userId}`, { note: null });
    await ann.send('DELETE', `/api/me/keys/${key.id}`);
  });

  test('finds a key by its name or its beginning, without sending the secret', async () => {
    const { body: key } = await ann.send('POST', '/api/me/keys', { label: 'watch' });
    await open('all-keys');
    const rows = page.getByRole('table', { name: 'API keys' }).locator('tbody tr');
    await expect.poll(() => rows.count()).toBeGreaterThan(1);
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.url()));
    for (const text of ['WAT', ` ${key.secret}`]) {
      await page.getByLabel('Search').fill('nothing');
      await page.getByText('No key matches.').waitFor();
      await page.getByLabel('Search').fill(text);
      await expect.poll(() => rows.count()).toBe(1);
      await rows.getByText('watch').waitFor();
    }
    expect(sent.join()).toContain(key.prefix);
    expect(sent.join()).not.toContain(key.secret);
    await rows.getByRole('button', { name: 'Revoke watch' }).click();
    await confirm('Revoke');
    await page.getByText('No key matches.').waitFor();
    await expectGoodLook(page);
  });

  test('pauses and revokes a key of a user', async () => {
    await open('users');
    await open(`users/${ann.userId}`);
    const keys = card('API keys');
    await keys.getByText('Pause', { exact: true }).click();
    await keys.getByText('Resume', { exact: true }).waitFor();
    expect((await ann.send('GET', '/api/me/keys')).body.data[0].paused_at).not.toBeNull();
    await keys.getByRole('button', { name: 'Revoke laptop' }).click();
    await confirm('Revoke');
    await page.getByText('The user has no keys.').waitFor();
    expect((await ann.send('GET', '/api/me/keys')).body.data).toEqual([]);
  });

  test('shows providers and the prices of models', async () => {
    await open('providers');
    const { body } = await admin.send('GET', '/api/providers');
    const [provider] = body.data;
    await card(provider.name).getByText('works', { exact: true }).waitFor();
    await open('models');
    const rows = page.getByRole('table', { name: 'Models' }).locator('tbody tr');
    await rows.filter({ hasText: MODEL }).first().waitFor();
    await page.getByLabel('Provider').selectOption(provider.name);
    await rows.filter({ hasText: MODEL }).first().waitFor();
    const { body: unpriced } = await admin.send('GET', '/api/models?priced=false&limit=100');
    await page.getByLabel('Price').selectOption('unknown');
    await expect.poll(() => rows.count()).toBe(unpriced.data.length);
  });

  test('adds up the usage of all users, and saves it as a file', async () => {
    await open('requests');
    await card('By model').getByRole('cell', { name: MODEL }).waitFor();
    await page.getByText('All requests: 1').waitFor();
    await page.getByLabel('Group by').selectOption('User');
    await card('By user')
      .getByRole('link', { name: `User ${ann.userId}` })
      .waitFor();
    const [file] = await Promise.all([page.waitForEvent('download'), press('Download CSV')]);
    expect(file.suggestedFilename()).toBe('usage-by-user.csv');
    const text = await readFile(await file.path(), 'utf8');
    expect(text.split('\r\n')[1]).toContain(`,${ann.userId},,1,`);
  });

  test('saves all settings as a file, and asks before a bot is for everyone', async () => {
    visits.allow(/status of 409/);
    await admin.send('PUT', '/api/settings/plan:family', { value: { user: { at_once: 2 } } });
    await open('service-settings');
    const [saved] = await Promise.all([page.waitForEvent('download'), press('Export as providers.yaml')]);
    expect(saved.suggestedFilename()).toBe('providers.yaml');
    expect(await readFile(await saved.path(), 'utf8')).toContain('plans:\n  family:\n    user:\n      at_once: 2\n');
    await press('Set: BOT_TOKEN');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('BOT_TOKEN').fill('123456789:AAE-a-token-of-this-suite-0123456789a');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.getByText(/^The bot would have no admins/).waitFor();
    await dialog.getByLabel('Everyone may use the bot, and nobody is its admin').waitFor();
    await dialog.getByRole('button', { name: 'Cancel', exact: true }).click();
  });

  test('offers the chat models of the service as the default', async () => {
    await open('service-settings');
    await press('Set: DEFAULT_MODEL');
    const dialog = page.getByRole('dialog');
    await dialog.locator(`datalist option[value="${MODEL}"]`).waitFor({ state: 'attached' });
    await dialog.getByLabel('DEFAULT_MODEL').fill('nothing like this');
    await dialog.locator('datalist:empty').waitFor({ state: 'attached' });
    await dialog.getByLabel('DEFAULT_MODEL').fill(MODEL.slice(0, 4));
    await dialog.locator(`datalist option[value="${MODEL}"]`).waitFor({ state: 'attached' });
    await expectGoodLook(page);
    await dialog.getByLabel('DEFAULT_MODEL').fill(MODEL);
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await admin.send('GET', '/api/settings/variable:DEFAULT_MODEL')).body.value).toBe(MODEL);
    await admin.send('DELETE', '/api/settings/variable:DEFAULT_MODEL');
  });

  test('adds a plan by a form, with problems at their fields, and keeps what the form does not know', async () => {
    visits.allow(/status of 400/);
    await open('service-settings');
    await press('Add: Plans');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Sales team');
    await dialog.getByRole('button', { name: 'Test', exact: true }).click();
    await dialog.getByText('Nothing was saved: see the fields.').waitFor();
    expect(await dialog.locator('[aria-invalid=true]').inputValue()).toBe('Sales team');
    await dialog.getByLabel('Name', { exact: true }).fill('sales');
    await dialog.getByLabel('Requests a minute').first().fill('1.5');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.getByText('must be a whole number').waitFor();
    await dialog.getByLabel('Requests a minute').first().fill('15');
    await expectGoodLook(page);
    await dialog.getByText('More', { exact: true }).click();
    await dialog.getByLabel('Other fields (YAML)').fill('raise_by_dollars: [1]');
    await dialog.getByRole('button', { name: 'Test', exact: true }).click();
    await dialog.getByText('This is valid.').waitFor();
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await press('Change: sales');
    await dialog.getByLabel('Requests a minute').first().fill('20');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Each user, Requests a minute: 20').waitFor();
    const { body } = await admin.send('GET', '/api/settings/plan:sales');
    expect(body.value).toEqual({ user: { requests_per_minute: 20 }, raise_by_dollars: [1] });
  });

  test('tells in the language of the page that nothing was saved', async () => {
    visits.allow(/status of 400/);
    const visit = await visits.enter(ADMIN, { locale: 'ru-RU' });
    await visit.open('service-settings');
    await visit.page.getByRole('button', { name: 'Добавить: Тарифы' }).click();
    const dialog = visit.page.getByRole('dialog');
    const problem = dialog.getByRole('alert');
    await dialog.getByLabel('Название', { exact: true }).fill('Отдел продаж');
    await dialog.getByRole('button', { name: 'Проверить', exact: true }).click();
    await expect.poll(() => problem.textContent()).toBe('Ничего не сохранено: смотрите поля.');
    await dialog.getByLabel('Название', { exact: true }).fill('sales');
    await dialog.getByLabel('Запросов в минуту').first().fill('1.5');
    await dialog.getByRole('button', { name: 'Проверить', exact: true }).click();
    await dialog.locator('[aria-invalid=true]').waitFor();
    await expect.poll(() => problem.textContent()).toBe('Ничего не сохранено: смотрите поля.');
    await visit.context.close();
  });

  test('tells who has changed a setting in the meantime, and shows how it is now', async () => {
    const path = '/api/settings/plan:crowd';
    await admin.send('PUT', path, { value: { user: { at_once: 1 } } });
    await open('users');
    await open('service-settings');
    await press('Change: crowd');
    const dialog = page.getByRole('dialog');
    await admin.send('PUT', path, { value: { user: { at_once: 7 } } });
    await dialog.getByLabel('At the same time').first().fill('3');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.getByText(/^Nothing was saved: .* has changed this setting in the meantime/).waitFor();
    await dialog.getByRole('button', { name: 'Show it as it is now' }).click();
    await expect.poll(() => dialog.getByLabel('At the same time').first().inputValue()).toBe('7');
    await dialog.getByLabel('At the same time').first().fill('3');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await admin.send('GET', path)).body.value).toEqual({ user: { at_once: 3 } });
  });

  test('counts failed requests', async () => {
    failures.push({ model: 'big', provider: 'one', outcome: 'rate_limited', count: 1200, lastAt: new Date() });
    failures.push({ model: '<b>odd</b>', provider: undefined, outcome: 'unknown_model', count: 1, lastAt: new Date() });
    await open('keys');
    await open('requests');
    const rows = card('Failed requests').locator('tbody tr');
    await rows.filter({ hasText: '<b>odd</b>' }).getByText('not asked').waitFor();
    const cells = rows.filter({ hasText: 'too many requests (429)' }).getByRole('cell');
    expect((await cells.allTextContents()).slice(0, 4)).toEqual(['big', 'one', 'too many requests (429)', '1,200']);
    await expectGoodLook(page);
  });

  test('shows new warnings without addresses', async () => {
    await open('log');
    await page.getByText('No warnings and no errors since the start.').waitFor();
    recentLog.add(
      '{"level":40,"time":"2026-11-24T05:00:00.000Z","host":"https://a.example/key","msg":"<b>slow</b>"}\n',
    );
    await page.getByRole('cell', { name: '<b>slow</b>' }).waitFor();
    await page.getByText('{"host":"https://[address]"}').waitFor();
  });

  test('shows the progress of a broadcast', async () => {
    await open('broadcasts');
    await page.getByText('There have been no broadcasts.').waitFor();
    const { db } = service.database;
    const broadcasts = createBroadcasts({ db, clock: systemClock });
    const sent = { adminTelegramId: ADMIN, sourceMessageId: 1, statusMessageId: 2, language: 'en', intervalMs: 50 };
    await broadcasts.start(sent);
    const { id = 0 } = (await broadcasts.findCurrent()) ?? {};
    const recipient = await broadcasts.claim(id);
    await broadcasts.settle(id, recipient?.userId ?? 0, 'sent');
    await card(`Broadcast ${id}`).getByText('1 of 2 users').first().waitFor();
    const { body } = await admin.send('GET', '/api/broadcasts');
    expect(body.data).toMatchObject([{ id, state: 'sending', ended_at: null, recipients: { sent: 1, waiting: 1 } }]);
    await expectGoodLook(page);
    await broadcasts.change(id, 'cancel', ADMIN);
    await broadcasts.end(id);
    await card(`Broadcast ${id}`).getByText('cancelled').waitFor();
  });

  test('shows the limits of plans, and budgets that are set', async () => {
    const path = `/api/budgets/user:${ann.userId}`;
    await admin.send('PUT', path, { dollars_per_day: 4 });
    await open('plans-and-budgets');
    await page.getByRole('link', { name: `user:${ann.userId}` }).waitFor();
    await page.getByRole('cell', { name: / \/ \$4\.00$/ }).waitFor();
    await card('Budget of the whole service').getByText('unlimited').first().waitFor();
    await card('admin').getByText('Nothing is limited.').waitFor();
    await admin.send('DELETE', path);
  });
});
