import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDemoProvider } from '../../demo/demo-provider.ts';
import type { Plans } from '../../src/core/limits/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { type HttpService, listRoutes, MODEL, startHttpService } from '../support/harness/http.ts';
import { answerHello } from '../support/hosts/fake-provider.ts';
import { createScriptedImages } from '../support/hosts/scripted-images.ts';
import { createTestDatabase, type TestDatabase } from '../support/stores/test-database.ts';

const PLANS: Plans = {
  free: {},
  wide: { key: { requestsPerMinute: 100, tokensPerDay: 100_000 } },
  narrow: { key: { requestsPerMinute: 1 } },
};
const HELLO = { model: MODEL, messages: [{ role: 'user' as const, content: 'Hi' }] };
const CHAT = '/ai/openai/chat/completions';

let database: TestDatabase;
let service: HttpService;
let users = 0;
beforeAll(async () => {
  database = await createTestDatabase();
  const images = [
    { id: 'brush', type: 'image' as const },
    { id: 'pencil', type: 'image' as const },
  ];
  service = await startHttpService({
    database,
    plans: PLANS,
    imageProviders: [createScriptedImages('painter', images).provider, createDemoProvider({ clock: systemClock })],
  });
});
beforeEach(() => service.provider.behaveUsually(answerHello()));
afterAll(async () => {
  await service.close();
  await database.close();
});

async function makeKey(rules: Parameters<HttpService['apiKeys']['create']>[2] = {}, plan?: string) {
  const user = await service.accounts.ensureTelegramUser(++users);
  await service.accounts.setPlan(user.id, plan);
  const made = await service.apiKeys.create(user.id, 'test', rules);
  if (!made) throw new Error('no key was made');
  return { userId: user.id, keyId: made.key.id, secret: made.secret };
}

const withKey = (secret: string) => ({ headers: { authorization: `Bearer ${secret}` } });
const ask = (secret: string, body: object = {}) => service.post(CHAT, { ...HELLO, ...body }, withKey(secret));
const codeOf = async (answer: Response) => {
  const { error } = (await answer.json()) as { error: { code: string; message: string; details?: object } };
  return error;
};

describe('keys that are refused', () => {
  test('an expired key and a paused one say so, in every dialect, and for uploads', async () => {
    const expired = await makeKey({ expiresAt: new Date(Date.now() + 50) });
    await expect.poll(async () => (await ask(expired.secret)).status).toBe(401);
    const paused = await makeKey();
    await service.apiKeys.pause(paused.userId, paused.keyId);
    for (const [key, message] of [
      [expired, 'This API key has expired.'],
      [paused, 'This API key is paused.'],
    ] as const) {
      const answer = await ask(key.secret);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      expect(await codeOf(answer)).toMatchObject({ message, code: 'invalid_api_key' });
      const messages = await service.post('/ai/anthropic/messages', HELLO, withKey(key.secret));
      expect(await messages.json()).toMatchObject({ error: { type: 'authentication_error', message } });
      const upload = await service.post('/upload', 'text', withKey(key.secret));
      expect(upload.status).toBe(401);
      expect(JSON.stringify(await upload.json())).toContain(message);
    }
  });

  test('a revoked key gets the message of unknown ones', async () => {
    const { userId, keyId, secret } = await makeKey({ expiresAt: new Date(Date.now() + 60_000) });
    await service.apiKeys.pause(userId, keyId);
    await service.apiKeys.revoke(userId, keyId);
    const answers = await Promise.all([ask(secret), ask('sk-sb-unknown')]);
    const [revoked, unknown] = await Promise.all(answers.map(codeOf));
    expect(revoked).toEqual(unknown);
  });

  test('both secrets of a rotated key work and count for the same key; no secret is logged', async () => {
    const { userId, keyId, secret } = await makeKey({ requestsPerMinute: 2 });
    const rotated = await service.apiKeys.rotate(userId, keyId, 60_000);
    const statuses = [
      (await ask(secret)).status,
      (await ask(rotated?.secret ?? '')).status,
      (await ask(secret)).status,
      (await ask(rotated?.secret ?? '')).status,
    ];
    expect(statuses).toEqual([200, 200, 429, 429]);
    expect(service.logText()).not.toContain(secret.slice(10));
    expect(service.logText()).not.toContain(rotated?.secret.slice(10));
  });
});

