import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePng } from '../../simulator/test/support/simulator.ts';
import { type ServiceHarness, startServiceHarness, UPSTREAM_KEY } from '../support/harness/service.ts';
import { answerJson, die, openAiError } from '../support/hosts/fake-provider.ts';
import { createServerTestDatabase, findServerUrl, type TestDatabase } from '../support/stores/test-database.ts';
import { EXHAUSTIVE } from '../support/vitest/tiers.ts';

/** With characters that are percent-encoded in a URL. Neither form may be logged. */
const DATABASE_PASSWORD = `pa#ss%${randomBytes(6).toString('hex')}`;
const serverUrl = findServerUrl();

let database: (TestDatabase & { readonly url: string }) | undefined;
let stage: ServiceHarness;
beforeAll(async () => {
  database = serverUrl ? await createDatabaseWithPassword(serverUrl) : undefined;
  stage = await startServiceHarness({
    settings: { LOG_LEVEL: 'trace', ...(database ? { DATABASE_URL: database.url } : {}) },
  });
});
afterAll(async () => {
  await stage.close();
  await database?.close();
});

async function createDatabaseWithPassword(server: string) {
  const made = await createServerTestDatabase(server);
  const role = `switchboard_test_${randomBytes(6).toString('hex')}`;
  await made.db.execute(`create role ${role} superuser login password '${DATABASE_PASSWORD}'`);
  const url = new URL(made.config.kind === 'postgres' ? made.config.url : '');
  url.username = role;
  url.password = encodeURIComponent(DATABASE_PASSWORD);
  return {
    ...made,
    url: url.href,
    async close() {
      await made.db.execute(`drop role ${role}`);
      await made.close();
    },
  };
}

/** Messages of the log lines of one request. Each line has the request id once. */
function linesOf(output: string, requestId: string): readonly string[] {
  const lines = output.split('\n').filter((line) => line.includes(requestId));
  for (const line of lines) expect(line.split('"requestId"')).toHaveLength(2);
  return lines.map((line) => JSON.parse(line).msg);
}

test('no secret is logged, whatever fails', EXHAUSTIVE, async () => {
  const { service, telegram, provider } = stage;
  const fault = (method: string, kind: Parameters<typeof telegram.control.injectFault>[0]['kind']) =>
    telegram.control.injectFault({ method, kind });
  const ask = (key: string) =>
    service.post('/ai/v2', { model: 'fake-model', request: { messages: [{ role: 'user', content: 'Hi' }] } }, { key });

  stage.writes('Hello');
  await stage.says('Hello, world!');

  fault('sendMessage', { type: 'reset-before' });
  fault('getUpdates', { type: 'reset-before' });
  fault('editMessageText', { type: 'garbage' });
  fault('sendChatAction', { type: 'error', status: 500, description: `broken /bot${telegram.token}/sendChatAction` });
  stage.writes('Hello again');
  await provider.chatRequest(1);
  // The lost message is searched for before it is sent again.
  const answers = () => stage.said().filter((text) => text === 'Hello, world!');
  await expect.poll(answers).toHaveLength(2);

  // As often as the call is repeated.
  telegram.control.injectFault({ method: 'getFile', kind: { type: 'reset-before' }, times: 4 });
  telegram.control.sendFile(stage.chatId, { bytes: makePng(90, 90), fileName: 'a.png', mimeType: 'image/png' });
  await stage.says('could not load the photo');
  telegram.control.sendFile(stage.chatId, { bytes: makePng(90, 90), fileName: 'a.png', mimeType: 'image/png' });
  await expect.poll(() => JSON.stringify(provider.chatRequests.at(-1)?.body)).toContain('data:image/png');

  const parrot = openAiError(`Incorrect API key provided: ${UPSTREAM_KEY}`, 'invalid_api_key');
  provider.behave(answerJson(400, parrot), answerJson(401, parrot), die(), answerJson(500, parrot));
  stage.writes('And now?');
  for (let index = 0; index < 4; index += 1)
    expect(await (await ask(service.apiKey)).text()).not.toContain(UPSTREAM_KEY);
  expect((await ask('sk-somebody-elses-key')).status).toBe(401);
  await service.get(`/ai/openai/models?api_key=${service.apiKey}`, { headers: { 'x-api-key': service.apiKey } });
  await service.get(`/telegram/${telegram.token}`);

  // Every log line of a request has its id.
  await service.get('/ai/openai/models/nobodys', {
    headers: { authorization: `Bearer ${service.apiKey}`, 'x-request-id': 'request-of-the-test' },
  });
  provider.behave(answerJson(500, {}));
  await service.post(
    '/ai/openai/chat/completions',
    { model: 'fake-model', messages: [{ role: 'user', content: 'Hi' }] },
    {
      headers: {
        authorization: `Bearer ${service.apiKey}`,
        'content-type': 'application/json',
        'x-request-id': 'request-that-fails',
      },
    },
  );
  await service.prints(/"requestId":"request-that-fails"[^\n]*"msg":"request answered"/);
  expect(linesOf(service.output(), 'request-that-fails')).toEqual(
    expect.arrayContaining(['a provider failed', 'a request could not be served', 'request answered']),
  );
  expect(service.output()).toMatch(/"updateId":\d+[^\n]*"msg":"an answer failed"/);

  await service.stop();
  const output = service.output();
  expect(output).toMatch(/"level":40.*"level":50/s);
  expect(output).not.toContain(service.apiKey);
  const secrets = [
    telegram.token,
    UPSTREAM_KEY,
    'sk-somebody-elses-key',
    DATABASE_PASSWORD,
    encodeURIComponent(DATABASE_PASSWORD),
  ];
  for (const secret of secrets) expect(output).not.toContain(secret);
  expect(stage.said().join()).not.toContain(UPSTREAM_KEY);
});
