import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContextOptions } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from '../support/clients/browser.ts';
import { expectGoodLook, startVisits, type Visits } from '../support/clients/console-visits.ts';
import { type ConsoleService, createTask } from '../support/harness/http-users.ts';
import { testByTier } from '../support/vitest/tiers.ts';

const LOOKS = [
  { colorScheme: 'light', locale: 'en-GB', viewport: { width: 390, height: 844 } },
  { colorScheme: 'dark', locale: 'ru-RU', viewport: { width: 1280, height: 844 } },
] as const satisfies readonly BrowserContextOptions[];

describe.skipIf(findChromium() === undefined)('memory and tasks in the console', () => {
  let service: ConsoleService;
  let visits: Visits;
  let nextTelegramId = 100;
  beforeAll(async () => {
    visits = await startVisits();
    ({ service } = visits);
  });
  afterAll(() => visits?.close());
  afterEach(() => visits.end());

  /** Signs in a new user. */
  const enterAnew = (options?: BrowserContextOptions) => visits.enter(nextTelegramId++, options);

  test('adds, finds, changes and deletes notes', async () => {
    visits.allow(/status of 409/);
    const { page, userId, open } = await enterAnew();
    await open('memory');
    await page.getByText('Nothing is remembered yet.').waitFor();
    for (const text of ['Drinks <b>green</b> tea.', 'Lives in Berlin.']) {
      await page.getByRole('button', { name: 'Add a note' }).click();
      await page.getByRole('dialog').getByLabel('What should models remember?').fill(text);
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByText(text, { exact: true }).waitFor();
    }
    await page.getByRole('button', { name: 'Add a note' }).click();
    await page.getByRole('dialog').getByLabel('What should models remember?').fill('lives in BERLIN');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('There is a note with this text already.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByLabel('Search').fill('GREEN');
    await page.getByText('Lives in Berlin.').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Change “Drinks' }).click();
    await page.getByRole('dialog').getByLabel('What should models remember?').fill('Drinks green coffee.');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('Drinks green coffee.').waitFor();
    await page.getByLabel('Search').fill('');
    await page.getByRole('button', { name: 'Delete “Lives in Berlin.”' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete “Lives in Berlin.”' }).waitFor({ state: 'detached' });
    const texts = async () => (await service.memories.list({ userId })).map(({ text }) => text);
    expect(await texts()).toEqual(['Drinks green coffee.']);
    await page.getByRole('button', { name: 'Delete all' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete all' }).click();
    await page.getByText('Nothing is remembered yet.').waitFor();
    expect(await texts()).toEqual([]);
  });

  test('switches memory off and on', async () => {
    const { page, userId, open } = await enterAnew();
    await service.memories.add({ userId }, { text: 'Has a dog.', authorId: userId, source: undefined });
    await open('memory');
    await page.getByText('Has a dog.').waitFor();
    const toggle = page.getByRole('checkbox', { name: 'Use memory' });
    await toggle.uncheck();
    await page.getByText('Your notes are kept.').waitFor();
    expect(await page.getByRole('button', { name: 'Add a note' }).isDisabled()).toBe(true);
    expect(await service.memories.listInUse({ userId })).toEqual([]);
    await toggle.check();
    await page.getByText('and nowhere else').waitFor();
    expect(await service.memories.listInUse({ userId })).toHaveLength(1);
  });

  test('deletes a note that another tab has deleted', async () => {
    visits.allow(/status of 404/);
    const { page, userId, open } = await enterAnew();
    await service.memories.add({ userId }, { text: 'Has a cat.', authorId: userId, source: undefined });
    await open('memory');
    await page.getByRole('button', { name: 'Delete “Has a cat.”' }).click();
    await service.memories.removeAll({ userId });
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Nothing is remembered yet.').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  testByTier(LOOKS)('show notes without barriers ($colorScheme, $locale)', async (look) => {
    const { page, userId, open } = await enterAnew(look);
    const long = 'abcdefghij'.repeat(30);
    await service.memories.add({ userId }, { text: long, authorId: userId, source: undefined, hasForeignText: true });
    await open('memory');
    await page.getByText(long, { exact: true }).waitFor();
    await expectGoodLook(page);
    await page.locator('main .button.primary').click();
    await page.getByRole('dialog').waitFor();
    await expectGoodLook(page);
  });

  test('runs, pauses, changes and deletes a task', async () => {
    visits.allow(/status of (400|409)/);
    const { page, userId, open } = await enterAnew();
    await service.accounts.updateSettings(userId, { timeZone: 'Europe/Berlin' });
    await createTask(service, { userId });
    await open('tasks');
    await page.reload();
    await page.getByText('Every day at 8:00 AM · Next:').waitFor();
    await page.getByRole('link', { name: 'News about <b>space</b>' }).click();
    await page.getByText('This task has not run yet.').waitFor();
    await page.getByRole('button', { name: 'Run now' }).click();
    const waiting = page.getByRole('cell', { name: 'waiting, by hand' });
    await waiting.waitFor();
    // The list stays while it is loaded again.
    await page.route('**/runs', (route) => sleep(500).then(() => route.continue()));
    await page.waitForRequest('**/runs');
    expect([await waiting.count(), await page.getByText('Loading…').count()]).toEqual([1, 0]);
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByText('It is running already.').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused.').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    const quiet = page.getByRole('checkbox', { name: 'Answer only if there is news' });
    await quiet.check();
    await page.getByRole('button', { name: 'Change' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('New time').fill('sometime');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('This time is not clear.').waitFor();
    await dialog.getByLabel('New time').fill('every weekday 9:30');
    await dialog.getByLabel('Text').fill('News about bees');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Every weekday at 9:30 AM').waitFor();
    await page.reload();
    await page.getByText('News about bees').waitFor();
    expect(await quiet.isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('You have no tasks yet.').waitFor();
  });

  testByTier(LOOKS)('show tasks without barriers ($colorScheme, $locale)', async (look) => {
    const { page, userId, open } = await enterAnew(look);
    const prompt = 'abcdefghij'.repeat(200);
    const id = await createTask(service, { userId }, { prompt, hasForeignText: true });
    await service.tasks.pause({ userId }, await createTask(service, { userId }, { prompt: 'Tea', kind: 'reminder' }));
    await service.tasks.runNow({ userId }, id);
    await open('tasks');
    await page.getByRole('link', { name: 'Tea' }).waitFor();
    await expectGoodLook(page);
    await open(`tasks/${id}`);
    await page.getByRole('cell').first().waitFor();
    await expectGoodLook(page);
    await page.locator('main .card').first().getByRole('button').nth(2).click();
    await page.getByRole('dialog').waitFor();
    await expectGoodLook(page);
  });

  test('says that a task of another user does not exist', async () => {
    visits.allow(/status of 404/);
    const { id: strangerId } = await service.accounts.ensureTelegramUser(nextTelegramId++);
    const id = await createTask(service, { userId: strangerId });
    const { page, open } = await enterAnew();
    await open(`tasks/${id}`);
    await page.getByText('You have no such task.').waitFor();
  });
});
