import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestSimulator, TEST_TOKEN, type TestSimulator } from '../../simulator/test/support/simulator.ts';
import {
  createWorkFolder,
  eventually,
  type RunningService,
  runToEnd,
  sendJson,
  startService,
} from '../support/harness/process.ts';
import { type FakeProvider, startFakeProvider } from '../support/hosts/fake-provider.ts';

const SECRET = TEST_TOKEN.split(':')[1] ?? '';
const KEY = 'sk-key-of-a-stored-provider-0123';

let folder: Awaited<ReturnType<typeof createWorkFolder>>;
let telegram: TestSimulator;
let host: FakeProvider;
let service: RunningService;

beforeAll(async () => {
  host = await startFakeProvider();
});
afterAll(() => host?.close());
beforeEach(async () => {
  folder = await createWorkFolder();
  telegram = await startTestSimulator();
});
afterEach(async () => {
  await service?.kill();
  await telegram?.close();
  await folder?.remove();
});

const withSimulator = (settings: Record<string, string> = {}) => ({
  TELEGRAM_API_ROOT: telegram.url,
  UNIVERSAL_API_KEY: 'sk-of-this-suite',
  MODEL_TITLES: 'false',
  ...settings,
});
const start = async (settings?: Record<string, string>) => {
  service = await startService(folder.path, withSimulator(settings));
};
const signIn = async () => {
  const signedIn = await service.get('/api/sessions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ playground: true }),
  });
  const { token } = (await signedIn.json()) as { token: string };
  return sendJson(service, token);
};
const isBot = () => eventually(() => /the bot is starting/.test(service.output()) || undefined);
const setToken = async (values: Record<string, string> = {}) => {
  const send = await signIn();
  for (const [name, value] of Object.entries(values))
    expect(await send('PUT', `/api/settings/variable:${name}`, { value })).toMatchObject({ status: 200 });
  const sent = await send('PUT', '/api/settings/variable:BOT_TOKEN', {
    value: ` ${TEST_TOKEN} `,
    for_everyone: true,
  });
  expect(sent).toMatchObject({ status: 200, body: { effect: 'restarting', findings: ['@test_bot'] } });
};

test('a provider and a token from the browser make a bot that answers, without another process', async () => {
  await start();
  const send = await signIn();
  const provider = { value: { base_url: host.baseUrl, api_keys: [KEY] } };
  expect(await send('PUT', '/api/settings/provider:home', provider)).toMatchObject({
    status: 200,
    body: { effect: 'in_force', findings: ['home: 1 model'] },
  });
  await setToken();
  await isBot();
  await service.isReady();
  const { id } = telegram.control.createChat({ type: 'private', person: { firstName: 'Ann' } });
  telegram.control.sendMessage(id, { text: 'Hello' });
  await eventually(
    () => telegram.control.transcript(id).some(({ message }) => message.text?.includes('Hello, world!')) || undefined,
  );
  expect(host.chatRequests.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
  expect((await service.get('/playground')).status).toBe(404);
  for (const secret of [SECRET, KEY]) expect(service.output()).not.toContain(secret);

  // The next process reads the same.
  await service.kill();
  await start();
  expect(service.output()).toContain('the bot is starting');
  expect(
    (
      await service.post('/ai/openai/chat/completions', {
        model: 'fake-model',
        messages: [{ role: 'user', content: 'Hi' }],
      })
    ).status,
  ).toBe(200);
});

test('who may upload is told at the start, changed in the console at once, and told no more', async () => {
  await start({ CLOUD_URL: 'http://files.example.com' });
  expect(service.output()).toContain('Uploads     anyone who reaches the service, without a key (UPLOADS=key');
  const send = await signIn();
  const put = (headers: Record<string, string> = {}) =>
    fetch(`${service.url}/upload/note.txt`, { method: 'PUT', body: 'twelve bytes', headers });
  expect((await put()).status).toBe(200);
  expect((await send('GET', '/api/setup')).body).toMatchObject({ strangers_upload: true });
  expect((await send('PUT', '/api/settings/variable:UPLOADS', { value: 'nobody' })).status).toBe(400);
  expect(await send('PUT', '/api/settings/variable:UPLOADS', { value: 'key' })).toMatchObject({
    status: 200,
    body: { effect: 'in_force' },
  });
  expect((await put()).status).toBe(401);
  expect((await put({ authorization: 'Bearer sk-of-this-suite' })).status).toBe(200);
  expect((await send('GET', '/api/setup')).body).toMatchObject({ strangers_upload: false });
  await send('PUT', '/api/settings/variable:UPLOADS', { value: 'off' });
  expect((await put({ authorization: 'Bearer sk-of-this-suite' })).status).toBe(403);
  await service.kill();
  await start({ CLOUD_URL: 'http://files.example.com' });
  expect(service.output()).not.toContain('Uploads  ');
  expect((await put()).status).toBe(403);
});

test('a token that is refused after the restart brings the playground back, with the reason', async () => {
  await start();
  await setToken();
  // The check before the change has succeeded; the process still stops what runs.
  telegram.control.injectFault({ method: 'getMe', kind: { type: 'error', status: 401 } });
  await eventually(() => /the previous ones are back/.test(service.output()) || undefined);
  const send = await eventually(() => signIn().catch(() => undefined));
  const { body } = await send('GET', '/api/settings/variable:BOT_TOKEN');
  expect(body).toMatchObject({ origin: 'removed', value: null });
  const { body: log } = await send('GET', '/api/audit-log?limit=1');
  expect(log.data[0]).toMatchObject({ action: 'undo-setting', reason: 'the service could not start with it' });
});

test('--check reads what is stored without changing it, names its place, and says when it can’t', async () => {
  await start();
  const send = await signIn();
  await send('PUT', '/api/settings/provider:home', { value: { base_url: host.baseUrl, api_keys: [KEY] } });
  await setToken({ ALLOWED_IDS: '7' });
  await isBot();
  const check = (settings: Record<string, string> = {}) =>
    runToEnd(folder.path, ['--check'], withSimulator({ PORT: '0', ...settings }));
  expect(await check()).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^Settings +without those stored in the console: a running service uses the embedded/,
    ),
  });
  await service.kill();
  const { code, stdout } = await check({ BRAVE_API_KEY: '', ADMIN_IDS: '5' });
  expect(code).toBe(0);
  expect(stdout).toContain(
    'Settings    environment: ADMIN_IDS\n            console: BOT_TOKEN, ALLOWED_IDS, provider home\n',
  );
  expect(stdout).toContain('Telegram bot @test_bot');
  expect(stdout).toContain('private: 1 id in ALLOWED_IDS, and whom admins let in; 1 admin');
  expect(stdout).toContain('- home: 1 model');
  for (const secret of [SECRET, KEY]) expect(stdout).not.toContain(secret);
  await start();
  expect(service.output()).toContain('private: 1 id in ALLOWED_IDS');
});

