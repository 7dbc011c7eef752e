import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { drawPng } from '../support/draw-png.ts';
import { type HttpService, MODEL, startHttpService } from '../support/http-service.ts';
import { createScriptedImages } from '../support/scripted-images.ts';

let service: HttpService;
beforeAll(async () => {
  const images = createScriptedImages('pictures', [{ id: 'drawing', type: 'image' }]);
  images.drawUsually = () => [{ bytes: drawPng(64, 64), format: 'png', width: 64, height: 64 }];
  service = await startHttpService({ imageProviders: [images.provider] });
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

/** Every request is answered with a completion, an image, or an error in the one error format. */
async function expectProperAnswer(path: string, body: unknown) {
  const response = await service.post(path, JSON.stringify(body));
  const text = await response.text();
  if (response.status === 200) {
    if (text.endsWith('data: [DONE]\n\n')) return;
    expect(Object.keys(JSON.parse(text))).toContainEqual(expect.stringMatching(/^(choices|files|data)$/));
    return;
  }
  expect([400, 404]).toContain(response.status);
  expect(Object.keys(JSON.parse(text).error)).toEqual(['message', 'type', 'param', 'code']);
}

test('the OpenAI API answers any JSON', async () => {
  const body = fc.oneof({ weight: 3, arbitrary: openAiBody }, anything);
  await fc.assert(
    fc.asyncProperty(body, (value) => expectProperAnswer('/ai/openai/chat/completions', value)),
    { numRuns: 400 },
  );
});

test('the native API answers any JSON', async () => {
  const body = fc.oneof({ weight: 3, arbitrary: nativeBody }, anything);
  await fc.assert(
    fc.asyncProperty(body, (value) => expectProperAnswer('/ai/v2', value)),
    { numRuns: 400 },
  );
});

test.each([
  ['native', '/ai/imagen', imagenBody],
  ['OpenAI', '/ai/openai/images/generations', imagesBody],
])('the %s image API answers any JSON', async (_name, path, arbitrary) => {
  const body = fc.oneof({ weight: 3, arbitrary: arbitrary as fc.Arbitrary<unknown> }, anything);
  await fc.assert(
    fc.asyncProperty(body, (value) => expectProperAnswer(path, value)),
    { numRuns: 200 },
  );
});

test('bytes that are no JSON are a 400', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 60 }), async (bytes) => {
      const response = await service.post('/ai/v2', '', { body: Buffer.from(bytes) });
      expect(response.status).toBe(400);
    }),
    { numRuns: 200 },
  );
});

test('any path and query is answered without a 500', async () => {
  await fc.assert(
    fc.asyncProperty(fc.webPath(), fc.webQueryParameters(), async (path, query) => {
      const response = await service.get(`/ai/openai/models/${path}?${query}`);
      expect([200, 400, 404]).toContain(response.status);
    }),
    { numRuns: 200 },
  );
});
