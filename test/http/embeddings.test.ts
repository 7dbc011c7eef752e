import { OpenAI } from 'openai';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createDemoProvider } from '../../demo/demo-provider.ts';
import { createOpenAiCompatibleProvider } from '../../src/core/models/hosts/openai-compatible/openai-compatible-provider.ts';
import { usage } from '../../src/database/schema/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log/logger.ts';
import { type HttpService, startHttpService } from '../support/harness/http.ts';
import {
  answerJson,
  answerRaw,
  type Behaviour,
  type FakeProvider,
  hang,
  openAiError,
  startFakeProvider,
} from '../support/hosts/fake-provider.ts';
import { startStopwatch } from '../support/machine/measure.ts';
import { createTestDatabase, type TestDatabase } from '../support/stores/test-database.ts';

const PATH = '/ai/openai/embeddings';
const MODEL = 'fake-embedding';
/** Exact as 32-bit floats. */
const VECTORS = [
  [0.5, -0.25, 1],
  [0, 0.125, -1],
];

const OTHER_MODELS = [{ id: MODEL, type: 'embedding', price: { input: 0.02, output: 0 } }] as const;

let database: TestDatabase;
let second: FakeProvider;
let service: HttpService;
let client: OpenAI;
beforeAll(async () => {
  const deps = { clock: systemClock, logger: createLogger({ level: 'silent' }) };
  second = await startFakeProvider();
  database = await createTestDatabase();
  const spare = createOpenAiCompatibleProvider(deps, {
    kind: 'openai-compatible',
    name: 'spare',
    baseUrl: second.baseUrl,
    apiKeys: [],
    models: [{ id: MODEL, type: 'embedding' }],
  });
  service = await startHttpService({
    database,
    otherModels: OTHER_MODELS,
    imageProviders: [spare, createDemoProvider(deps)],
    plans: { universal: { key: { tokensPerDay: 1_000_000 } } },
  });
  client = new OpenAI({ apiKey: service.apiKey, baseURL: `${service.url}/ai/openai`, maxRetries: 0 });
});
afterEach(() => {
  service.provider.behaveElsewhere(answerJson(404, openAiError('no such path')));
  second.behaveElsewhere(answerJson(404, openAiError('no such path')));
});
afterAll(async () => {
  await service.close();
  await second.close();
  await database.close();
});

const toBase64 = (vector: readonly number[]) => Buffer.from(new Float32Array(vector).buffer).toString('base64');

/** Answers as OpenAI does; `encoding` overrides the requested one. */
function answerVectors(
  encoding?: 'float' | 'base64',
  usageFields: object = { prompt_tokens: 7, total_tokens: 7 },
): Behaviour {
  return (exchange) => {
    const { input, encoding_format: requested } = exchange.request.body;
    const format = encoding ?? requested;
    const data = (input as unknown[]).map((_, index) => {
      const vector = VECTORS[index] ?? [];
      return { object: 'embedding', index, embedding: format === 'base64' ? toBase64(vector) : vector };
    });
    const body = { object: 'list', data, model: 'text-embedding-fake', ...(usageFields && { usage: usageFields }) };
    return answerRaw(200, 'application/json', JSON.stringify(body, null, 1))(exchange);
  };
}

describe("OpenAI's client", () => {
  test.each([undefined, 'float', 'base64'] as const)(
    'gets vectors in the encoding %s from hosts that return any',
    async (encoding) => {
      for (const returned of ['float', 'base64', undefined] as const) {
        service.provider.behaveElsewhere(answerVectors(returned));
        const answer = await client.embeddings.create({
          model: MODEL,
          input: ['One', 'Two'],
          ...(encoding && { encoding_format: encoding }),
        });
        const vectors = answer.data.map(({ embedding }) => embedding as unknown);
        expect(vectors).toEqual(encoding === 'base64' ? VECTORS.map(toBase64) : VECTORS);
        expect(answer).toMatchObject({
          object: 'list',
          model: 'text-embedding-fake',
          usage: { prompt_tokens: 7, total_tokens: 7 },
        });
        expect(answer.data.map(({ index }) => index)).toEqual([0, 1]);
      }
    },
  );

  test('gets vectors of the demonstration that are near for similar texts', async () => {
    const input = [
      'The red fox jumps over the lazy dog',
      'A red fox jumped over a lazy dog',
      'Interest rates rose in May',
    ];
    const { data, usage: counted } = await client.embeddings.create({ model: 'demo-embedding', input });
    const [fox, sameFox, other] = data.map(({ embedding }) => embedding);
    const cosine = (one: number[] = [], another: number[] = []) =>
      one.reduce((sum, value, at) => sum + value * (another[at] ?? 0), 0);
    expect(fox).toHaveLength(256);
    expect(cosine(fox, fox)).toBeCloseTo(1, 5);
    expect(cosine(fox, sameFox)).toBeGreaterThan(0.5);
    expect(cosine(fox, other)).toBeLessThan(0.3);
    expect(counted.prompt_tokens).toBeGreaterThan(15);
    const short = await client.embeddings.create({ model: 'demo-embedding', input: 'fox', dimensions: 12 });
    expect(short.data[0]?.embedding).toHaveLength(12);
  });
});

