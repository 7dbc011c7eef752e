import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestSimulator, TEST_TOKEN, type TestSimulator } from '../../simulator/test/support/simulator.ts';
import { createSetupChecks } from '../../src/app/http/create-setup-checks.ts';
import type { SetupChecks } from '../../src/http/setup/setup-checks.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createRecordingLogger } from '../support/harness/foundation.ts';
import { NO_KEY_FILE } from '../support/harness/http.ts';
import { type ConsoleService, type SignedInUser, startConsoleService } from '../support/harness/http-users.ts';
import { createFastClock } from '../support/machine/fast-clock.ts';
import type { TestDatabase } from '../support/stores/test-database.ts';

const ADMIN = 7;
const SECRET = TEST_TOKEN.split(':')[1] ?? '';
const UNKNOWN_TOKEN = '7000009:AAnobodyHasThisToken_0123456789';
const STRANGE_CHANNEL = '-1009999999999';
/** A port on which nothing listens. */
const NOWHERE = 'http://127.0.0.1:9';

let telegram: TestSimulator;
let service: ConsoleService;
let admin: SignedInUser;
/** Checks that the service asks for; tests replace parts of them. */
let checks: SetupChecks;
let passedMs = 0;
const { logger, lines } = createRecordingLogger();
const createChecks = (apiRoot: string, clock = systemClock) =>
  createSetupChecks(
    { clock, logger, universalKey: { kind: 'file', path: NO_KEY_FILE, secret: 'sk-sb-secret' } },
    { apiRoot, publicUrl: undefined, cloudUrl: undefined },
  );
beforeAll(async () => {
  telegram = await startTestSimulator();
  telegram.control.createPerson({ firstName: 'Owner' });
  checks = createChecks(telegram.url);
  const setup: SetupChecks = {
    universalKey: checks.universalKey,
    publicUrl: checks.publicUrl,
    get isPublic() {
      return checks.isPublic;
    },
    checkBot: (token) => checks.checkBot(token),
    listWriters: (token) => checks.listWriters(token),
    checkChannel: (token, chatId) => checks.checkChannel(token, chatId),
    checkProvider: (variable, key) => checks.checkProvider(variable, key),
  };
  service = await startConsoleService({ setup, clock: { ...systemClock, now: () => Date.now() + passedMs } });
  service.adminIds.push(ADMIN);
  admin = await service.signIn(ADMIN);
});
afterAll(() => Promise.all([service?.close(), telegram?.close()]));
afterEach(() => {
  // The next test may make as many checks.
  passedMs += 60_000;
  telegram.control.clearFaults();
  checks = createChecks(telegram.url);
});

const checkToken = async (token = TEST_TOKEN) => (await admin.send('POST', '/api/setup/check-token', { token })).body;
const checkChannel = async (chatId: string) =>
  (await admin.send('POST', '/api/setup/check-channel', { token: TEST_TOKEN, chat_id: chatId })).body;

describe('the token', () => {
  test('is checked by getMe, with privacy mode and webhook', async () => {
    telegram.control.configureBot({ privacyMode: true });
    expect(await checkToken()).toEqual({ ok: true, username: 'test_bot', reads_groups: false, webhook_host: null });
    telegram.control.configureBot({ privacyMode: false });
    await telegram.succeed('setWebhook', { url: 'http://127.0.0.1:8443/secret-path' });
    const check = await checkToken();
    expect(check).toMatchObject({ reads_groups: true, webhook_host: '127.0.0.1:8443' });
    await telegram.succeed('deleteWebhook');
  });

  test('is refused if Telegram does not know it', async () => {
    expect(await checkToken(UNKNOWN_TOKEN)).toEqual({ ok: false, reason: 'refused' });
  });

  test.each(['', 'hello', `${TEST_TOKEN}/../x`, `7000001:${'a'.repeat(200)}`, 'http://10.0.0.1:1234/aaaaaaaaaaaaaaaa'])(
    'does not reach Telegram if it is %j',
    async (token) => {
      const before = telegram.control.calls().length;
      const { status, body } = await admin.send('POST', '/api/setup/check-token', { token });
      expect([status, body.error.param]).toEqual([400, 'token']);
      expect(telegram.control.calls().length).toBe(before);
    },
  );

  test.each([
    ['can not be reached', undefined],
    ['answers with an error', { type: 'error', status: 502 }],
    ['answers with a page', { type: 'error', status: 502, isPage: true }],
    ['answers with garbage', { type: 'garbage' }],
    ['resets the connection', { type: 'reset-before' }],
    ['asks to wait for an hour', { type: 'flood', retryAfterSeconds: 3600 }],
  ] as const)('stays unknown if Telegram %s', async (_words, kind) => {
    if (kind) telegram.control.injectFault({ method: 'getMe', kind });
    else checks = createChecks(NOWHERE);
    const check = await checkToken();
    expect(check).toMatchObject({ ok: false, reason: 'no_answer', message: expect.stringMatching(/./) });
    expect(check.message).not.toContain(SECRET);
  });

  test('stays unknown if Telegram does not answer in time', async () => {
    checks = createChecks(telegram.url, createFastClock(100));
    telegram.control.injectFault({ method: 'getMe', kind: { type: 'no-answer' } });
    expect(await checkToken()).toMatchObject({ ok: false, reason: 'no_answer' });
  });
});

