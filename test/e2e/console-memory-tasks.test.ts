import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { expectNoBarriers } from '../support/barriers.ts';
import { findChromium, launchBrowser } from '../support/browser.ts';
import { type ConsoleService, startConsoleService } from '../support/console-service.ts';
import { watchProblems } from '../support/playground-page.ts';

const EVERY_IMPACT = ['minor', 'moderate', 'serious', 'critical'];
const LOOKS = [
  { colorScheme: 'light', locale: 'en-GB', viewport: { width: 390, height: 844 } },
  { colorScheme: 'dark', locale: 'ru-RU', viewport: { width: 1280, height: 844 } },
] as const satisfies readonly BrowserContextOptions[];

describe.skipIf(findChromium() === undefined)('memory and tasks in the console', () => {
  let browser: Browser;
  let service: ConsoleService;
  let context: BrowserContext | undefined;
  let problems: string[] = [];
  let nextTelegramId = 100;
  beforeAll(async () => {
    [browser, service] = await Promise.all([launchBrowser(), startConsoleService()]);
  });
  afterAll(() => Promise.all([browser?.close(), service?.close()]));
  afterEach(async () => {
    await context?.close();
    expect(problems).toEqual([]);
  });

  /** Signs in a new user. */
  const enter = async (options: BrowserContextOptions = {}) => {
    const { id: userId } = await service.accounts.ensureTelegramUser(nextTelegramId++);
    const { code } = await service.sessions.createCode(userId);
    context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce', ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    problems = watchProblems(page, service.url);
    await page.goto(`${service.url}/console/#code=${code}`);
    await page.locator('main.content').waitFor();
    const open = (address: string) => page.goto(`${service.url}/console/#/${address}`);
    return { page, userId, open };
  };
  const expectFits = async (page: Page) => {
    await expectNoBarriers(page, EVERY_IMPACT);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  };

  test('adds, finds, changes and deletes notes', async () => {
    const { page, userId, open } = await enter();
    await open('memory');
    await page.getByText('Nothing is remembered yet.').waitFor();
    for (const text of ['Drinks <b>green</b> tea.', 'Lives in Berlin.']) {
      await page.getByRole('button', { name: 'Add a note' }).click();
      await page.getByRole('dialog').getByLabel('What should models remember?').fill(text);
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByText(text, { exact: true }).waitFor();
    }
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
    const { page, userId, open } = await enter();
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

  test.each(LOOKS)('show notes without barriers ($colorScheme, $locale)', async (look) => {
    const { page, userId, open } = await enter(look);
    const long = 'abcdefghij'.repeat(30);
    await service.memories.add({ userId }, { text: long, authorId: userId, source: undefined, hasForeignText: true });
    await open('memory');
    await page.getByText(long, { exact: true }).waitFor();
    await expectFits(page);
    await page.locator('main .button.primary').click();
    await page.getByRole('dialog').waitFor();
    await expectFits(page);
  });
});
