import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { checkInitData } from '../../src/core/sessions/index.ts';
import { findChromium } from '../support/clients/browser.ts';
import { expectGoodLook, startVisits, type Visits } from '../support/clients/console-visits.ts';
import { BOT_TOKEN, type ConsoleService, signInitData } from '../support/harness/http-users.ts';

const ANN = 100;
const BOB = 200;
const ADMIN = 7;

describe.skipIf(findChromium() === undefined)('signing in to the console', () => {
  let visits: Visits;
  let service: ConsoleService;
  beforeAll(async () => {
    visits = await startVisits({
      findBotUsername: async () => 'family_bot',
      checkInitData: (initData) => checkInitData(initData, BOT_TOKEN, Date.now()),
    });
    ({ service } = visits);
  });
  afterAll(() => visits?.close());
  afterEach(() => {
    service.adminIds.length = 0;
    return visits.end();
  });

  test('signs in by a link, which leaves no trace and works once', async () => {
    visits.allow(/status of 401/);
    const { page, context, link } = await visits.enter(ANN);
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    expect(page.url()).not.toContain('code');
    const other = await visits.openTab(await visits.openContext(), link);
    await other.getByText('This link has been used or is too old').waitFor();
    expect(await other.getByRole('link', { name: 'Open @family_bot in Telegram' }).getAttribute('href')).toBe(
      'https://t.me/family_bot',
    );
    await expectGoodLook(other);
    const russian = await visits.openTab(await visits.openContext({ locale: 'ru-RU', colorScheme: 'dark' }), link);
    await russian.getByText('Эта ссылка уже использована или устарела.').waitFor();
    await expectGoodLook(russian);
    // A second tab and a reload go on in the session.
    const tab = await visits.openTab(context, '/console/');
    await tab.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    await tab.reload();
    await tab.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    await tab.getByRole('button', { name: 'Sign out' }).click();
    await tab.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  test('opens the rules of a key by a link to it', async () => {
    const ann = await service.signIn(ANN);
    const { body: key } = await ann.send('POST', '/api/me/keys', { label: 'laptop' });
    const { code } = await service.sessions.createCode(ann.userId);
    const page = await visits.openTab(await visits.openContext(), `/console/?page=keys/${key.id}#code=${code}`);
    const form = page.getByRole('dialog');
    await form.getByLabel('US dollars per day').fill('2.5');
    expect(page.url()).toMatch(/\/console\/#\/keys\/\d+$/);
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    expect((await ann.send('GET', '/api/me/keys')).body.data).toMatchObject([
      { label: 'laptop', dollars_per_day: 2.5 },
    ]);
    const other = await visits.openTab(await visits.openContext(), '/console/?page=https://evil.example');
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    await ann.send('DELETE', `/api/me/keys/${key.id}`);
  });

  test('signs in as a Mini App, with the colours of Telegram', async () => {
    visits.allow(/status of 401/);
    const theme = JSON.stringify({ bg_color: '#101010', section_bg_color: '#202020', text_color: '#fafafa' });
    const launch = (initData: string, themeParams = theme) =>
      `/console/#${new URLSearchParams({ tgWebAppData: initData, tgWebAppThemeParams: themeParams, tgWebAppVersion: '9.0' })}`;
    const openInTelegram = async (address: string) => {
      const context = await visits.openContext();
      await context.addInitScript('window.TelegramWebviewProxy = { postEvent() {} }');
      return visits.openTab(context, address);
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
    const browserPage = await visits.openTab(await visits.openContext(), launch(signInitData(ANN, Date.now())));
    await browserPage.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  test('a link of another user does not replace the session', async () => {
    const { page, context, userId } = await visits.enter(ANN);
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    const { id: otherId } = await service.accounts.ensureTelegramUser(BOB);
    const { code } = await service.sessions.createCode(otherId);
    const tab = await visits.openTab(context, `/console/#code=${code}`);
    await tab.getByText('This link signs in another account').waitFor();
    await tab.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    expect(await service.sessions.list(otherId)).toEqual([]);
    expect(await service.sessions.list(userId)).not.toEqual([]);
    const again = await service.sessions.createCode(userId);
    const own = await visits.openTab(context, `/console/#code=${again.code}`);
    await own.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
  });

  test('a second link may be opened in the same tab', async () => {
    const { page, userId } = await visits.enter(ANN);
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    const before = await service.sessions.list(userId);
    const { code } = await service.sessions.createCode(userId);
    await page.goto(`${page.url().split('#')[0]}#code=${code}`);
    await page.waitForURL((url) => url.hash === '');
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    expect(await service.sessions.list(userId)).toHaveLength(before.length + 1);
    visits.allow(/status of 401/);
    await page.goto(`${page.url().split('#')[0]}#code=${code}`);
    await page.getByText('This link has been used or is too old').waitFor();
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
  });

  test('ends with a ban, and shows admins who are removed no more pages of admins', async () => {
    visits.allow(/status of 401/);
    service.adminIds.push(ADMIN);
    const { page } = await visits.enter(ADMIN);
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
});