describe('allowed models', () => {
  test('the list and single models are those that the key may use, in both dialects', async () => {
    const { secret } = await makeKey({ allowedModels: ['FAKE-*', 'painter/p*'] });
    const list = await service.get('/ai/openai/models', withKey(secret));
    const { data } = (await list.json()) as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).toEqual([MODEL, 'pencil']);
    const messages = await service.get('/ai/anthropic/models', withKey(secret));
    expect(await messages.json()).toMatchObject({ data: [{ id: MODEL }], has_more: false });
    for (const [path, status] of [
      [`/ai/openai/models/${MODEL}`, 200],
      ['/ai/openai/models/brush', 404],
      [`/ai/anthropic/models/${MODEL}`, 200],
      ['/ai/anthropic/models/vendor/deep/model:free', 404],
    ] as const) {
      expect([path, (await service.get(path, withKey(secret))).status]).toEqual([path, status]);
    }
  });

  test('a model that is not allowed is refused with the number of those that are; others work', async () => {
    const { secret } = await makeKey({ allowedModels: [MODEL] });
    expect((await ask(secret)).status).toBe(200);
    expect((await ask(secret, { model: `fake/${MODEL}` })).status).toBe(200);
    const refused = await ask(secret, { model: 'vendor/deep/model:free' });
    expect(refused.status).toBe(403);
    expect(await refused.json()).toEqual({
      error: {
        message: expect.stringMatching(
          /^This API key may not use the model 'vendor\/deep\/model:free'\. It allows 1 of \d+ connected models\.$/,
        ),
        type: 'invalid_request_error',
        param: 'model',
        code: 'model_not_allowed',
      },
    });
    expect((await ask(secret, { model: 'vendor/deep/model:free', stream: true })).status).toBe(403);
  });

  test("a request without a model gets the key's default, or is refused", async () => {
    const prompt = { prompt: 'A fox' };
    const { secret } = await makeKey({ allowedModels: ['pencil'] });
    const made = await service.post('/ai/openai/images/generations', prompt, withKey(secret));
    expect(made.status).toBe(200);
    const other = await makeKey({ allowedModels: [MODEL] });
    const refused = await service.post('/ai/openai/images/generations', prompt, withKey(other.secret));
    expect(refused.status).toBe(403);
    expect((await codeOf(refused)).message).toContain("'brush'. It allows 1 of ");
    const moderation = await service.post('/ai/openai/moderations', { input: 'x' }, withKey(other.secret));
    expect([moderation.status, (await codeOf(moderation)).code]).toEqual([403, 'model_not_allowed']);
  });

  test('every route that calls a model refuses a key whose list matches nothing', async () => {
    const { secret } = await makeKey({ allowedModels: ['nothing-*'] });
    const sent = service.provider.requests.length;
    const routes = listRoutes(service.printRoutes()).flatMap(([method, path]) =>
      method === 'POST' && path.startsWith('/ai/') ? [path] : [],
    );
    expect(routes.length).toBeGreaterThan(12);
    const refusals = await Promise.all(routes.map(async (path) => [path, await refusalOf(path, secret)] as const));
    const without = new Set(['/ai/feedback', '/ai/openai/responses/:id/cancel']);
    expect(refusals.filter(([path]) => without.has(path))).toHaveLength(without.size);
    for (const [path, refusal] of refusals) {
      if (without.has(path)) continue;
      expect([path, refusal]).toEqual([path, expect.stringMatching(/^403 .*model_not_allowed.*$/)]);
      expect(refusal).toMatch(/It allows 0 of \d+ connected models/);
    }
    expect(service.provider.requests.length).toBe(sent);
  });

  /** Sends a body that is valid for every route. Returns status and body of the answer. */
  async function refusalOf(path: string, secret: string): Promise<string> {
    const isForm = /transcriptions|translations|edits/.test(path);
    const { model, messages } = HELLO;
    const fields = path.includes('/responses')
      ? { model, input: 'x' }
      : {
          model,
          messages,
          max_tokens: 5,
          prompt: 'x',
          input: 'x',
          request: { messages },
          query: 'x',
          documents: ['x'],
        };
    const answer = isForm
      ? await fetch(service.url + path, { method: 'POST', body: toForm(path), ...withKey(secret) })
      : await service.post(path, fields, withKey(secret));
    return `${answer.status} ${await answer.text()}`;
  }

  function toForm(path: string): FormData {
    const form = new FormData();
    form.set('model', MODEL);
    if (path.endsWith('edits')) form.set('prompt', 'x');
    const bytes = new Blob([new Uint8Array(64)]);
    form.set(path.endsWith('edits') ? 'image' : 'file', bytes, path.endsWith('edits') ? 'a.png' : 'a.mp3');
    return form;
  }
});

describe('own limits', () => {
  test('apply without limits of a plan, and each key has its own', async () => {
    const { secret, userId } = await makeKey({ requestsPerMinute: 2 }, 'free');
    const other = await service.apiKeys.create(userId, 'other');
    const answers = [await ask(secret), await ask(secret), await ask(secret)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers[1]?.headers.get('x-ratelimit-remaining-requests')).toBe('0');
    expect((await codeOf(answers[2] as Response)).message).toContain('2 requests per minute for this API key');
    expect((await ask(other?.secret ?? '')).status).toBe(200);
  });

  test.each([
    ['the key', 'wide', 2, 2],
    ['the plan', 'narrow', 5, 1],
  ])('the tighter one counts: of %s', async (_, plan, requestsPerMinute, answered) => {
    const { secret } = await makeKey({ requestsPerMinute }, plan);
    const statuses = [];
    for (let at = 0; at < 4; at += 1) statuses.push((await ask(secret)).status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(answered);
  });

  test('tokens per day are used up for the day', async () => {
    const { secret } = await makeKey({ tokensPerDay: 20 });
    const refused = await ask(secret, { max_tokens: 100 });
    expect(refused.status).toBe(429);
    expect((await codeOf(refused)).message).toContain('20 tokens per day for this API key');
    expect((await ask(secret, { max_tokens: 5 })).status).toBe(200);
  });

  test('of requests at once as many run as the key allows', async () => {
    const { secret } = await makeKey({ atOnce: 1 });
    const answers = await Promise.all([ask(secret), ask(secret), ask(secret)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 429, 429]);
  });
});