test('the host gets every field, tokens as well, under its own name of the model', async () => {
  service.provider.behaveElsewhere(answerVectors());
  const answer = await service.post(PATH, {
    model: `fake/${MODEL}`,
    input: [[1, 2], [3]],
    dimensions: 3,
    encoding_format: null,
    user: 'u-1',
    input_type: 'query',
  });
  expect(answer.status).toBe(200);
  const request = service.provider.requests.at(-1);
  expect(request).toMatchObject({ method: 'POST', url: '/v1/embeddings' });
  expect(request?.body).toEqual({
    model: MODEL,
    input: [[1, 2], [3]],
    dimensions: 3,
    encoding_format: 'float',
    user: 'u-1',
    input_type: 'query',
  });
});

test("the host's answer is forwarded byte for byte if it has the requested encoding", async () => {
  const body =
    '{ "data" : [ {"embedding":\n [1e-1, 2], "extra": "\\"embedding\\": [9" , "index":0} ], "object":"list" }\n';
  service.provider.behaveElsewhere(answerRaw(200, 'application/json', body));
  const answer = await service.post(PATH, { model: MODEL, input: 'One' });
  expect(await answer.text()).toBe(body);
  const other = await service.post(PATH, { model: MODEL, input: 'One', encoding_format: 'base64' });
  expect(await other.json()).toMatchObject({
    data: [{ object: 'embedding', index: 0, embedding: toBase64([0.1, 2]) }],
    // Without the host's usage, the tokens are estimated.
    usage: { prompt_tokens: 1, total_tokens: 1 },
  });
});

test('a host that refuses encoding_format is asked without it, and items out of order are put in order', async () => {
  service.provider.behaveElsewhere((exchange) => {
    const { encoding_format: format } = exchange.request.body;
    const data = VECTORS.map((embedding, index) => ({ index, embedding })).reverse();
    return format === undefined
      ? answerJson(200, { data })(exchange)
      : answerJson(400, openAiError('Unknown field', 'unknown_parameter', 'encoding_format'))(exchange);
  });
  const answer = await client.embeddings.create({ model: MODEL, input: ['One', 'Two'], encoding_format: 'base64' });
  expect(answer.data.map(({ embedding }) => embedding as unknown)).toEqual(VECTORS.map(toBase64));
});

test('the ledger has one row with the tokens of the host and their price, or an estimate', async () => {
  await service.writtenDown();
  await database.db.delete(usage);
  service.provider.behaveElsewhere(answerVectors('float', { total_tokens: 500 }));
  await (await service.post(PATH, { model: MODEL, input: ['One', 'Two'] })).text();
  service.provider.behaveElsewhere(answerVectors('float', { prompt_tokens: -1 }));
  const answer = await service.post(PATH, { model: MODEL, input: ['One text of 20 bytes', 'Two'] });
  expect(answer.headers.get('x-ratelimit-remaining-tokens')).toBeTruthy();
  await answer.text();
  await service.writtenDown();
  const common = { kind: 'embedding', model: MODEL, provider: 'fake', completionTokens: 0, imageCount: 0 };
  expect(await database.db.select().from(usage)).toMatchObject([
    { ...common, promptTokens: 500, costUsd: 0.00001, isEstimated: false },
    { ...common, promptTokens: 6, isEstimated: true },
  ]);
});

test('a host that fails is followed by the next', async () => {
  second.behaveElsewhere(answerVectors());
  for (const failure of [
    answerJson(500, {}),
    answerJson(200, { data: [] }),
    answerRaw(200, 'application/json', '{"data":[{"embedding":[1,2'),
    answerJson(200, { data: [{ embedding: [[1], [2]] }] }),
  ]) {
    service.provider.behaveElsewhere(failure);
    const answer = await client.embeddings.create({ model: MODEL, input: 'One' });
    expect(answer.data[0]?.embedding).toEqual(VECTORS[0]);
  }
});

