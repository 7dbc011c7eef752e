import { afterEach, describe, expect, test } from 'vitest';
import type { RunningService } from '../support/harness/process.ts';
import { startServiceHarness } from '../support/harness/service.ts';
import { answerHello } from '../support/hosts/fake-provider.ts';
import { createServerTestDatabase, findServerUrl } from '../support/stores/test-database.ts';
import { EXHAUSTIVE } from '../support/vitest/tiers.ts';

const serverUrl = findServerUrl();
const KEY = 'sk-sb-key-of-this-suite';
const LONG = answerHello({ pieces: Array.from({ length: 2000 }, (_, at) => `word${at} `), everyMs: 50 });

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const ask = (service: RunningService) =>
  service.post(
    '/ai/openai/chat/completions',
    { model: 'fake-model', messages: [{ role: 'user', content: 'Hi' }], stream: true },
    {
      headers: {
        authorization: `Bearer ${KEY}`,
        'content-type': 'application/json',
        'idempotency-key': 'one-and-the-same',
      },
    },
  );

describe.skipIf(!serverUrl)('a process that is killed while it answers an idempotency key', EXHAUSTIVE, () => {
  test('frees the key: a request that waits in another process generates anew', async () => {
    const database = await createServerTestDatabase(serverUrl ?? '');
    closers.push(() => database.close());
    const stage = await startServiceHarness({ database, settings: { UNIVERSAL_API_KEY: KEY } });
    closers.push(() => stage.close());
    const first = stage.service;
    const second = await stage.start();
    stage.provider.behave(LONG);
    const broken = ask(first).then((response) => response.text());
    broken.catch(() => {});
    await stage.provider.chatRequest(0);
    const joined = ask(second);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(stage.provider.chatRequests).toHaveLength(1);
    await first.kill();
    await expect(broken).rejects.toThrow();
    const answer = await joined;
    expect(answer.headers.get('idempotent-replayed')).toBeNull();
    const text = await answer.text();
    expect(text).toContain('[DONE]');
    const again = await ask(second);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await again.text()).toBe(text);
    expect(stage.provider.chatRequests).toHaveLength(2);
  });
});
