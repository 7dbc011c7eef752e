import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HttpService, MODEL, startHttpService } from '../support/harness/http.ts';
import { answerJson } from '../support/hosts/fake-provider.ts';
import { createScriptedImages } from '../support/hosts/scripted-images.ts';
import { drawPng } from '../support/samples/media.ts';
import { countInputs } from '../support/vitest/tiers.ts';

let service: HttpService;
beforeAll(async () => {
  const images = createScriptedImages('pictures', [{ id: 'drawing', type: 'image' }]);
  images.drawUsually = () => [{ bytes: drawPng(64, 64), format: 'png', width: 64, height: 64 }];
  service = await startHttpService({
    imageProviders: [images.provider],
    otherModels: [{ id: 'ranker', type: 'rerank' }],
  });
  service.provider.behaveElsewhere(answerJson(200, { results: [{ index: 0, relevance_score: 0.5 }] }));
});
afterAll(() => service.close());

const anything = fc.jsonValue({ maxDepth: 4 });
const role = fc.oneof(fc.constantFrom('user', 'System', 'ASSISTANT', 'tool'), anything);
const content = fc.oneof(fc.string(), fc.array(fc.oneof(fc.record({ type: fc.string() }), anything)), anything);
const message = fc.oneof(fc.record({ role, content }, { requiredKeys: [] }), anything);
const messages = fc.oneof(fc.array(message, { maxLength: 4 }), anything);
const model = fc.oneof(fc.constantFrom(MODEL, 'drawing'), fc.string(), anything);
const stream = fc.oneof(fc.boolean(), anything);
const extra = fc.dictionary(
  fc.constantFrom('__proto__', 'constructor', 'toString', 'n', 'meta', 'stream_options'),
  anything,
);
const openAiBody = fc
  .tuple(fc.record({ model, messages, stream }, { requiredKeys: [] }), extra)
  .map(([fields, more]) => ({ ...more, ...fields }));
const nativeBody = fc.record({ model, request: fc.oneof(openAiBody, anything) }, { requiredKeys: [] });
const imagenBody = fc.record({ model, prompt: anything, ratio: anything }, { requiredKeys: ['prompt'] });
const imagesBody = fc
  .tuple(
    fc.record({ model, prompt: fc.oneof(fc.string(), anything) }),
    fc.dictionary(
      fc.constantFrom('__proto__', 'constructor', 'size', 'n', 'stream', 'response_format', 'quality', 'seed'),
      fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, anything),
    ),
  )
  .map(([fields, more]) => ({ ...more, ...fields }));

const rerankBody = fc
  .tuple(
    fc.record({
      model: fc.oneof({ weight: 8, arbitrary: fc.constant('ranker') }, model),
      query: fc.oneof(fc.string(), fc.record({ text: fc.string() }), anything),
      documents: fc.oneof(
        {
          weight: 3,
          arbitrary: fc.array(fc.oneof(fc.string(), fc.dictionary(fc.string(), anything)), { maxLength: 4 }),
        },
        anything,
      ),
    }),
    extra,
    fc.dictionary(fc.constant('top_n'), fc.oneof(fc.integer(), anything)),
  )
  .map(([fields, more, top]) => ({ ...more, ...top, ...fields }));

const block = fc.oneof(
  fc.record(
    {
      type: fc.constantFrom('text', 'image', 'document', 'search_result', 'tool_use', 'tool_result', 'thinking', 'x'),
      text: fc.oneof(fc.string(), anything),
      source: fc.oneof(
        fc.record(
          { type: fc.constantFrom('base64', 'url', 'text', 'content', 'file'), data: fc.string(), content: anything },
          { requiredKeys: ['type'] },
        ),
        anything,
      ),
      id: fc.constantFrom('a', 'b'),
      tool_use_id: fc.oneof(fc.constantFrom('a', 'b'), anything),
      name: fc.string(),
      input: anything,
      content: anything,
      thinking: fc.string(),
      signature: fc.oneof(fc.string(), fc.constant('switchboard.e30'), anything),
    },
    { requiredKeys: ['type'] },
  ),
  anything,
);
/** Mostly the first, because requests with several invalid fields are refused at the first one. */
const usually = (arbitrary: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 8, arbitrary }, { weight: 1, arbitrary: anything });
const turn = fc.record({
  role: usually(fc.constantFrom('user', 'assistant', 'system')),
  content: usually(fc.oneof(fc.string(), fc.array(block, { maxLength: 3 }))),
});
const messagesBody = fc.record(
  {
    model: usually(fc.constant(MODEL)),
    max_tokens: usually(fc.constant(5)),
    messages: usually(fc.array(turn, { maxLength: 4 })),
    stream: usually(fc.boolean()),
    system: usually(fc.string()),
    tools: usually(fc.constant([{ name: 'f', input_schema: {} }])),
    tool_choice: usually(fc.constant({ type: 'auto' })),
    thinking: usually(fc.constant({ type: 'adaptive' })),
    output_config: usually(fc.constant({ effort: 'low' })),
  },
  { requiredKeys: ['model', 'max_tokens', 'messages'] },
);

