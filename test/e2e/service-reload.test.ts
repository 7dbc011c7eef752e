import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorkFolder, eventually, type RunningService, startService } from '../support/harness/process.ts';
import {
  answerHello,
  answerJson,
  type FakeProvider,
  openAiError,
  startFakeProvider,
  streamEventsOf,
} from '../support/hosts/fake-provider.ts';

let folder: Awaited<ReturnType<typeof createWorkFolder>>;
let first: FakeProvider;
let second: FakeProvider;
let service: RunningService;
const newKey = 'sk-key-of-the-second-provider';

const writeProviders = (text: string) => writeFile(join(folder.path, 'providers.yaml'), text);
const providerEntry = (name: string, { baseUrl }: FakeProvider, more = '') =>
  `providers:\n  - name: ${name}\n    base_url: ${baseUrl}\n${more}`;
const ask = (more: object = {}) =>
  service.post('/ai/openai/chat/completions', {
    model: 'fake-model',
    messages: [{ role: 'user', content: 'Hi' }],
    ...more,
  });
/** Sends SIGHUP and returns the log line about it. */
const reload = async () => {
  const pattern = /"msg":"(?:settings reloaded|the new settings are invalid)/;
  const count = () =>
    service
      .output()
      .split('\n')
      .filter((line) => pattern.test(line));
  const before = count().length;
  service.signal('SIGHUP');
  return eventually(() => count()[before]);
};

beforeAll(async () => {
  folder = await createWorkFolder();
  [first, second] = await Promise.all([startFakeProvider(), startFakeProvider()]);
  await writeProviders(providerEntry('first', first));
  service = await startService(folder.path, {
    PROVIDERS_FILE: 'providers.yaml',
    UNIVERSAL_API_KEY: 'sk-of-this-suite',
  });
});
afterAll(async () => {
  await service?.kill();
  await first?.close();
  await second?.close();
  await folder?.remove();
});

test('SIGHUP replaces the providers during a stream, and reports settings that need a restart', async () => {
  const rest = Promise.withResolvers<void>();
  first.behave(async ({ request, response }) => {
    const events = streamEventsOf(request);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(events[0]);
    await rest.promise;
    response.end(events.slice(1).join(''));
  });
  const stream = await ask({ stream: true });

  await writeProviders(providerEntry('second', second, '    api_keys: [$SECOND_KEY]\n'));
  await writeFile(join(folder.path, '.env'), `SECOND_KEY=${newKey}\nIMAGES_AT_ONCE=5\nLOG_LEVEL=debug\n`);
  const line = JSON.parse(await reload());
  expect(line).toMatchObject({ hasNewModels: true, needsRestart: ['IMAGES_AT_ONCE'] });

  expect((await ask()).status).toBe(200);
  expect(first.chatRequests).toHaveLength(1);
  expect(second.chatRequests).toHaveLength(1);
  rest.resolve();
  expect(await stream.text()).toMatch(/\[DONE\]\n\n$/);
  // The first provider is no longer used, so its connections are closed.
  await eventually(() => first.openSockets() === 0 || undefined);
});

test('SIGHUP with invalid settings logs the problems and changes nothing', async () => {
  await writeProviders('providers:\n  - preset: nobody\n');
  const line = JSON.parse(await reload());
  expect(line).toMatchObject({ level: 50, problems: [expect.stringContaining('nobody')] });
  expect((await ask()).status).toBe(200);
  expect(second.chatRequests).toHaveLength(2);

  await writeFile(join(folder.path, '.env'), 'PORT=many\n');
  expect(JSON.parse(await reload())).toMatchObject({ level: 50 });
  expect((await ask()).status).toBe(200);
});

test('API keys added by SIGHUP are not logged either', async () => {
  second.behave(answerJson(400, openAiError(`Your key is ${newKey}`, 'bad')));
  expect(await (await ask()).text()).not.toContain(newKey);
  second.behave(answerJson(500, openAiError(`Your key is ${newKey}`, 'bad')));
  expect((await ask()).status).toBe(502);
  await eventually(() => /a provider failed/.test(service.output()) || undefined);
  expect(service.output()).not.toContain(newKey);
});

const providersWith = (plans: string) => writeProviders(`${providerEntry('second', second)}plans:\n${plans}`);

test('SIGHUP applies plans from the next request on, during a stream', async () => {
  second.behaveUsually(answerHello());
  await writeFile(join(folder.path, '.env'), '');
  const rest = Promise.withResolvers<void>();
  second.behave(async ({ request, response }) => {
    const events = streamEventsOf(request);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(events[0]);
    await rest.promise;
    response.end(events.slice(1).join(''));
  });
  const stream = await ask({ stream: true });
  expect(stream.headers.get('x-ratelimit-limit-requests')).toBeNull();

  await providersWith('  universal: { key: { requests_per_minute: 2 } }\n');
  const line = JSON.parse(await reload());
  expect(line).toMatchObject({ hasNewRules: true });
  expect(line.needsRestart).toBeUndefined();
  const answers = [await ask(), await ask(), await ask()];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
  rest.resolve();
  expect(await stream.text()).toMatch(/\[DONE\]\n\n$/);

  await providersWith('  universal: { key: { requests_per_minute: 3 } }\n');
  await reload();
  expect((await ask()).headers.get('x-ratelimit-limit-requests')).toBe('3');
  await providersWith('  universal: {}\n');
  await reload();
  const free = await ask();
  expect(free.status).toBe(200);
  expect(free.headers.get('x-ratelimit-limit-requests')).toBeNull();
});

test('SIGHUP reports all problems at once and applies no part of invalid settings', async () => {
  await providersWith('  universal: { key: { requests_per_minute: -1, apples: 3 } }\n');
  await writeFile(join(folder.path, '.env'), 'ADMIN_IDS=ann\nRETENTION_DAYS=0\nLOG_LEVEL=fatal\n');
  const { level, problems } = JSON.parse(await reload());
  expect(level).toBe(50);
  for (const wrong of ['ADMIN_IDS', 'RETENTION_DAYS', 'requests_per_minute', 'apples'])
    expect(problems.filter((problem: string) => problem.includes(wrong))).toHaveLength(1);
  expect((await ask()).status).toBe(200);
  await providersWith('  universal: {}\n');
  await writeFile(join(folder.path, '.env'), '');
  expect(JSON.parse(await reload())).toMatchObject({ level: 30 });
});
