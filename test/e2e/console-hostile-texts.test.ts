import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRecentLog } from '../../src/lib/log/recent-log.ts';
import { findChromium, launchBrowser } from '../support/clients/browser.ts';
import { watchProblems } from '../support/clients/playground-page.ts';
import { type ConsoleService, type SignedInUser, startConsoleService } from '../support/harness/http-users.ts';
import { talk } from '../support/harness/library.ts';
import {
  HOSTILE_FILES,
  HOSTILE_MARKDOWN,
  HOSTILE_MODELS,
  HOSTILE_PLANS,
  HOSTILE_PROVIDER,
  HOSTILE_TEXTS,
  logHostileTexts,
  storeHostileTexts,
  upload,
} from '../support/samples/hostile-texts.ts';

const ADMIN = 7;
const ANN = 100;
const PHONE = { width: 390, height: 844 };
const REPORT_VIOLATIONS = `addEventListener('securitypolicyviolation', ({ blockedURI }) => console.error('blocked', blockedURI))`;
const SLOW = { timeout: 120_000 };
/** Finds what a text has caused. */
const EFFECTS = `({
  ran: window.ran ?? 0,
  markup: document.querySelectorAll('main script, [onload], [onerror], a[href^="javascript:"]').length,
  overflow: document.documentElement.scrollWidth - innerWidth,
})`;
const NONE = { ran: 0, markup: 0, overflow: 0 };
/** Pages that show no texts. */
const WITHOUT_TEXTS = ['system', 'broadcasts'];

describe.skipIf(findChromium() === undefined)('texts of others in the console', () => {
  const recentLog = createRecentLog();
  let browser: Browser;
  let service: ConsoleService;
  let admin: SignedInUser;
  let ann: SignedInUser;
  let page: Page;
  let problems: string[];
  beforeAll(async () => {
    const otherModels = HOSTILE_MODELS.map((id, index) => {
      return { id, type: 'chat' as const, displayName: HOSTILE_TEXTS[index] };
    });
    [browser, service] = await Promise.all([
      launchBrowser(),
      startConsoleService({ recentLog, otherModels, plans: HOSTILE_PLANS, imageProviders: [HOSTILE_PROVIDER] }),
    ]);
    service.adminIds.push(ADMIN);
    [admin, ann] = [await service.signIn(ADMIN), await service.signIn(ANN)];
    await storeHostileTexts(service, admin, ann);
    logHostileTexts(recentLog);
    const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce', viewport: PHONE });
    await context.addInitScript(REPORT_VIOLATIONS);
    page = await context.newPage();
    page.setDefaultTimeout(30_000);
    problems = watchProblems(page, service.url);
    page.on('dialog', (dialog) => problems.push(`dialog: ${dialog.message()}`));
    const { code } = await service.sessions.createCode(admin.userId);
    await page.goto(`${service.url}/console/#code=${code}`);
    await page.locator('main.content').waitFor();
  }, 120_000);
  afterAll(() => Promise.all([browser?.close(), service?.close()]));

  const open = async (address: string) => {
    await page.goto(`${service.url}/console/#/${address}`);
    await page
      .locator(`[data-page="${address.split('/', 1)[0]}"] > *`)
      .first()
      .waitFor();
    await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
  };
  const hasText = () => page.locator('main', { hasText: /onerror|javascript:|gnp\.exe|W{50}/ }).count();

  test('are text on every page, and fit on a phone', SLOW, async () => {
    const { body: conversations } = await admin.send('GET', '/api/me/conversations');
    const { body: tasks } = await admin.send('GET', '/api/me/tasks');
    const things = [
      ...conversations.data.map(({ id }: { readonly id: number }) => `conversations/${id}`),
      ...tasks.data.map(({ id }: { readonly id: number }) => `tasks/${id}`),
      `users/${ann.userId}`,
    ];
    expect(things).toHaveLength(2 * HOSTILE_TEXTS.length + 1);
    const names: string[] = await page.evaluate(
      `[...document.querySelectorAll('nav a')].map(({ hash }) => hash.slice(2))`,
    );
    const found = [];
    for (const address of [...names, ...things]) {
      await open(address);
      if (!WITHOUT_TEXTS.includes(address)) await expect.poll(hasText, { message: address }).toBe(1);
      found.push([address, await page.evaluate(EFFECTS), problems.splice(0)]);
    }
    expect(found).toEqual([...names, ...things].map((address) => [address, NONE, []]));
  });

  test.each([
    ['files', 'Delete'],
    ['files', 'Change'],
    ['keys', 'Revoke'],
    ['keys', 'Change'],
    ['memory', 'Delete'],
    ['memory', 'Change'],
    ['conversations', 'Rename'],
    ['users', 'Revoke'],
  ])('are text in the dialogs of %s (%s)', SLOW, async (name, button) => {
    const place: Readonly<Record<string, string>> = { conversations: 'conversations/1', users: `users/${ann.userId}` };
    await open(place[name] ?? name);
    const buttons = page.locator('main button', { hasText: new RegExp(`^${button}`) });
    await buttons.first().waitFor();
    const count = await buttons.count();
    for (let index = 0; index < count; index++) {
      await buttons.nth(index).click();
      await page.getByRole('dialog').waitFor();
      expect([index, await page.evaluate(EFFECTS), problems]).toEqual([index, NONE, []]);
      const dialog = page.locator('dialog');
      expect(await dialog.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
  });

  test.each(['files', 'conversations'])('are text in the search of %s', async (name) => {
    await open(name);
    for (const text of HOSTILE_TEXTS) {
      const wanted = `${text.slice(0, 99).trim()}!`;
      await page.getByLabel('Search').fill(wanted);
      await page.getByText(`“${wanted}”`).waitFor();
      expect([text, await page.evaluate(EFFECTS), problems]).toEqual([text, NONE, []]);
    }
  });

  test.each(HOSTILE_FILES)('of a stored .%s file are no document with access to the session', async (...file) => {
    const url = await upload(service, admin, 'a', file);
    const tab = await page.context().newPage();
    for (const address of [url, `${url}/a.${file[0]}`, `${url}/view`]) {
      // Browsers save the file instead, which ends the navigation.
      await tab
        .goto(address)
        .catch((error: Error) => expect(error.message).toMatch(/Download is starting|ERR_ABORTED/));
      expect([address, await tab.evaluate('window.ran')]).toEqual([address, undefined]);
      expect(await tab.getByText('opened').count()).toBe(0);
    }
    await tab.close();
  });

  test('are harmless as the Markdown of an answer, and fit on a phone', async () => {
    const { id } = await talk(service.conversations, {
      ...{ userId: admin.userId, chatId: ADMIN, question: 'How?', answer: HOSTILE_MARKDOWN },
    });
    await open(`conversations/${id}`);
    await page.getByRole('button', { name: 'Show the whole message' }).click();
    await page.locator('.markdown table').waitFor();
    const addresses = await page
      .locator('.markdown a')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    expect(addresses.filter((address) => !address?.startsWith('https://example.org'))).toEqual([]);
    expect([await page.evaluate(EFFECTS), problems]).toEqual([NONE, []]);
  });
});