/** Every request is answered with a completion, an image, or an error in the one error format. */
async function expectProperAnswer(path: string, body: unknown) {
  const response = await service.post(path, JSON.stringify(body));
  const text = await response.text();
  if (response.status === 200) {
    if (text.endsWith('data: [DONE]\n\n')) return;
    expect(Object.keys(JSON.parse(text))).toContainEqual(expect.stringMatching(/^(choices|files|data|results)$/));
    return;
  }
  expect([400, 404]).toContain(response.status);
  expect(Object.keys(JSON.parse(text).error)).toEqual(['message', 'type', 'param', 'code']);
}

test('the OpenAI API answers any JSON', async () => {
  const body = fc.oneof({ weight: 3, arbitrary: openAiBody }, anything);
  await fc.assert(
    fc.asyncProperty(body, (value) => expectProperAnswer('/ai/openai/chat/completions', value)),
    { numRuns: countInputs(400) },
  );
});

test.each(['/ai/anthropic/messages', '/ai/anthropic/messages/count_tokens'])('%s answers any JSON', async (path) => {
  const body = fc.oneof({ weight: 5, arbitrary: messagesBody as fc.Arbitrary<unknown> }, anything);
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(body, async (value) => {
      const response = await service.post(path, JSON.stringify(value));
      const text = await response.text();
      if (response.status === 200) answered += 1;
      else {
        expect([400, 404]).toContain(response.status);
        expect(JSON.parse(text)).toMatchObject({ type: 'error', error: { message: expect.any(String) } });
      }
    }),
    { numRuns: countInputs(600) },
  );
  expect(answered).toBeGreaterThan(0);
});

test('the native API answers any JSON', async () => {
  const body = fc.oneof({ weight: 3, arbitrary: nativeBody }, anything);
  await fc.assert(
    fc.asyncProperty(body, (value) => expectProperAnswer('/ai/v2', value)),
    { numRuns: countInputs(400) },
  );
});

test('the rerank API answers any JSON', async () => {
  const body = fc.oneof({ weight: 5, arbitrary: rerankBody as fc.Arbitrary<unknown> }, anything);
  const before = service.provider.requests.length;
  await fc.assert(
    fc.asyncProperty(body, (value) => expectProperAnswer('/ai/openai/rerank', value)),
    { numRuns: countInputs(400) },
  );
  expect(service.provider.requests.length).toBeGreaterThan(before + countInputs(20));
});

test.each([
  ['native', '/ai/imagen', imagenBody],
  ['OpenAI', '/ai/openai/images/generations', imagesBody],
])('the %s image API answers any JSON', async (_name, path, arbitrary) => {
  const body = fc.oneof({ weight: 3, arbitrary: arbitrary as fc.Arbitrary<unknown> }, anything);
  await fc.assert(
    fc.asyncProperty(body, (value) => expectProperAnswer(path, value)),
    { numRuns: countInputs(200) },
  );
});

test('bytes that are no JSON are a 400', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 60 }), async (bytes) => {
      const response = await service.post('/ai/v2', '', { body: Buffer.from(bytes) });
      expect(response.status).toBe(400);
    }),
    { numRuns: countInputs(200) },
  );
});

test('any path and query is answered without a 500', async () => {
  await fc.assert(
    fc.asyncProperty(fc.webPath(), fc.webQueryParameters(), async (path, query) => {
      const response = await service.get(`/ai/openai/models/${path}?${query}`);
      expect([200, 400, 404]).toContain(response.status);
    }),
    { numRuns: countInputs(200) },
  );
});