describe('the channel', () => {
  test('is usable if the bot may post and delete in it', async () => {
    const { id } = telegram.control.createChat({ type: 'channel', title: 'Vault <b>' });
    expect(await checkChannel(String(id))).toEqual({ ok: true, title: 'Vault <b>' });
  });

  test.each([
    [{ action: 'demote' }, 'not_an_administrator', null],
    [{ action: 'promote', rights: { canPostMessages: false } }, 'may_not_post', null],
    [{ action: 'promote', rights: { canDeleteMessages: false } }, 'may_not_delete', null],
    [{ action: 'remove' }, 'unknown', expect.stringMatching(/^getChat: Forbidden/)],
  ] as const)('is not after %j', async (change, reason, message) => {
    const { id } = telegram.control.createChat({ type: 'channel', title: 'Vault' });
    telegram.control.changeBot(id, { action: 'demote' });
    telegram.control.changeBot(id, change);
    expect(await checkChannel(String(id))).toEqual({ ok: false, reason, message });
  });

  test('is not if it is unknown, or a group, or Telegram does not answer', async () => {
    expect(await checkChannel(STRANGE_CHANNEL)).toMatchObject({ ok: false, reason: 'unknown' });
    const group = telegram.control.createChat({ type: 'group', title: 'Team' });
    expect(await checkChannel(String(group.id))).toMatchObject({ ok: false, reason: 'not_a_channel' });
    for (const chatId of ['7', '-1', 'Vault', '-100123456789012345'])
      expect((await checkChannel(chatId)).error.param).toBe('chat_id');
    checks = createChecks(NOWHERE);
    const check = await checkChannel(STRANGE_CHANNEL);
    expect(check.reason).toBe('no_answer');
    expect(JSON.stringify(check)).not.toContain(SECRET);
  });
});

describe('the access', () => {
  const look = async (token = TEST_TOKEN) => (await admin.send('POST', '/api/setup/writers', { token })).body;
  const startBot = (fields: object = {}) =>
    admin.send('POST', '/api/setup/start-bot', {
      ...{ token: TEST_TOKEN, admin_ids: [100], allowed_ids: [], chat_id: null },
      ...fields,
    });
  const current = () => service.settings.current().config;

  test('shows who has written in private, newest first, and leaves the messages to the bot', async () => {
    const ann = telegram.control.createChat({ type: 'private', person: { firstName: 'Ann' } });
    const bob = telegram.control.createChat({ type: 'private', person: { firstName: 'Bob', username: 'bob_b' } });
    const before = telegram.control.pendingUpdates().length;
    telegram.control.sendMessage(ann.id, { text: 'Hello' });
    telegram.control.sendMessage(bob.id, { text: 'Hi' });
    telegram.control.sendMessage(ann.id, { text: 'Me again' });
    for (const _look of [1, 2]) {
      const { writers } = await look();
      expect(writers).toContainEqual({ id: ann.id, name: 'Ann', username: null });
      expect(writers).toContainEqual({ id: bob.id, name: 'Bob', username: 'bob_b' });
    }
    expect(telegram.control.pendingUpdates()).toHaveLength(before + 3);
    expect(JSON.stringify(await look(UNKNOWN_TOKEN))).not.toContain(UNKNOWN_TOKEN.split(':')[1]);
    expect(await look(UNKNOWN_TOKEN)).toMatchObject({ ok: false, message: expect.stringMatching(/./) });
  });

  test('is private by default, and nothing is stored without an admin or with a wrong token', async () => {
    await service.settings.setVariable('TELEGRAM_API_ROOT', telegram.url);
    expect((await startBot({ admin_ids: [] })).status).toBe(400);
    expect((await startBot({ token: UNKNOWN_TOKEN })).body.error.code).toBe('setting_does_not_work');
    expect(current().telegram.mode).toBe('playground');
    expect((await startBot()).status).toBe(200);
    expect(current()).toMatchObject({ telegram: { token: TEST_TOKEN }, adminIds: [100], allowedIds: [100] });
    expect((await startBot({ allowed_ids: [101, 102] })).status).toBe(200);
    expect(current()).toMatchObject({ adminIds: [100], allowedIds: [101, 102] });
    expect((await startBot({ allowed_ids: null })).status).toBe(200);
    expect(current().allowedIds).toEqual([]);
    const { body } = await admin.send('GET', '/api/settings');
    expect(JSON.stringify(body)).not.toContain(SECRET);
  });
});

