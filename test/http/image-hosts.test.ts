import { randomFillSync } from 'node:crypto';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Provider } from '../../src/core/models/index.ts';
import { createOpenAiCompatibleProvider } from '../../src/core/models/providers/openai-compatible/openai-compatible-provider.ts';
import { createSwitchboardProvider } from '../../src/core/models/providers/switchboard/switchboard-provider.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { drawPng } from '../support/draw-png.ts';
import {
  answerJson,
  answerRaw,
  type FakeProvider,
  hang,
  openAiError,
  startFakeProvider,
} from '../support/fake-provider.ts';
import { type HttpService, startHttpService } from '../support/http-service.ts';
import { createEmbeddedTestDatabase, type TestDatabase } from '../support/test-database.ts';

/** Served by both hosts; the near one is asked first. */
const SHARED = 'shared-drawing';
/** Served by the near one alone. */
const OWN = 'own-drawing';

let database: TestDatabase;
let near: FakeProvider;
let far: FakeProvider;
let providers: readonly Provider[];
let service: HttpService;
beforeAll(async () => {
  database = await createEmbeddedTestDatabase();
  near = await startFakeProvider();
  far = await startFakeProvider();
  const connect = (name: string, host: FakeProvider, models: readonly string[]) =>
    createOpenAiCompatibleProvider(
      { clock: systemClock, logger: createLogger({ level: 'silent' }) },
      {
        kind: 'openai-compatible',
        name,
        baseUrl: host.baseUrl,
        apiKeys: ['sk-of-the-host'],
        models: models.map((id) => ({ id, type: 'image' })),
      },
    );
  providers = [connect('near', near, [OWN, SHARED]), connect('far', far, [SHARED])];
  service = await startHttpService({ database, imageProviders: providers });
});
afterAll(async () => {
  await service.close();
  await Promise.all([...providers, near, far, database].map((one) => one.close()));
});

const toAnswer = (bytes: Buffer) => ({ created: 1, data: [{ b64_json: bytes.toString('base64') }] });
const draw = (fields: object = {}, init?: RequestInit) =>
  service.post('/ai/imagen', { model: OWN, prompt: 'a red fox in snow', ...fields }, init);

test('a picture comes from a host that speaks OpenAI’s protocol', async () => {
  near.behaveElsewhere(answerJson(200, toAnswer(drawPng(1536, 1024))));
  const response = await draw({ ratio: '16:9' });
  expect(await response.json()).toMatchObject({ model: OWN, size: { width: 1536, height: 864 }, ratio: '16:9' });
  expect(near.requests.at(-1)).toMatchObject({
    url: '/v1/images/generations',
    body: { model: OWN, prompt: 'a red fox in snow' },
  });
});

test('what an OpenAI client wishes reaches the host', async () => {
  near.behaveElsewhere(answerJson(200, toAnswer(drawPng(1024, 1024))));
  const wishes = { quality: 'high', background: 'transparent', moderation: 'low' };
  const body = { model: OWN, prompt: 'a fox', ...wishes, user: 'ann', seed: 3 };
  expect((await service.post('/ai/openai/images/generations', body)).status).toBe(200);
  expect(near.requests.at(-1)?.body).toMatchObject({ ...wishes, seed: 3 });
  expect(near.requests.at(-1)?.body).not.toHaveProperty('user');
});

test.each([
  ['base64 that ends too early', toAnswer(drawPng(300, 300).subarray(0, 300))],
  ['base64 that is none', { data: [{ b64_json: '%%%' }] }],
  ['no picture', { data: [] }],
  ['an address inside the network', { data: [{ url: 'http://127.0.0.1:1/secret.png' }] }],
])('after %s the next host is asked', async (_what, answer) => {
  // With a memory of its own: hosts that have failed before are asked last.
  const fresh = await startHttpService({ database, imageProviders: providers });
  const ask = () => fresh.post('/ai/imagen', { model: SHARED, prompt: 'a fox' });
  const [askedNear, askedFar] = [near.requests.length, far.requests.length];
  near.behaveElsewhere(answerJson(200, answer));
  far.behaveElsewhere(answerJson(200, toAnswer(drawPng(512, 512))));
  expect(await (await ask()).json()).toMatchObject({ size: { width: 512, height: 512 } });
  expect([near.requests.length, far.requests.length]).toEqual([askedNear + 1, askedFar + 1]);
  far.behaveElsewhere(answerRaw(500, 'text/html', '<h1>Oops</h1>'));
  expect((await ask()).status).toBe(502);
  await fresh.close();
});

test('a host’s moderation is a 400 with its reason', async () => {
  const refusal = openAiError('Your request was rejected by the safety system.', 'moderation_blocked');
  near.behaveElsewhere(answerJson(400, refusal));
  const response = await draw();
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    error: {
      code: 'content_policy_violation',
      message: expect.stringContaining('rejected by the safety system'),
      type: 'invalid_request_error',
    },
  });
});

test('another service of this kind draws as if it were here', async () => {
  near.behaveElsewhere(answerJson(200, toAnswer(drawPng(1536, 1024))));
  const other = createSwitchboardProvider(
    { clock: systemClock, logger: createLogger({ level: 'silent' }) },
    { kind: 'switchboard', name: 'other', baseUrl: service.url, apiKeys: [service.apiKey] },
  );
  const front = await startHttpService({ database, imageProviders: [other] });
  const response = await front.post('/ai/imagen', { model: `other/${OWN}`, prompt: 'a fox', ratio: '21:9' });
  expect(await response.json()).toMatchObject({
    model: `other/${OWN}`,
    size: { width: 1533, height: 657 },
    ratio: '21:9',
  });
  await front.close();
  await other.close();
});

test('a picture of 40 MB goes through', async () => {
  const side = 3660;
  const noise = randomFillSync(Buffer.alloc(side * side * 3));
  const image = await sharp(noise, { raw: { width: side, height: side, channels: 3 } })
    .png({ compressionLevel: 0 })
    .toBuffer();
  near.behaveElsewhere(answerJson(200, toAnswer(image)));
  const answer = (await (await draw()).json()) as { readonly files: readonly string[] };
  expect(Buffer.from(answer.files[0] ?? '', 'base64').equals(image)).toBe(true);
});

test('a client that leaves frees the host', async () => {
  near.behaveElsewhere(hang());
  const asked = near.requests.length;
  const leaving = new AbortController();
  const answer = draw({}, { signal: leaving.signal }).catch(() => 'left');
  await expect.poll(() => near.requests.length).toBe(asked + 1);
  leaving.abort();
  expect(await answer).toBe('left');
  await near.requests.at(-1)?.closed;
  expect(near.requests.at(-1)?.wasAnswered()).toBe(false);
});
