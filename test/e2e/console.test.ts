import { readFile } from 'node:fs/promises';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { checkInitData } from '../../src/core/sessions/index.ts';
import { expectNoBarriers } from '../support/barriers.ts';
import { findChromium, launchBrowser } from '../support/browser.ts';
import { BOT_TOKEN, type ConsoleService, signInitData, startConsoleService } from '../support/console-service.ts';
import { MODEL } from '../support/http-service.ts';
import { watchProblems } from '../support/playground-page.ts';
import { talk } from '../support/talk.ts';

const ANN = 100;
const BOB = 200;
const ADMIN = 7;
const EVERY_IMPACT = ['minor', 'moderate', 'serious', 'critical'];
/** What the browser reports of refused requests, and without a connection. */
const MISSING = /the server responded with a status of 404/;
const REFUSED = /the server responded with a status of 401/;
const OFFLINE = /ERR_INTERNET_DISCONNECTED/;

describe.skipIf(findChromium() === undefined)('the console', () => {
  let browser: Browser;
  let service: ConsoleService;
  let contexts: BrowserContext[] = [];
  let problems: string[][] = [];
  /** What the test causes in the console of the browser. */
  let expected = /^$/;
  beforeAll(async () => {
    [browser, service] = await Promise.all([
      launchBrowser(),
      startConsoleService({ checkInitData: (initData) => checkInitData(initData, BOT_TOKEN, Date.now()) }),
    ]);
  });
  afterAll(() => Promise.all([browser?.close(), service?.close()]));
  afterEach(async () => {
    const found = problems.flat().filter((problem) => !expected.test(problem));
    await Promise.all(contexts.map((context) => context.close()));
    contexts = [];
    problems = [];
    expected = /^$/;
    service.adminIds.length = 0;
    expect(found).toEqual([]);
  });

  const openContext = async (options: BrowserContextOptions = {}) => {
    const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce', ...options });
    contexts.push(context);
    return context;
  };
  const openPage = async (context: BrowserContext, address: string): Promise<Page> => {
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    problems.push(watchProblems(page, service.url));
    await page.goto(`${service.url}/console/${address}`);
    return page;
  };
  /** Opens the console by a link of the bot. */
  const enter = async (telegramId: number, options?: BrowserContextOptions) => {
    const { id } = await service.accounts.ensureTelegramUser(telegramId);
    const { code } = await service.sessions.createCode(id);
    const context = await openContext(options);
    return { context, page: await openPage(context, `#code=${code}`), link: `#code=${code}`, userId: id };
  };
  test('signs in by a link, which leaves no trace and works once', async () => {
    expected = REFUSED;
    const { page, context, link } = await enter(ANN);
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    expect(page.url()).not.toContain('code');
    const other = await openPage(await openContext(), link);
    await other.getByText('This link has been used or is too old').waitFor();
    // A second tab and a reload go on in the session.
    const tab = await openPage(context, '');
    await tab.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    await tab.reload();
    await tab.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    await tab.getByRole('button', { name: 'Sign out' }).click();
    await tab.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  test('signs in as a Mini App, with the colours of Telegram', async () => {
    expected = REFUSED;
    const theme = JSON.stringify({ bg_color: '#101010', section_bg_color: '#202020', text_color: '#fafafa' });
    const launch = (initData: string, themeParams = theme) =>
      `#${new URLSearchParams({ tgWebAppData: initData, tgWebAppThemeParams: themeParams, tgWebAppVersion: '9.0' })}`;
    const openInTelegram = async (address: string) => {
      const context = await openContext();
      await context.addInitScript('window.TelegramWebviewProxy = { postEvent() {} }');
      return openPage(context, address);
    };
    const page = await openInTelegram(launch(signInitData(ANN, Date.now())));
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(250, 250, 250)');
    const forged = await openInTelegram(launch(signInitData(ANN, Date.now(), '1:forged')));
    await forged.getByText('Telegram has not signed this request').waitFor();
    const old = await openInTelegram(launch(signInitData(ANN, Date.now() - 3_600_000)));
    await old.getByText('opened too long ago').waitFor();
    const junk = await openInTelegram(launch(signInitData(ANN, Date.now()), '{'));
    await junk.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    const browserPage = await openPage(await openContext(), launch(signInitData(ANN, Date.now())));
    await browserPage.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  test('a link of another user does not replace the session', async () => {
    const { page, context, userId } = await enter(ANN);
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    const { id: otherId } = await service.accounts.ensureTelegramUser(BOB);
    const { code } = await service.sessions.createCode(otherId);
    const tab = await openPage(context, `#code=${code}`);
    await tab.getByText('This link signs in another account').waitFor();
    await tab.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    expect(await service.sessions.list(otherId)).toEqual([]);
    expect(await service.sessions.list(userId)).not.toEqual([]);
    const again = await service.sessions.createCode(userId);
    const own = await openPage(context, `#code=${again.code}`);
    await own.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
  });

  test('creates a key that works, pauses and revokes it', async () => {
    const { page } = await enter(ANN);
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('laptop <b>');
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
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    await expect.poll(ask).toBe(401);
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('You have no keys yet.').waitFor();
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByRole('cell', { name: MODEL }).waitFor();
  });

  test.each([390, 1280])('finds, reads, renames, saves and deletes a conversation at %i pixels', async (width) => {
    const telegramId = width;
    const { page, userId } = await enter(telegramId, { viewport: { width, height: 844 } });
    const question = 'How do <b>bees</b> find their way home?';
    await talk(service.conversations, { userId, chatId: telegramId, question });
    await talk(service.conversations, { userId, chatId: telegramId, question: 'Another' });
    while ((await service.library.index(AbortSignal.timeout(30_000))) > 0);
    await page.goto(`${service.url}/console/#/conversations`);
    await page.getByRole('link', { name: 'Another' }).waitFor();
    await expectNoBarriers(page, EVERY_IMPACT);
    await page.getByLabel('Search').fill('way Re:');
    await page.getByRole('link', { name: 'Another' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: question }).click();
    await page.getByText(`Re: ${question}`).waitFor();
    expect(await page.locator('.messages b').count()).toBe(0);
    await expectNoBarriers(page, EVERY_IMPACT);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByLabel('Title').fill('<i>Bees</i>');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: '<i>Bees</i>' }).waitFor();
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as Markdown' }).click(),
    ]);
    expect(await readFile(await saved.path(), 'utf8')).toContain(`Re: ${question}`);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('link', { name: 'Another' }).waitFor();
    expect(await page.getByText('Bees').count()).toBe(0);
    expected = MISSING;
    await page.goBack();
    await page.getByText('You have no such conversation.').waitFor();
  });

  test('goes on after a lost connection', async () => {
    expected = OFFLINE;
    const { page, context } = await enter(ANN);
    await page.getByRole('link', { name: 'Sessions' }).click();
    await page.getByText('this session').waitFor();
    await context.setOffline(true);
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByText('No connection to the service. Please try again.').waitFor();
    await context.setOffline(false);
    await page.getByText('You have no keys yet.').waitFor();
  });

  test('ends with a ban, and shows admins who are removed no more pages of admins', async () => {
    expected = REFUSED;
    service.adminIds.push(ADMIN);
    const { page } = await enter(ADMIN);
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByText('No admin has done anything yet.').waitFor();
    service.adminIds.length = 0;
    await page.reload();
    await page.getByRole('heading', { name: 'There is no such page.' }).waitFor();
    expect(await page.getByRole('link', { name: 'Audit log' }).count()).toBe(0);
    await service.management.changeAccess(
      { telegramId: ADMIN, manager: { userId: 1, telegramId: 1, keyId: undefined }, check: () => {} },
      { isBanned: true, reason: '' },
    );
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await service.administration.unban({ adminTelegramId: 1, telegramId: ADMIN, reason: '' });
  });

  describe.each([
    ['light', 390, 'en-GB'],
    ['dark', 1280, 'ru-RU'],
  ] as const)('every page in %s at %i pixels (%s)', (colorScheme, width, locale) => {
    test('has no barriers, no errors, and fits the width', async () => {
      service.adminIds.push(ADMIN);
      const { page } = await enter(ADMIN, { colorScheme, locale, viewport: { width, height: 844 } });
      await page.locator('main.content').waitFor();
      const names: string[] = await page.evaluate(
        `[...document.querySelectorAll('nav a')].map(({ hash }) => hash.slice(2))`,
      );
      expect(names).toContain('audit-log');
      for (const name of names) {
        await page.goto(`${service.url}/console/#/${name}`);
        await page.locator(`[data-page="${name}"]`).waitFor();
        await expectNoBarriers(page, EVERY_IMPACT);
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        expect([name, overflow]).toEqual([name, 0]);
      }
    });
  });

  test('works with the keyboard alone', async () => {
    const { page } = await enter(ANN);
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

  test('is less than 100 kB', async () => {
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
    expect(bytes).toBeLessThan(100_000);
  });
});
