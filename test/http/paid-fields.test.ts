import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Plans } from '../../src/core/limits/index.ts';
import { usage } from '../../src/database/schema/index.ts';
import { type HttpService, MODEL, startHttpService } from '../support/harness/http.ts';
import { answerHello, answerJson } from '../support/hosts/fake-provider.ts';
import { createScriptedImages } from '../support/hosts/scripted-images.ts';
import { createTestDatabase, type TestDatabase } from '../support/stores/test-database.ts';

const PLANS: Plans = {
  free: {},
  dollar: { user: { usdTotal: 1 } },
  tight: { user: { usdTotal: 0.001 } },
  lenient: { user: { usdTotal: 1 }, allowsUnpricedModels: true },
  tokens: { user: { tokensPerDay: 20_000 } },
};
const messages = [{ role: 'user' as const, content: 'Hi' }];

const painter = createScriptedImages('painter', [
  { id: 'flat', type: 'image', price: { image: 0.004 } },
  {
    id: 'by-quality',
    type: 'image',
    price: {
      image: 0.12,
      imageRates: [
        { quality: 'standard', usd: 0.04 },
        { quality: 'hd', size: '512x512', usd: 0.08 },
        { quality: 'hd', usd: 0.12 },
      ],
    },
  },
  { id: 'by-tokens', type: 'image', price: { input: 5, output: 10, imageOutput: 40 } },
]);

let database: TestDatabase;
let service: HttpService;
let users = 0;
/** Keys under a budget, and without one but with allowed models. */
let budgeted = '';
let restricted = '';
beforeAll(async () => {
  database = await createTestDatabase();
  service = await startHttpService({
    database,
    plans: PLANS,
    freeFields: ['options', 'tools.harmless', 'messages.video_url'],
    otherModels: [
      { id: 'embedder', type: 'embedding', price: { input: 100 } },
      { id: 'voice', type: 'speech', price: { characters: 15 } },
      { id: 'ranker', type: 'rerank', price: { input: 1 } },
    ],
    imageProviders: [painter.provider],
  });
  budgeted = await makeKey('dollar');
  restricted = await makeKey('free', { allowedModels: [MODEL] });
});
const completion = {
  ...{ id: 'c', object: 'text_completion', created: 1, model: MODEL },
  choices: [{ index: 0, text: 'Hello!', finish_reason: 'stop' }],
};
beforeEach(() => {
  service.provider.behaveUsually(answerHello());
  service.provider.behaveElsewhere(answerJson(200, completion));
});
afterAll(async () => {
  await service.close();
  await database.close();
});

async function makeUser(plan: string, rules: Parameters<HttpService['apiKeys']['create']>[2] = {}) {
  const { id: userId } = await service.accounts.ensureTelegramUser(++users);
  await service.accounts.setPlan(userId, plan);
  const made = await service.apiKeys.create(userId, 'test', rules);
  return { userId, key: made?.secret ?? '' };
}
const makeKey = async (...given: Parameters<typeof makeUser>) => (await makeUser(...given)).key;

/** Sends fields by each dialect of text. */
const DIALECTS = {
  chat: (fields: object) => ['/ai/openai/chat/completions', { model: MODEL, messages, ...fields }],
  native: (fields: object) => ['/ai/v2', { model: MODEL, request: { messages, ...fields } }],
  completions: (fields: object) => ['/ai/openai/completions', { model: MODEL, prompt: 'Hi', ...fields }],
  responses: (fields: object) => ['/ai/openai/responses', { model: MODEL, input: 'Hi', ...fields }],
  messages: (fields: object) => ['/ai/anthropic/messages', { model: MODEL, messages, max_tokens: 10, ...fields }],
} as const satisfies Record<string, (fields: object) => readonly [string, object]>;
type Dialect = keyof typeof DIALECTS;
const ALL = ['chat', 'native', 'completions', 'responses', 'messages'] as const;

const post = (key: string, path: string, body: object) =>
  service.post(path, body, { headers: { authorization: `Bearer ${key}`, 'x-api-key': key } });
const ask = (key: string, dialect: Dialect, fields: object) => {
  const [path, body] = DIALECTS[dialect](fields);
  return post(key, path, body);
};
const sentBody = () => service.provider.requests.at(-1)?.body as { [field: string]: unknown };

