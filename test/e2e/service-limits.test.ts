import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { RunningService } from '../support/harness/process.ts';
import { type ServiceHarness, startServiceHarness } from '../support/harness/service.ts';
import { createServerTestDatabase, findServerUrl, type TestDatabase } from '../support/stores/test-database.ts';
import { EXHAUSTIVE } from '../support/vitest/tiers.ts';

const serverUrl = findServerUrl();
const KEY = 'sk-sb-key-of-this-suite';
const MODEL = 'fake-model';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function openStage(plans: string, database?: TestDatabase): Promise<ServiceHarness> {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-plans-'));
  closers.push(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'providers.yaml');
  await writeFile(file, plans);
  const settings = { PROVIDERS_FILE: file, UNIVERSAL_API_KEY: KEY };
  const stage = await startServiceHarness({ settings, ...(database ? { database } : {}) });
  closers.push(() => stage.close());
  return stage;
}

const ask = (service: RunningService, body: object = {}) =>
  service.post(
    '/ai/openai/chat/completions',
    {
      model: MODEL,
      messages: [{ role: 'user', content: 'Hi' }],
      ...body,
    },
    { key: KEY },
  );

const countStatuses = (answers: readonly Response[]) =>
  [200, 429].map((status) => answers.filter((answer) => answer.status === status).length);

describe.skipIf(!serverUrl)('two processes on one Postgres', () => {
  test('share a limit of ten requests: ten of a hundred pass', async () => {
    const database = await createServerTestDatabase(serverUrl ?? '');
    closers.push(() => database.close());
    const stage = await openStage(
      'plans: { universal: { key: { requests_per_minute: 10 }, user: { at_once: 50 } } }',
      database,
    );
    const first = stage.service;
    const second = await stage.start();
    closers.push(() => first.kill());
    const asks = Array.from({ length: 100 }, (_, at) => ask(at % 2 === 0 ? first : second));
    expect(countStatuses(await Promise.all(asks))).toEqual([10, 90]);
  });
});

describe('one process on the embedded Postgres', () => {
  test('enforces a limit of ten requests: ten of a hundred pass', async () => {
    const stage = await openStage('plans: { universal: { user: { requests_per_minute: 10 } } }');
    const asks = Array.from({ length: 100 }, () => ask(stage.service));
    expect(countStatuses(await Promise.all(asks))).toEqual([10, 90]);
  });

  test('has counted every token when it ends, and the next process continues from there', EXHAUSTIVE, async () => {
    const stage = await openStage('plans: { universal: { key: { tokens_per_day: 100000 } } }');
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(stage.service)));
    const used = await Promise.all(answers.map(async (answer) => toUsedTokens(await answer.json())));
    expect((await stage.service.stop()).code).toBe(0);
    const next = await ask(await stage.start(), { max_tokens: 1 });
    const left = 100_000 - used.reduce((sum, tokens) => sum + tokens, 0);
    // "Hi", and the one token of the answer.
    expect(Number(next.headers.get('x-ratelimit-remaining-tokens'))).toBe(left - 2);
  });
});

test('a user creates a key in the chat, uses it, and revokes it', EXHAUSTIVE, async () => {
  const stage = await openStage('plans: { free: { key: { requests_per_minute: 2 } } }');
  const { telegram, chatId, service } = stage;
  await service.isReady();
  const newest = () => telegram.control.transcript(chatId).at(-1)?.message;
  const person = newest()?.chat.id ?? chatId;
  const press = async (label: string) => {
    const found = await expect
      .poll(() => findButton(stage, label))
      .toBeDefined()
      .then(() => findButton(stage, label));
    telegram.control.pressButton(chatId, found?.messageId ?? 0, { from: person, data: found?.data ?? '' });
  };
  stage.writes('/key');
  await stage.says('You have no API key yet');
  await press('New key');
  await stage.says('What is the key for?');
  stage.writes('my script');
  const key = /sk-sb-[\w-]{43}/.exec(await stage.says('sk-sb-'))?.[0] ?? '';
  const call = () =>
    service.post('/ai/v2', { model: MODEL, request: { messages: [{ role: 'user', content: 'Hi' }] } }, { key });
  expect((await call()).status).toBe(200);
  expect((await call()).status).toBe(200);
  expect((await call()).status).toBe(429);
  await press('Done, hide it');
  await stage.says('Your API keys: 1 of 10.');
  await press(`my script · ${key.slice(0, 10)}…`);
  await stage.says('/ai/v2, from 127.0.0.0/24');
  await press('Revoke');
  await stage.says('Revoke this key?');
  await press('Yes, revoke');
  await stage.says('You have no API key yet');
  await expect.poll(async () => (await call()).status).toBe(401);
  expect(service.output()).not.toContain(key.slice(0, 14));
});

function findButton({ telegram, chatId }: ServiceHarness, label: string) {
  for (const { message } of telegram.control.transcript(chatId).toReversed()) {
    for (const button of message.reply_markup?.inline_keyboard.flat() ?? []) {
      if (button.text === label && 'callback_data' in button)
        return { messageId: message.message_id, data: button.callback_data };
    }
  }
  return undefined;
}

function toUsedTokens(body: unknown): number {
  return (body as { usage: { total_tokens: number } }).usage.total_tokens;
}
