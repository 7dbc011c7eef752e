import { OpenAI } from 'openai';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createDemoProvider } from '../../demo/demo-provider.ts';
import { usage } from '../../src/database/schema/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { type HttpService, startHttpService } from '../support/harness/http.ts';
import { answerJson, answerRaw, hang, openAiError } from '../support/hosts/fake-provider.ts';
import { createTestDatabase, type TestDatabase } from '../support/stores/test-database.ts';

const PATH = '/ai/openai/moderations';
const MODEL = 'fake-moderation';
const IMAGE = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } } as const;

let database: TestDatabase;
let service: HttpService;
let client: OpenAI;
beforeAll(async () => {
  database = await createTestDatabase();
  service = await startHttpService({
    database,
    otherModels: [{ id: MODEL, type: 'moderation' }],
    imageProviders: [createDemoProvider({ clock: systemClock })],
    timeouts: { totalMs: 800 },
  });
  client = new OpenAI({ apiKey: service.apiKey, baseURL: `${service.url}/ai/openai`, maxRetries: 0 });
});
afterEach(() => service.provider.behaveElsewhere(answerJson(404, openAiError('no such path'))));
afterAll(async () => {
  await service.close();
  await database.close();
});

const toResult = (flagged: boolean) => ({
  flagged,
  categories: { violence: flagged },
  category_scores: { violence: flagged ? 0.9 : 0.01 },
  category_applied_input_types: { violence: ['text'] },
});
const sent = () => service.provider.requests.at(-1);

test("OpenAI's client gets the answer of the host byte for byte, by default from the first moderation model", async () => {
  const body = `{ "id": "modr-7", "model": "omni", "results": [${JSON.stringify(toResult(true))}], "more": 1 }`;
  service.provider.behaveElsewhere(answerRaw(200, 'application/json', body));
  const answer = await client.moderations.create({ input: 'I will kill the process' });
  expect(answer).toMatchObject({ id: 'modr-7', model: 'omni', results: [toResult(true)] });
  expect(sent()).toMatchObject({ url: '/v1/moderations', body: { model: MODEL, input: ['I will kill the process'] } });
  expect(await (await service.post(PATH, { input: 'x' })).text()).toBe(body);
});

test('texts are judged each for itself, parts together', async () => {
  service.provider.behaveElsewhere(
    answerJson(200, { id: 'a', model: 'm', results: [toResult(false), toResult(true)] }),
  );
  const { results } = await client.moderations.create({ model: MODEL, input: ['One', 'Two'] });
  expect(results.map(({ flagged }) => flagged)).toEqual([false, true]);
  service.provider.behaveElsewhere(answerJson(200, { id: 'a', model: 'm', results: [toResult(true)] }));
  const input = [{ type: 'text' as const, text: 'This is me' }, IMAGE];
  expect((await client.moderations.create({ model: MODEL, input })).results).toHaveLength(1);
  expect(sent()?.body).toEqual({ model: MODEL, input });
});

test('a host that reports only categories gets `flagged` added', async () => {
  const { categories, category_scores } = toResult(true);
  service.provider.behaveElsewhere(
    answerJson(200, { id: 'mod-1', model: 'm', results: [{ categories, category_scores }] }),
  );
  expect(await (await service.post(PATH, { input: 'x', extra: 'forwarded' })).json()).toEqual({
    id: 'mod-1',
    model: 'm',
    results: [{ flagged: true, categories, category_scores, category_applied_input_types: { violence: ['text'] } }],
  });
  expect(sent()?.body).toMatchObject({ extra: 'forwarded' });
});

test('the demonstration finds its few words, in whole words only', async () => {
  const { id, results } = await client.moderations.create({
    model: 'demo-moderation',
    input: ['Such skill and kindness', 'He wants to KILL him', 'Ты идиот', 'x'.repeat(100_000)],
  });
  expect(id).toMatch(/^modr-/);
  expect(results.map(({ flagged }) => flagged)).toEqual([false, true, true, false]);
  expect(results[1]).toMatchObject({ categories: { violence: true, sexual: false }, category_scores: { violence: 1 } });
  expect(results[1]).toMatchObject({ category_applied_input_types: { violence: ['text'], sexual: ['text'] } });
  expect(results[2]?.categories.harassment).toBe(true);
});

test('the ledger has one row with an estimate of the texts', async () => {
  await service.writtenDown();
  await database.db.delete(usage);
  service.provider.behaveElsewhere(answerJson(200, { results: [toResult(true)] }));
  await service.post(PATH, { input: [{ type: 'text', text: 'Sixteen letters.' }, IMAGE] });
  service.provider.behaveElsewhere(answerJson(400, openAiError('too many')));
  expect((await service.post(PATH, { input: 'x' })).status).toBe(400);
  await service.writtenDown();
  expect(await database.db.select().from(usage)).toMatchObject([
    { kind: 'moderation', model: MODEL, provider: 'fake', promptTokens: 4, completionTokens: 0, isEstimated: true },
  ]);
});

describe('a request', () => {
  test.each<[string, Record<string, unknown>, string, string]>([
    ['without input', { input: undefined }, 'input', 'must be a text, a list of texts'],
    ['with an empty list', { input: [] }, 'input', 'must not be empty'],
    ['with too many texts', { input: Array(2049).fill('x') }, 'input', 'more than 2048'],
    ['with a part among texts', { input: ['x', { type: 'text', text: 'y' }] }, 'input[1]', 'must be a text'],
    ['with a text among parts', { input: [{ type: 'text', text: 'y' }, 'x'] }, 'input[1]', "'text' or 'image_url'"],
    ['with an unknown part', { input: [{ type: 'audio' }] }, 'input[0].type', "'text' or 'image_url'"],
    ['with a text part without text', { input: [{ type: 'text' }] }, 'input[0].text', 'must be a text'],
    [
      'with an image without address',
      { input: [{ type: 'image_url', image_url: {} }] },
      'input[0].image_url.url',
      'address',
    ],
    ['with a model that is no text', { model: 7 }, 'model', 'name of a model'],
    ['with a misspelled field', { Input: 'x' }, 'Input', "spelled 'input'"],
    ['for a chat model', { model: 'demo' }, 'model', 'chats and does not moderate content'],
    ['with an image for the demonstration', { model: 'demo-moderation', input: [IMAGE] }, 'input', 'texts only'],
    ['too long for the demonstration', { model: 'demo-moderation', input: 'x'.repeat(100_001) }, 'input', '100000'],
  ])('%s is a 400 that names the field', async (_what, fields, param, words) => {
    const response = await service.post(PATH, { model: MODEL, input: 'x', ...fields });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { param, message: expect.stringContaining(words), type: 'invalid_request_error' } },
    ]);
  });

  test('without any moderation model is a 404', async () => {
    const bare = await startHttpService({ database });
    const response = await bare.post(PATH, { input: 'x' });
    expect([response.status, await response.json()]).toMatchObject([404, { error: { code: 'model_not_found' } }]);
    await bare.close();
  });
});

test('a host that sends something else, or nothing, is a 502 or a 504', async () => {
  for (const results of [undefined, [], [{ flagged: true }], [toResult(true), toResult(true)]]) {
    service.provider.behaveElsewhere(answerJson(200, { results }));
    expect((await service.post(PATH, { model: MODEL, input: 'x' })).status).toBe(502);
  }
  service.provider.behaveElsewhere(hang());
  expect((await service.post(PATH, { model: MODEL, input: 'x' })).status).toBe(504);
});