/** Fields for which hosts charge, or may answer with another model. */
const PAID: readonly (readonly [object, readonly Dialect[]])[] = [
  [{ models: ['o1-pro'] }, ALL],
  [{ preset: 'dear' }, ALL],
  [{ providerOptions: { anthropic: { speed: 'fast' } } }, ALL],
  [{ provider: { order: ['dear'] } }, ALL],
  [{ plugins: [{ id: 'web' }] }, ALL],
  [{ web_search_options: {} }, ALL],
  [{ search_parameters: { mode: 'on' } }, ALL],
  [{ enable_search: true }, ALL],
  [{ extra_body: { n: 9 } }, ALL],
  [{ use_beam_search: true, num_return_sequences: 20 }, ALL],
  [{ inference_geo: 'us' }, ALL],
  [{ speed: 'fast' }, ALL],
  [{ speed: 'FAST' }, ALL],
  [{ speed: ['fast'] }, ALL],
  [{ Speed: 'fast' }, ALL],
  [{ service_tier: 'priority' }, ALL],
  [{ service_tier: 'Priority' }, ALL],
  [{ service_tier: ['priority'] }, ['chat', 'native', 'completions', 'messages']],
  [{ 'service-tier': 'priority' }, ['chat', 'native', 'completions', 'messages']],
  [{ best_of: 20 }, ['chat', 'native', 'responses', 'messages']],
  [{ tools: [{ type: 'web_search' }] }, ['chat', 'native']],
  [{ tools: [{ google_search: {} }] }, ['chat', 'native']],
  [{ tools: [{ type: 'builtin_function', function: { name: '$web_search' } }] }, ['chat', 'native']],
  [{ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, ['messages']],
  [{ tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] }, ['messages']],
  [{ mcp_servers: [{ type: 'url', url: 'https://example.org' }] }, ['messages']],
  [{ context_management: { edits: [{ type: 'compact_20260112' }] } }, ['messages']],
  [{ messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'f' } }] }] }, ['chat', 'native']],
  [{ messages: [{ role: 'user', content: [{ type: 'audio_url', audio_url: { url: 'x' } }] }] }, ['chat', 'native']],
  [{ messages: [{ role: 'assistant', audio: { id: 'a' } }] }, ['chat', 'native']],
  ...[
    { type: 'input_audio', input_audio: { data: 'https://example.org/10h.mp3', format: 'mp3' } },
    { type: 'input_audio', input_audio: { data: ' http://example.org/10h.mp3', format: 'mp3' } },
    { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3', file_id: 'f' } },
    { type: 'file', file: { file_data: 'data:text/plain;base64,YQ==', file_id: 'f' } },
    { type: 'file', file: { file_data: 'data:text/plain;base64,YQ==', file_url: 'https://example.org/a.pdf' } },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' }, audio_url: { url: 'x' } },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', file_id: 'f' } },
    { type: 'text', text: 'a', video: ['https://example.org/a.mp4'] },
  ].map((part) => [{ messages: [{ role: 'user', content: [part] }] }, ['chat', 'native']] as const),
  [{ messages: [{ role: 'user', content: [{ type: 'container_upload', file_id: 'f' }] }] }, ['messages']],
  [
    { messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'file', file_id: 'f' } }] }] },
    ['messages'],
  ],
  [{ modalities: ['text', 'audio'] }, ['chat', 'native']],
];

describe.each(PAID)('%j', (fields, dialects) => {
  test.each(dialects)('is refused under a budget before the host is asked: %s', async (dialect) => {
    const count = service.provider.requests.length;
    const answer = await ask(budgeted, dialect, fields);
    const text = await answer.text();
    expect([answer.status, text]).toEqual([403, expect.stringMatching(/budget/)]);
    if (dialect !== 'messages') expect(text).toContain('model_price_unknown');
    expect(service.provider.requests).toHaveLength(count);
  });

  test.runIf(!('modalities' in fields)).each(dialects)(
    'is refused for keys with allowed models: %s',
    async (dialect) => {
      const count = service.provider.requests.length;
      const answer = await ask(restricted, dialect, fields);
      expect([answer.status, await answer.text()]).toEqual([403, expect.stringMatching(/certain models only/)]);
      expect(service.provider.requests).toHaveLength(count);
    },
  );
});