test('a stored token that is refused later ends the next start, and the environment brings the bot back', async () => {
  await start();
  await setToken();
  await isBot();
  await service.kill();
  telegram.control.injectFault({ method: 'getMe', kind: { type: 'error', status: 401 } });
  const { code, stderr } = await runToEnd(folder.path, [], withSimulator());
  expect(code).toBe(78);
  expect(stderr).toMatch(/An admin has stored it in the console\. Set BOT_TOKEN in the environment/);
  telegram.control.clearFaults();
  await start({ BOT_TOKEN: TEST_TOKEN });
  await service.isReady();
});

test('the link on the terminal makes the first user of an open bot its admin, once, who closes it', async () => {
  await start({ BOT_TOKEN: TEST_TOKEN });
  await service.isReady();
  const code = await eventually(() => /t\.me\/test_bot\?start=(a_[\w-]{43})\s/.exec(service.output())?.[1]);
  const join = (firstName: string) => telegram.control.createChat({ type: 'private', person: { firstName } });
  const [ann, bob, carol] = [join('Ann'), join('Bob'), join('Carol')];
  const answersOf = ({ id }: typeof ann) =>
    telegram.control.transcript(id).filter(({ message }) => message.from?.is_bot);
  const ask = async (chat: typeof ann, text: string) => {
    const { length } = answersOf(chat);
    telegram.control.sendMessage(chat.id, { text });
    return await eventually(() => answersOf(chat)[length]?.message);
  };

  // Guessing ends after five codes.
  for (let count = 0; count < 5; count++)
    expect((await ask(bob, `/start ${code}${count}`)).text).toMatch(/^This link has been used/);
  expect((await ask(bob, `/start ${code}`)).text).toMatch(/^Hi! Write me/);

  const question = await ask(ann, `/start ${code}`);
  expect(question.text).toBe('You are my admin now. Who may use me?');
  const [button] = question.reply_markup?.inline_keyboard[0] ?? [];
  expect(button?.text).toBe('Only people I let in');
  expect((await ask(carol, `/start ${code}`)).text).toMatch(/^This link has been used/);
  telegram.control.pressButton(ann.id, question.message_id, { row: 0, column: 0 });
  await eventually(() => answersOf(ann).at(-1)?.message.text?.startsWith('Only people you let in') || undefined);
  expect((await ask(bob, 'Hello')).text).toMatch(/private/);
  expect((await ask(ann, '/invite')).text).toContain('There are none.');

  await service.kill();
  await start({ BOT_TOKEN: TEST_TOKEN });
  await service.isReady();
  expect(service.output()).toContain('private: 1 id in ALLOWED_IDS, and whom admins let in; 1 admin');
  expect(service.output()).not.toContain('?start=');
});

test('with a lost encryption key neither the bot nor a playground starts', async () => {
  await start();
  await setToken({ ALLOWED_IDS: '7' });
  await isBot();
  await service.kill();
  const path = join(folder.path, 'data', 'encryption.key');
  const key = await readFile(path, 'utf8');
  await writeFile(path, `${Buffer.alloc(32, 5).toString('base64')}\n`);
  await expect(start()).rejects.toThrow(/BOT_TOKEN, which an admin has stored[\s\S]*Restore ENCRYPTION_KEY/);
  // The environment takes precedence.
  await start({ BOT_TOKEN: TEST_TOKEN, ALLOWED_IDS: '8' });
  await service.kill();
  await writeFile(path, key);
  await start();
  expect(service.output()).toContain('private: 1 id in ALLOWED_IDS');
});
