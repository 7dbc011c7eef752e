import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorkFolder, eventually, findFreePort, runToEnd } from '../support/harness/process.ts';
import { type ServiceHarness, startServiceHarness } from '../support/harness/service.ts';

const SECRET = 'a-secret-of-Telegram_and-us-0123456789';
let stage: ServiceHarness;
let publicUrl: string;
beforeAll(async () => {
  const port = await findFreePort();
  publicUrl = `http://127.0.0.1:${port}`;
  const settings = { PORT: String(port), PUBLIC_URL: publicUrl, WEBHOOK_SECRET: SECRET, LOG_LEVEL: 'trace' };
  stage = await startServiceHarness({ settings });
  await stage.service.isReady();
});
afterAll(() => stage.close());

const bring = (body: unknown, headers: Record<string, string> = { 'x-telegram-bot-api-secret-token': SECRET }) =>
  stage.service.get('/telegram/webhook', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const toUpdate = (updateId: number, text: string, chatId = stage.chatId) => ({
  update_id: updateId,
  message: {
    message_id: updateId,
    date: Math.floor(Date.now() / 1000),
    from: { id: chatId, is_bot: false, first_name: 'Ann' },
    chat: { id: chatId, type: 'private', first_name: 'Ann' },
    text,
    ...(text.startsWith('/') ? { entities: [{ type: 'bot_command', offset: 0, length: text.length }] } : {}),
  },
});

test('updates arrive by webhook and are answered, without polling', async () => {
  expect(stage.service.output()).toContain(`webhook at ${publicUrl}/telegram/webhook`);
  const [call] = stage.telegram.control.calls('setWebhook');
  expect(call?.params).toMatchObject({
    url: `${publicUrl}/telegram/webhook`,
    allowed_updates: expect.arrayContaining(['message', 'callback_query']),
    drop_pending_updates: false,
  });
  stage.writes('Hello?');
  await stage.says('Hello, world!');
  await eventually(() => stage.telegram.control.pendingUpdates().length === 0 || undefined);
  expect(stage.telegram.control.calls('getUpdates')).toEqual([]);
});

test('a repeated update is answered once', async () => {
  const before = stage.said().length;
  const update = toUpdate(900_001, 'Once');
  const answers = await Promise.all([bring(update), bring(update), bring(update)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  await expect.poll(() => stage.said().length).toBe(before + 1);
  expect((await bring(toUpdate(900_002, 'And this?'))).status).toBe(200);
  await expect.poll(() => stage.said().length).toBe(before + 2);
  expect((await bring(update)).status).toBe(200);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(stage.said()).toHaveLength(before + 2);
});

test('a request without the secret gets 401 and is ignored', async () => {
  const before = stage.provider.chatRequests.length;
  const update = toUpdate(900_010, 'Let me in');
  const wrong = [{}, { 'x-telegram-bot-api-secret-token': `${SECRET}x` }, { 'x-telegram-bot-api-secret-token': '' }];
  for (const headers of wrong) {
    const answer = await bring(update, headers);
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({ error: { code: 'invalid_secret_token' } });
  }
  expect(stage.provider.chatRequests).toHaveLength(before);
});

test.each([
  ['no JSON', '{"update_id": 1', 400],
  ['no update', '{"message": {}}', 400],
  ['a list', '[]', 400],
  ['an id that is no integer', '{"update_id": 1.5}', 400],
  ['an id as text', '{"update_id": "1"}', 400],
  ['a body that is too large', JSON.stringify({ update_id: 1, text: 'x'.repeat(1024 * 1024) }), 413],
])('%s is rejected', async (_name, body, status) => {
  expect((await bring(body)).status).toBe(status);
});

test('the webhook address answers 405 to other methods', async () => {
  expect((await stage.service.get('/telegram/webhook')).status).toBe(405);
});

test('a chat with too many waiting updates gets 503, and other chats do not', async () => {
  const chat = stage.telegram.control.createChat({ type: 'private', person: { firstName: 'Bob' } });
  stage.telegram.control.injectFault({ method: 'sendMessage', kind: { type: 'no-answer' } });
  expect((await bring(toUpdate(910_000, '/help', chat.id))).status).toBe(200);
  await eventually(
    () => stage.telegram.control.calls('sendMessage').some(({ params }) => params['chat_id'] === chat.id) || undefined,
  );
  const statuses: number[] = [];
  for (let id = 1; id <= 201; id++) statuses.push((await bring(toUpdate(910_000 + id, '/nothing', chat.id))).status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(199);
  const refused = await bring(toUpdate(910_300, '/nothing', chat.id));
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('5');
  expect((await bring(toUpdate(910_301, 'And I?'))).status).toBe(200);
});

test('the secret is never logged, and the webhook stays set after shutdown', async () => {
  await stage.service.kill();
  expect(stage.service.output()).not.toContain(SECRET);
  expect((await stage.telegram.succeed('getWebhookInfo'))['url']).toBe(`${publicUrl}/telegram/webhook`);
  stage.writes('While you were away');
  await stage.start();
  stage.provider.behaveUsually(({ response }) => void response.end());
  expect((await stage.service.stop()).code).toBe(0);
  expect((await stage.telegram.succeed('getWebhookInfo'))['url']).toBe(`${publicUrl}/telegram/webhook`);
});

test('--check reports how updates arrive', async () => {
  const folder = await createWorkFolder();
  const { stdout } = await runToEnd(folder.path, ['--check'], {
    BOT_TOKEN: stage.telegram.token,
    TELEGRAM_API_ROOT: stage.telegram.url,
    PUBLIC_URL: publicUrl,
    WEBHOOK_SECRET: SECRET,
  });
  await folder.remove();
  expect(stdout).toContain(`webhook at ${publicUrl}/telegram/webhook`);
});