describe('a field that is known to be free', () => {
  test.each<readonly [object, Dialect]>([
    [{ temperature: 0.5, top_p: 1, seed: 1, stop: ['x'], logprobs: true, top_logprobs: 2, logit_bias: {} }, 'chat'],
    [{ user: 'u', metadata: { a: 'b' }, store: false, prompt_cache_key: 'k', service_tier: 'Default' }, 'chat'],
    [{ reasoning_effort: 'low', reasoning: { effort: 'low', max_tokens: 5 }, verbosity: 'low' }, 'chat'],
    [{ tools: [{ type: 'function', function: { name: 'f', parameters: {} } }], tool_choice: 'auto' }, 'chat'],
    [{ models: null, plugins: [], web_search_options: null }, 'chat'],
    [{ response_format: { type: 'json_object' }, modalities: ['text'], chat_template_kwargs: { a: 1 } }, 'native'],
    [{ top_k: 5, min_p: 0.1, ignore_eos: true, best_of: 2 }, 'completions'],
    [{ client_metadata: { a: 'b' }, service_tier: 'flex', text: { verbosity: 'low' } }, 'responses'],
    [{ messages: [{ role: 'user', content: [{ type: 'video_url', video_url: { url: 'x' } }] }] }, 'chat'],
    [
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'a', cache_control: { type: 'ephemeral' } },
              { type: 'image_url', image_url: { url: 'https://example.org/a.png', detail: 'low' } },
              { type: 'input_audio', input_audio: { data: 'data:audio/wav;base64,AAAA', format: 'wav' } },
              { type: 'file', file: { file_data: 'data:text/plain;base64,YQ==', filename: 'a.txt' } },
            ],
          },
        ],
      },
      'chat',
    ],
    [{ tools: [{ type: 'harmless' }], options: { num_ctx: 4096 } }, 'chat'],
  ])('or declared to be: %j', async (fields, dialect) => {
    for (const key of [budgeted, restricted]) {
      const answer = await ask(key, dialect, fields);
      expect([answer.status, await answer.text()]).toEqual([200, expect.anything()]);
    }
  });
});

test('under a budget that allows unknown prices, the request costs at least what it reserved', async () => {
  const { userId, key } = await makeUser('lenient');
  expect((await ask(key, 'chat', { web_search_options: {}, max_tokens: 1000 })).status).toBe(200);
  await service.writtenDown();
  const [row] = await database.db.select().from(usage).where(eq(usage.userId, userId));
  expect(row?.costUsd).toBeGreaterThanOrEqual((1000 * 0.6) / 1e6);
});

describe('the maximum length', () => {
  const LARGE = 100_000;
  const NAMES = ['n_predict', 'max_output_tokens', 'maxOutputTokens', 'max_new_tokens', 'N_Predict', 'num_predict'];
  const CASES: readonly (readonly [Dialect, object, string])[] = [
    ...NAMES.flatMap((name) => [
      ['chat', { max_tokens: 1, [name]: LARGE }, name] as const,
      ['chat', { [name]: LARGE }, name] as const,
      ['native', { max_tokens: 1, [name]: LARGE }, name] as const,
      ['completions', { max_tokens: 1, [name]: LARGE }, name] as const,
    ]),
    ['chat', { max_tokens: LARGE, max_completion_tokens: 5 }, 'max_tokens'],
    ['chat', { max_tokens: 1, options: { num_predict: LARGE } }, 'options'],
    ['completions', { max_tokens: 1, options: [{ deep: { maxTokens: LARGE } }] }, 'options'],
    ['responses', { max_output_tokens: 1, n_predict: LARGE }, 'max_tokens'],
    ['responses', { max_output_tokens: 1, options: { num_predict: LARGE } }, 'options'],
  ];

  test.each(CASES)('is one under all of its names: %s %j', async (dialect, fields, name) => {
    const answer = await ask(await makeKey('tight'), dialect, fields);
    expect([answer.status, await answer.text()]).toEqual([200, expect.anything()]);
    const sent = JSON.stringify(sentBody()[name]);
    const [length] = /\d+/.exec(sent) ?? [];
    // The budget pays for at most 1666 tokens at 0.6 dollars per million.
    expect(Number(length)).toBeGreaterThan(1000);
    expect(Number(length)).toBeLessThan(1667);
    expect(JSON.stringify(sentBody())).not.toContain(String(LARGE));
  });

  test.each(CASES)('is reserved from the tokens of the day: %s %j', async (dialect, fields) => {
    expect((await ask(await makeKey('tokens'), dialect, fields)).status).toBe(429);
  });

  test.each(['chat', 'completions'] as const)('reaches hosts that know its usual name only: %s', async (dialect) => {
    expect((await ask(budgeted, dialect, { n_predict: 7 })).status).toBe(200);
    expect(sentBody()).toMatchObject({ n_predict: 7, max_tokens: 7 });
  });

  test.each([
    ['chat', { n_predict: -1 }, 'n_predict'],
    ['chat', { max_tokens: 1, max_new_tokens: '100000' }, 'max_new_tokens'],
    ['native', { options: { num_predict: 1.5 } }, 'request.options.num_predict'],
    ['completions', { max_length: 1e300 }, 'max_length'],
    ['responses', { generationConfig: { maxOutputTokens: true } }, 'generationConfig.maxOutputTokens'],
  ] as const)('must be a whole number: %s %j', async (dialect, fields, param) => {
    const answer = await ask(await makeKey('free'), dialect, fields);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { param } });
  });

  test.each([
    { reasoning: { max_tokens: 2000 } },
    { extra_body: { reasoning: { max_tokens: 2000 } } },
    { thinkingConfig: { maxTokens: 2000 } },
  ])('of the reasoning is none of the answer: %j', async (fields) => {
    expect((await ask(await makeKey('free'), 'chat', fields)).status).toBe(200);
    expect(sentBody()).toMatchObject(fields);
    expect(sentBody()).not.toHaveProperty('max_tokens');
  });

  test('in words and schemas of the client is none', async () => {
    const schema = { type: 'object', properties: { max_tokens: { type: 'string', default: 'x' } } };
    const fields = { metadata: { max_tokens: 'x' }, guided_json: { ...schema, max_tokens: 'x' } };
    expect((await ask(budgeted, 'chat', fields)).status).toBe(200);
  });
});