test('an abort of the client reaches the host', async () => {
  service.provider.behaveElsewhere(hang());
  second.behaveElsewhere(hang());
  const count = () => service.provider.requests.length + second.requests.length;
  const before = count();
  const leaving = new AbortController();
  const answer = service.post(PATH, { model: MODEL, input: 'One' }, { signal: leaving.signal }).catch(() => 'left');
  await expect.poll(count).toBe(before + 1);
  const elapsedMs = startStopwatch();
  leaving.abort();
  expect(await answer).toBe('left');
  await Promise.all([...service.provider.requests, ...second.requests].map((request) => request.closed));
  expect(elapsedMs()).toBeLessThan(100);
});

describe('a request', () => {
  test.each<[string, Record<string, unknown>, string, string]>([
    ['without a model', { model: undefined }, 'model', 'name of a model'],
    ['without input', { input: undefined }, 'input', 'must be a text or a list of tokens'],
    ['with an object as input', { input: { text: 'x' } }, 'input', 'must be a text or a list of tokens'],
    ['with an empty text', { input: '' }, 'input', 'must not be empty'],
    ['with an empty list', { input: [] }, 'input', 'must not be empty'],
    ['with an empty text in a list', { input: ['One', ''] }, 'input[1]', 'must not be empty'],
    ['with an empty list of tokens', { input: [[1], []] }, 'input[1]', 'must not be empty'],
    ['with texts among tokens', { input: [1, 'x'] }, 'input', 'whole numbers'],
    ['with fractions as tokens', { input: [[1.5]] }, 'input[0]', 'whole numbers'],
    ['with objects in a list', { input: ['One', { type: 'image' }] }, 'input[1]', 'must be a text'],
    ['with too many inputs', { input: Array(2049).fill('x') }, 'input', 'more than 2048'],
    ['with an unknown encoding', { encoding_format: 'int8' }, 'encoding_format', "'float' or 'base64'"],
    ['with fractional dimensions', { dimensions: 1.5 }, 'dimensions', 'whole number'],
    ['without dimensions left', { dimensions: 0 }, 'dimensions', 'from 1 to'],
    ['with a misspelled field', { encodingFormat: 'base64' }, 'encodingFormat', "spelled 'encoding_format'"],
    ['for a chat model', { model: 'demo' }, 'model', 'chats and does not create embeddings'],
    [
      'with too many dimensions for the demonstration',
      { model: 'demo-embedding', dimensions: 5000 },
      'dimensions',
      '4096',
    ],
    ['too long for the demonstration', { model: 'demo-embedding', input: 'x'.repeat(32_769) }, 'input', '32768'],
  ])('%s is a 400 that names the field', async (_what, fields, param, words) => {
    const response = await service.post(PATH, { model: MODEL, input: 'One', ...fields });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { param, message: expect.stringContaining(words), type: 'invalid_request_error' },
    });
  });

  test('for chat with an embedding model is a 400 that names the right address', async () => {
    const messages = [{ role: 'user', content: 'Hi' }];
    const response = await service.post('/ai/openai/chat/completions', { model: 'demo-embedding', messages });
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringContaining('Use it with POST /ai/openai/embeddings') },
    });
  });

  test('may hold 300000 tokens', async () => {
    service.provider.behaveElsewhere(answerVectors('float', {}));
    const input = Array.from({ length: 100 }, () => Array(3000).fill(100_000));
    expect((await service.post(PATH, { model: MODEL, input })).status).toBe(200);
  });
});

test('a vector that cannot be decoded is a 502, and refusals of the host keep their status', async () => {
  service.provider.behaveElsewhere(answerJson(200, { data: [{ embedding: 'AAA=' }] }));
  expect((await service.post(PATH, { model: `fake/${MODEL}`, input: 'One' })).status).toBe(502);
  service.provider.behaveElsewhere(answerJson(400, openAiError('too long', 'context_length_exceeded', 'input')));
  const refused = await service.post(PATH, { model: `fake/${MODEL}`, input: 'One' });
  expect([refused.status, await refused.json()]).toMatchObject([
    400,
    { error: { code: 'context_length_exceeded', param: 'input' } },
  ]);
});

test('a host that does not answer is a 504', async () => {
  const impatient = await startHttpService({ database, otherModels: OTHER_MODELS, timeouts: { totalMs: 100 } });
  onTestFinished(() => impatient.close());
  impatient.provider.behaveElsewhere(hang());
  expect((await impatient.post(PATH, { model: MODEL, input: 'One' })).status).toBe(504);
});
