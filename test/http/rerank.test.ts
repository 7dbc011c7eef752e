import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { usage } from '../../src/database/schema/index.ts';
import { type HttpService, startHttpService } from '../support/harness/http.ts';
import { answerJson, answerRaw, openAiError } from '../support/hosts/fake-provider.ts';
import { createTestDatabase, type TestDatabase } from '../support/stores/test-database.ts';

const MODEL = 'fake-rerank';
/** Is charged by searches alone. */
const SEARCHING = 'fake-search';
const BODY = { model: MODEL, query: 'Where do foxes live?', documents: ['In Paris.', 'In dens.'], top_n: 1 };
const RESULTS = [{ index: 1, relevance_score: 0.98, document: { text: 'In dens.' } }];

let database: TestDatabase;
let service: HttpService;
beforeAll(async () => {
  database = await createTestDatabase();
  service = await startHttpService({
    database,
    otherModels: [
      { id: MODEL, type: 'rerank', price: { input: 1, output: 0, request: 0.002 } },
      { id: SEARCHING, type: 'rerank', price: { request: 0.002 } },
    ],
  });
});
afterEach(() => service.provider.behaveElsewhere(answerJson(404, openAiError('no such path'))));
afterAll(async () => {
  await service.close();
  await database.close();
});

test.each(['/ai/openai/rerank', '/rerank', '/v1/rerank', '/v2/rerank'])(
  '%s passes the request and the answer through as they are',
  async (path) => {
    const answer = `{ "id":"r", "results": ${JSON.stringify(RESULTS)},  "usage":{"total_tokens":12}, "more": 1.50 }`;
    service.provider.behaveElsewhere(answerRaw(200, 'application/json', answer));
    const body = { ...BODY, return_documents: true, documents: ['In Paris.', { text: 'In dens.' }] };
    const response = await service.post(path, body);
    expect([response.status, await response.text()]).toEqual([200, answer]);
    expect(service.provider.requests.at(-1)).toMatchObject({ url: '/v1/rerank', body });
  },
);

test.each<[string, object, object]>([
  ['Jina', { usage: { total_tokens: 12 } }, { promptTokens: 12, isEstimated: false, costUsd: 0.002012 }],
  ['Cohere', { meta: { tokens: { input_tokens: 30 } } }, { promptTokens: 30, isEstimated: false }],
  ['a host without counts', {}, { isEstimated: true }],
])('the ledger has one row with the usage of %s', async (_, counts, expected) => {
  await service.writtenDown();
  await database.db.delete(usage);
  service.provider.behaveElsewhere(answerJson(200, { results: RESULTS, ...counts }));
  expect((await service.post('/v1/rerank', BODY)).status).toBe(200);
  await service.writtenDown();
  const rows = await database.db.select().from(usage);
  expect(rows).toMatchObject([{ kind: 'rerank', model: MODEL, completionTokens: 0, ...expected }]);
  expect(rows[0]?.promptTokens).toBeGreaterThan(5);
});

test('searches are charged as the host reports them, without a price of tokens', async () => {
  await service.writtenDown();
  await database.db.delete(usage);
  const meta = { tokens: { input_tokens: 30 }, billed_units: { search_units: 3 } };
  service.provider.behaveElsewhere(answerJson(200, { results: RESULTS, meta }));
  expect((await service.post('/v1/rerank', { ...BODY, model: SEARCHING })).status).toBe(200);
  await service.writtenDown();
  expect(await database.db.select().from(usage)).toMatchObject([{ promptTokens: 30, costUsd: 0.006 }]);
});

test('an answer that is too large says so, and opens no circuit', async () => {
  service.provider.behaveElsewhere(answerRaw(200, 'application/json', ' '.repeat(32 * 1024 * 1024 + 1)));
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const response = await service.post('/v1/rerank', BODY);
    expect([response.status, JSON.parse(await response.text()).error.code]).toEqual([413, 'answer_too_large']);
  }
  service.provider.behaveElsewhere(answerJson(200, { results: RESULTS }));
  expect((await service.post('/v1/rerank', BODY)).status).toBe(200);
});

describe('a request', () => {
  test.each<[string, object]>([
    ['model', { model: undefined }],
    ['query', { query: 5 }],
    ['documents', { documents: [] }],
    ['documents', { documents: 'In dens.' }],
    ['documents[1]', { documents: ['In dens.', 5] }],
    ['top_n', { top_n: 0 }],
  ])('without a valid %s is refused by its path', async (param, fields) => {
    const response = await service.post('/v1/rerank', { ...BODY, ...fields });
    expect([response.status, JSON.parse(await response.text()).error.param]).toEqual([400, param]);
  });

  test('for a model of another kind says where it can be used', async () => {
    const response = await service.post('/v1/rerank', { ...BODY, model: 'fake-model' });
    expect([response.status, JSON.parse(await response.text()).error.message]).toEqual([
      400,
      expect.stringContaining('chat'),
    ]);
  });

  test.each([[{}], [{ results: [{ index: 0 }] }], [[]]])('that a host answers with %j is a 502', async (answer) => {
    service.provider.behaveElsewhere(answerJson(200, answer));
    expect((await service.post('/v1/rerank', BODY)).status).toBe(502);
  });
});

test('rerank models are listed with their type', async () => {
  const { data } = JSON.parse(await (await service.get('/v1/models')).text());
  expect(data).toContainEqual(expect.objectContaining({ id: MODEL, type: 'rerank' }));
});