describe('of other requests, fields for which hosts charge are refused under a budget', () => {
  const IMAGES = '/ai/openai/images/generations';
  const rerank = (fields: object) => ({ model: 'ranker', query: 'Foxes?', documents: ['In dens.'], ...fields });
  const image = (fields: object) => ({ model: 'flat', prompt: 'a cat', ...fields });

  test.each<readonly [string, object]>([
    ['/ai/openai/embeddings', { model: 'embedder', input: 'Hi', provider: { order: ['dear'] } }],
    ['/ai/openai/audio/speech', { model: 'voice', input: 'Hi', service_tier: 'priority' }],
    ['/ai/openai/rerank', rerank({ models: ['dear'] })],
    ['/ai/openai/rerank', rerank({ provider: { order: ['dear'] } })],
    ['/ai/openai/rerank', rerank({ service_tier: 'priority' })],
    ['/ai/openai/rerank', rerank({ extra_body: { n: 9 } })],
    [IMAGES, image({ quality: 'high' })],
    [IMAGES, image({ quality: 'HD' })],
    [IMAGES, image({ quality: ['high'] })],
    [IMAGES, image({ model: 'by-quality', quality: 'ultra' })],
    [IMAGES, image({ model: 'by-quality', quality: ['hd'] })],
    [IMAGES, image({ model: 'by-quality', quality: 'low' })],
    [IMAGES, image({ model: 'by-quality', quality: 'hd', input_fidelity: 'high' })],
    [IMAGES, image({ steps: 500 })],
    [IMAGES, image({ resolution: '4K' })],
    [IMAGES, image({ input_fidelity: 'high' })],
  ])('%s %j', async (path, body) => {
    const answer = await post(budgeted, path, body);
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('model_price_unknown')]);
  });

  test('but not those that rerankers know', async () => {
    const results = [{ index: 0, relevance_score: 0.9 }];
    service.provider.behaveElsewhere(answerJson(200, { results }));
    const fields = { top_n: 1, return_documents: true, max_tokens_per_doc: 4096, rank_fields: ['text'] };
    const answer = await post(budgeted, '/ai/openai/rerank', rerank(fields));
    expect([answer.status, await answer.text()]).toEqual([200, JSON.stringify({ results })]);
  });

  test.each([
    image({ quality: 'medium', style: 'vivid', background: 'opaque' }),
    image({ model: 'by-tokens', quality: 'high', input_fidelity: 'high' }),
    image({ model: 'by-quality', quality: 'HD' }),
    image({ model: 'by-quality', quality: 'auto' }),
  ])('but not %j', async (body) => {
    expect((await post(budgeted, IMAGES, body)).status).toBe(200);
  });

  test.each([
    // The painter draws 512 × 512; the dearest image that the request can reach was reserved.
    [{ quality: 'standard' }, 1, 0.04],
    [{ quality: 'hd' }, 1, 0.08],
    [{ quality: 'hd' }, 2, 0.16],
    [{}, 1, 0.04],
  ])('and images cost what their quality costs: %j × %i', async (fields, n, usd) => {
    const { userId, key } = await makeUser('dollar');
    expect((await post(key, IMAGES, image({ ...fields, model: 'by-quality', n }))).status).toBe(200);
    await service.writtenDown();
    expect(await database.db.select().from(usage).where(eq(usage.userId, userId))).toMatchObject([{ costUsd: usd }]);
    expect((await service.budgets.readSpent(`user:${userId}`)).totalUsd).toBe(usd);
  });

  test('and images are refused by what the dearest one would cost', async () => {
    const count = painter.requests.length;
    // A dollar pays for eight images in the best quality.
    for (const fields of [{}, { quality: 'auto' }, { quality: 'hd' }])
      expect(
        (await post(await makeKey('dollar'), IMAGES, image({ ...fields, model: 'by-quality', n: 9 }))).status,
      ).toBe(429);
    expect(painter.requests).toHaveLength(count);
    const key = await makeKey('dollar');
    expect((await post(key, IMAGES, image({ quality: 'standard', model: 'by-quality', n: 9 }))).status).toBe(200);
  });
});
