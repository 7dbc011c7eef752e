import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestSimulator, TEST_TOKEN, type TestSimulator } from '../../simulator/test/support/simulator.ts';
import { createSetupChecks } from '../../src/app/http/create-setup-checks.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { findChromium } from '../support/clients/browser.ts';
import { expectGoodLook, startVisits, type Visits } from '../support/clients/console-visits.ts';
import { createRecordingLogger } from '../support/harness/foundation.ts';
import { MODEL, NO_KEY_FILE } from '../support/harness/http.ts';
import type { ConsoleService } from '../support/harness/http-users.ts';
import { startFakeProvider } from '../support/hosts/fake-provider.ts';
import { describeByTier } from '../support/vitest/tiers.ts';

const OWNER = 7;
const UNKNOWN_TOKEN = '7000009:AAnobodyHasThisToken_0123456789';
const KEY = 'gsk_key-of-groq-0123456789';

describe.skipIf(findChromium() === undefined)('the start page of a playground', () => {
  let telegram: TestSimulator;
  let service: ConsoleService;
  let page: Page;
  let visits: Visits;
  beforeAll(async () => {
    telegram = await startTestSimulator();
    telegram.control.createPerson({ firstName: 'Owner' });
    const setup = createSetupChecks(
      {
        clock: systemClock,
        logger: createRecordingLogger().logger,
        universalKey: { kind: 'file', path: NO_KEY_FILE, secret: 'sk-sb-secret' },
      },
      { apiRoot: telegram.url, publicUrl: undefined, cloudUrl: undefined },
    );
    visits = await startVisits({
      setup: {
        ...setup,
        checkProvider: async (_variable, key) =>
          key === KEY ? { modelCount: 12, problem: undefined } : { modelCount: 0, problem: 'invalid API key' },
      },
      playground: { userId: OWNER, secret: undefined },
      plugins: [{ prefix: '/playground', plugin: async (routes) => void routes.get('/', () => 'a chat page') }],
    });
    ({ service } = visits);
    service.adminIds.push(OWNER);
  });
  afterAll(() => Promise.all([visits?.close(), telegram?.close()]));
  afterEach(() => {
    telegram.control.clearFaults();
    return visits.end();
  });

  const open = async (options: BrowserContextOptions = {}) => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    page = await visits.openTab(await visits.openContext({ permissions, ...options }), '/');
    await page.locator('[data-page="start"] .steps').waitFor();
  };
  const card = (name: string) => page.getByRole('region', { name, exact: true });
  const check = async (label: string, value: string) => {
    await page.getByLabel(label, { exact: true }).fill(value);
    await page.getByRole('button', { name: `Check: ${label}` }).click();
  };
  const envLines = () => card('Lines for .env').locator('pre').textContent();
  const copied = () => page.evaluate('navigator.clipboard.readText()');

  test('is what the address of the service opens, with the playground and a request that works', async () => {
    await open();
    expect(page.url()).toBe(`${service.url}/console/`);
    expect(await page.getByRole('link', { name: 'Open the playground' }).getAttribute('href')).toContain('/playground');
    const request = card('Request with curl');
    expect(await request.textContent()).toContain(`SWITCHBOARD_KEY=$(cat '${NO_KEY_FILE}')`);
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByText('The request above has your new key.').waitFor();
    await card('API').getByRole('button', { name: 'Copy' }).click();
    await expect.poll(copied).toContain('Bearer sk-sb-');
    const [, key] = /Bearer (sk-sb-\S+)"/.exec(String(await copied())) ?? [];
    const [, body] = /-d '(.*)'/.exec(String(await copied())) ?? [];
    const headers = { authorization: `Bearer ${key}` };
    const answer = await service.post('/ai/openai/chat/completions', body, { headers });
    expect([answer.status, JSON.parse(body ?? '').model]).toEqual([200, MODEL]);
  });

  describeByTier([
    ['light', 390],
    ['dark', 1280],
  ] as const)('in %s at %i pixels', ([colorScheme, width]) => {
    test('leads to the lines of .env', async () => {
      telegram.control.configureBot({ privacyMode: true });
      const { id } = telegram.control.createChat({ type: 'channel', title: 'Vault <b>' });
      await open({ colorScheme, viewport: { width, height: 844 } });
      await page.getByText('They appear here as soon as a step has succeeded.').waitFor();
      expect(await page.getByRole('button', { name: 'Check: Id of the channel' }).isDisabled()).toBe(true);
      await check('Bot token', ` "${TEST_TOKEN}" `);
      await page.getByText('Token accepted: @test_bot.').waitFor();
      await page.getByText('Privacy mode is on').waitFor();
      expect(await envLines()).toBe(`BOT_TOKEN=${TEST_TOKEN}`);
      await check('Id of the channel', String(id));
      await page.getByText('The bot can store files in “Vault <b>”.').waitFor();
      await page.getByLabel('Provider', { exact: true }).selectOption('Groq');
      await check('Key of the provider', KEY);
      await page.getByText('The provider answers. Models: 12.').waitFor();
      await page.getByLabel('How messages reach the bot').selectOption('Webhook');
      await page.getByText('A webhook needs').waitFor();
      expect(await envLines()).not.toContain('WEBHOOK_SECRET');
      await page.getByLabel('Public address of the service').fill('https://bot.example.com');
      await page.getByText('Telegram can send updates to this address').waitFor();
      await card('Set up your own bot').getByRole('button', { name: 'Copy' }).click();
      await expect.poll(copied).toMatch(/WEBHOOK_SECRET=[0-9a-f]{64}\n/);
      expect(String(await copied()).replace(/[0-9a-f]{64}/, 'secret')).toBe(
        [
          `BOT_TOKEN=${TEST_TOKEN}`,
          'PUBLIC_URL=https://bot.example.com',
          'WEBHOOK_SECRET=secret',
          `STORAGE_CHAT_IDS=${id}`,
          `GROQ_API_KEY=${KEY}`,
        ].join('\n'),
      );
      await expectGoodLook(page);
      // The answers are in this page only.
      expect(page.url()).not.toContain('AA');
      expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).not.toContain(KEY);
      await page.reload();
      await page.getByText('They appear here as soon as a step has succeeded.').waitFor();
    });
  });

  test('connects a provider, shows who has written, and starts a private bot', async () => {
    await service.settings.setVariable('TELEGRAM_API_ROOT', telegram.url);
    const ann = telegram.control.createChat({ type: 'private', person: { firstName: 'Ann' } });
    const bob = telegram.control.createChat({ type: 'private', person: { firstName: 'Bob', username: 'bob_b' } });
    for (const { id } of [ann, bob]) telegram.control.sendMessage(id, { text: 'Hello' });
    await open({ viewport: { width: 390, height: 844 } });
    await page.getByLabel('Provider', { exact: true }).selectOption('Groq');
    await check('Key of the provider', KEY);
    await page.getByRole('button', { name: 'Connect now' }).click();
    await page.getByText('Connected: the models of groq can be used.').waitFor();
    expect(service.settings.current().models.providers).toEqual([
      expect.objectContaining({ name: 'groq', apiKeys: [KEY] }),
    ]);
    await check('Bot token', TEST_TOKEN);
    const start = page.getByRole('button', { name: 'Start @test_bot' });
    await page.getByText('Needs an admin').waitFor();
    expect(await start.isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Make admin: Ann' }).click();
    await page.getByRole('button', { name: 'Let in: Bob' }).click();
    await page.getByText('Admins: 1; other users: 1.').waitFor();
    expect(await envLines()).toContain(`ADMIN_IDS=${ann.id}\nALLOWED_IDS=${bob.id}`);
    await expectGoodLook(page);
    // The page asks without its session whether the playground still runs.
    visits.allow(/status of 401/);
    await start.click();
    await page.getByText('The service stops and starts again').waitFor();
    expect(service.settings.current().config).toMatchObject({
      telegram: { token: TEST_TOKEN },
      adminIds: [ann.id],
      allowedIds: [bob.id],
    });
    // The settings of this service do not start it, so it only puts them back.
    const manager = { telegramId: ann.id, keyId: undefined };
    service.adminIds.push(ann.id);
    const values = new Map([
      ['variable:BOT_TOKEN', undefined],
      ['variable:ADMIN_IDS', undefined],
      ['variable:ALLOWED_IDS', undefined],
    ] as const);
    await service.settings.editor.change({ manager, values });
    await page.getByText('The bot could not start, and the playground is back.').waitFor();
  });

  test('ends with its last step', async () => {
    visits.allow(/status of 404/);
    await open();
    await check('Bot token', TEST_TOKEN);
    await page.getByLabel('Everyone who finds the bot may use it').check();
    await page.route('**/api/setup/start-bot', (route) => route.fulfill({ json: { effect: 'restarting' } }));
    await page.route('**/api/setup', (route) => route.fulfill({ status: 404, json: {} }));
    await page.getByRole('button', { name: 'Start @test_bot' }).click();
    await page.getByText('The bot runs.').waitFor();
    expect(await page.locator('.steps, pre').count()).toBe(0);
    await expectGoodLook(page);
  });

  test('does not ask a service that has become a bot', async () => {
    visits.allow(/status of 404/);
    await open();
    await page.clock.install();
    let looks = 0;
    await page.route('**/api/setup/writers', (route) => {
      looks += 1;
      return route.fulfill({ status: 404, json: {} });
    });
    const asked = page.waitForResponse('**/api/setup/writers');
    await check('Bot token', TEST_TOKEN);
    await (await asked).finished();
    await page.clock.runFor(20_000);
    expect(looks).toBe(1);
  });

  test('connects a host by its address', async () => {
    visits.allow(/status of 4/);
    await open();
    await page.getByLabel('Provider', { exact: true }).selectOption('Another host, by its address');
    await page.getByLabel('Address of the host', { exact: true }).fill('http://127.0.0.1:9/v1');
    await page.getByLabel('Key of the provider', { exact: true }).fill(` '${KEY}'`);
    await expectGoodLook(page);
    const connect = page.getByRole('button', { name: 'Connect now' });
    await connect.click();
    await page.getByText('127-0-0-1: could not be reached').waitFor();
    const host = await startFakeProvider();
    try {
      await page.getByLabel('Address of the host', { exact: true }).fill(`"${host.baseUrl}" `);
      await connect.click();
      await page.getByText('Connected: the models of 127-0-0-1 can be used.').waitFor();
      expect(host.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    } finally {
      await host.close();
    }
  });

  test('says what to do when a check fails', async () => {
    await open();
    await check('Bot token', UNKNOWN_TOKEN);
    await page.getByText('Telegram does not accept this token: it is mistyped, or was revoked').waitFor();
    telegram.control.injectFault({ method: 'getMe', kind: { type: 'error', status: 502 } });
    await check('Bot token', TEST_TOKEN);
    await page.getByText('Telegram can’t be reached').waitFor();
    await check('Bot token', TEST_TOKEN);
    await page.getByText('Token accepted: @test_bot.').waitFor();
    const { id } = telegram.control.createChat({ type: 'channel', title: 'Vault' });
    telegram.control.changeBot(id, { action: 'demote' });
    await check('Id of the channel', String(id));
    await page.getByText('@test_bot is not an administrator. Add it in the settings').waitFor();
    telegram.control.changeBot(id, { action: 'promote' });
    await page.getByRole('button', { name: 'Check: Id of the channel' }).click();
    await page.getByText('The bot can store files in “Vault”.').waitFor();
    await check('Key of the provider', 'wrong');
    await page.getByText('invalid API key').waitFor();
    expect(await envLines()).toBe(`BOT_TOKEN=${TEST_TOKEN}\nSTORAGE_CHAT_IDS=${id}`);
    // Another token is another bot, which may not be in the channel.
    await page.getByLabel('Bot token', { exact: true }).fill('another');
    await page.getByText('They appear here as soon as a step has succeeded.').waitFor();
    await expectGoodLook(page);
  });

  test('says in place what is wrong with the form of a value', async () => {
    visits.allow(/status of 400/);
    await open();
    await check('Bot token', 'hello');
    await page.getByText('must look like 123456789:AAE…').waitFor();
  });

  test('keeps the answer of a slow check, unless its value has changed', async () => {
    await open();
    const slow = { type: 'slow', delayMs: 1000 } as const;
    telegram.control.injectFault({ method: 'getMe', kind: slow });
    await check('Bot token', UNKNOWN_TOKEN);
    await page.getByLabel('Key of the provider', { exact: true }).fill(KEY);
    await page.getByText('Telegram does not accept this token').waitFor();
    telegram.control.injectFault({ method: 'getMe', kind: slow });
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith('/check-token')),
      check('Bot token', TEST_TOKEN).then(() => page.getByLabel('Bot token', { exact: true }).fill('another')),
    ]);
    expect(await answer.json()).toMatchObject({ ok: true });
    await page.getByRole('button', { name: 'Check: Bot token', disabled: false }).waitFor();
    expect(await page.getByText('It is the token of').count()).toBe(0);
    expect(await card('Lines for .env').count()).toBe(0);
  });

  test('is in Russian, too', async () => {
    await open({ locale: 'ru-RU', colorScheme: 'dark', viewport: { width: 390, height: 844 } });
    await page.getByRole('heading', { name: 'Настройка своего бота' }).waitFor();
    await expectGoodLook(page);
  });
});