describe('the routes', () => {
  const body = { token: TEST_TOKEN };

  test('are for admins in a session on this machine', async () => {
    const ann = await service.signIn(100);
    const paths = ['check-token', 'check-channel', 'check-provider', 'writers', 'start-bot'].map(
      (name) => `/api/setup/${name}`,
    );
    const before = telegram.control.calls().length;
    for (const path of paths) {
      expect((await ann.send('POST', path, body)).status).toBe(403);
      expect((await service.send('POST', path, body)).status).toBe(401);
      const key = { authorization: `Bearer ${service.apiKey}` };
      expect((await service.send('POST', path, body, key)).status).toBe(401);
      for (const headers of [{ 'x-forwarded-for': '1.2.3.4' }, { origin: 'https://evil.example' }])
        expect((await admin.send('POST', path, body, headers)).status).toBe(403);
    }
    expect((await ann.send('GET', '/api/setup')).status).toBe(403);
    expect(telegram.control.calls().length).toBe(before);
  });

  test('exist in playgrounds only', async () => {
    const { database } = service;
    const bot = await startConsoleService({ database });
    bot.adminIds.push(ADMIN);
    const user = await bot.signIn(ADMIN);
    expect((await user.send('GET', '/api/setup')).status).toBe(404);
    expect((await user.send('POST', '/api/setup/check-token', body)).status).toBe(404);
    const page = await fetch(bot.url, { headers: { accept: 'text/html' } });
    expect([page.url, await page.text()]).toEqual([`${bot.url}/`, expect.stringContaining('<a href="console">')]);
    await bot.close();
  });

  test('tell what runs, without secrets', async () => {
    const { body: state } = await admin.send('GET', '/api/setup');
    expect(state).toMatchObject({ is_demonstration: false, public_url: null });
    expect(state.presets).toContainEqual({ name: 'groq', display_name: 'Groq', variable: 'GROQ_API_KEY' });
    expect(JSON.stringify(state)).not.toContain('sk-sb-secret');
  });

  test('ask providers of the list only', async () => {
    const send = (variable: string, key: string) => admin.send('POST', '/api/setup/check-provider', { variable, key });
    for (const variable of ['SD_WEBUI_URL', 'OPENAI_BASE_URL', '__proto__'])
      expect((await send(variable, 'sk-x')).body.error.param).toBe('variable');
    expect((await send('GROQ_API_KEY', 'two words')).body.error.param).toBe('key');
    checks = {
      ...checks,
      checkProvider: async (_variable, key) => ({ modelCount: 0, problem: `401: the key ${key} is wrong` }),
    };
    const { body: answer } = await send('GROQ_API_KEY', 'short-key');
    expect(answer).toEqual({ ok: false, models: 0, message: '401: the key [hidden] is wrong' });
  });

  test('leave no token in the log or in the database', async () => {
    await checkToken();
    await checkToken(UNKNOWN_TOKEN);
    checks = createChecks(NOWHERE);
    await checkToken();
    await checkChannel(STRANGE_CHANNEL);
    const log = service.logText() + lines.join('');
    expect(log).toContain('/api/setup/check-token');
    for (const secret of [SECRET, UNKNOWN_TOKEN.split(':')[1]]) expect(log).not.toContain(secret);
    const dump = await readAllRows(service.database.db);
    for (const secret of [SECRET, UNKNOWN_TOKEN.split(':')[1]]) expect(dump).not.toContain(secret);
  });

  test('are limited to 30 checks a minute', async () => {
    const statuses = [];
    for (let count = 0; count < 31; count += 1)
      statuses.push((await admin.send('POST', '/api/setup/check-token', { token: '' })).status);
    expect(statuses.at(-1)).toBe(429);
  });
});

/** Returns the contents of all tables as one text. */
async function readAllRows(db: TestDatabase['db']): Promise<string> {
  const name = sql<string>`tablename`;
  const tables = await db.select({ name }).from(sql`pg_tables`).where(sql`schemaname = 'public'`);
  const rows = [];
  for (const table of tables)
    rows.push(await db.select({ row: sql`to_json(t)` }).from(sql`${sql.identifier(table.name)} t`));
  expect(rows.length).toBeGreaterThan(10);
  return JSON.stringify(rows);
}
