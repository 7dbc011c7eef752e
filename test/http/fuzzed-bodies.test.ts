import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { isJsonObject, type JsonObject } from '../../src/lib/json/json.ts';
import { type HttpService, MODEL, startHttpService } from '../support/harness/http.ts';
import { answerJson } from '../support/hosts/fake-provider.ts';
import { createScriptedImages } from '../support/hosts/scripted-images.ts';
import { heapBytes } from '../support/machine/measure.ts';
import { drawPng } from '../support/samples/media.ts';
import { listFuzzRuns, testByTier } from '../support/vitest/tiers.ts';

// FUZZ_SEED=<number> repeats another run, FUZZ_BODIES=5000 runs more bodies.
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);
const RUNS = listFuzzRuns({ seed: SEED, short: 60, long: 300, wanted: process.env['FUZZ_BODIES'] });
/** Maximum time of an answer. Most take some milliseconds. */
const MAX_ANSWER_MS = 10_000;
/** Maximum time of the thread that service, provider and client share, for one body. */
const MAX_CPU_MS = 1000;
const TIMEOUT_MS = 120_000 + 1000 * Math.max(...RUNS.map(({ count }) => count));
const MAX_HEAP_GROWTH_BYTES = 150 * 1024 * 1024;

let service: HttpService;
beforeAll(async () => {
  const images = createScriptedImages('pictures', [{ id: 'drawing', type: 'image' }]);
  images.drawUsually = () => [{ bytes: drawPng(64, 64), format: 'png', width: 64, height: 64 }];
  service = await startHttpService({
    imageProviders: [images.provider],
    otherModels: [{ id: 'ranker', type: 'rerank' }],
    plans: { universal: { key: { tokensPerDay: 1_000_000_000, atOnce: 1000 } } },
  });
});
afterAll(() => service.close());
beforeEach(() => service.provider.behaveElsewhere(answerJson(200, { results: [{ index: 0, relevance_score: 0.5 }] })));

const OPENAI = '/ai/openai/chat/completions';
const RESPONSES = '/ai/openai/responses';
const MESSAGES = '/ai/anthropic/messages';
const RERANK = '/ai/openai/rerank';

/** JSON texts of values that are rare, invalid or expensive. */
const value = fc.oneof(
  fc.constantFrom(
    ...[
      'null',
      'true',
      '-1',
      '0',
      '-0',
      '1',
      '2.5',
      '1e308',
      '1e999',
      '-1e999',
      '9007199254740993',
      '"5"',
      '""',
      '[]',
      '{}',
    ],
    ...[
      '"\\ud800"',
      '"\\u0000"',
      '"\\udc00\\ud800"',
      '{"__proto__":{"n":3}}',
      '[[[[1]]]]',
      'NaN',
      'undefined',
      '01',
      '"\n"',
    ],
  ),
  fc.jsonValue({ maxDepth: 3 }).map((made) => JSON.stringify(made)),
  fc.constantFrom(10, 127, 129, 5000, 200_000).map((depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`),
  fc.constantFrom(1000, 40_000, 400_000).map((count) => `[${'{},'.repeat(count)}1]`),
  fc
    .constantFrom(100, 50_000)
    .map((count) => `{${Array.from({ length: count }, (_, at) => `"k${at}":${at}`).join(',')}}`),
  fc.constantFrom('a', 'ж', '\\"', '\\u00e4', '\ud83d\ude00').map((unit) => `"${unit.repeat(100_000)}"`),
);
/** JSON texts of field names. */
const name = fc.oneof(
  fc
    .constantFrom(
      'model',
      'messages',
      'stream',
      'stream_options',
      'n',
      'max_tokens',
      'max_completion_tokens',
      'request',
      'input',
      'max_output_tokens',
      'tools',
      'tool_choice',
      'query',
      'documents',
      'top_n',
    )
    .chain((field) => fc.constantFrom(field, field.toUpperCase(), `${field[0]?.toUpperCase()}${field.slice(1)}`))
    .map((field) => JSON.stringify(field)),
  fc.constantFrom(
    '"\\u006dodel"',
    '"\\u004dodel"',
    '"\\u017ftream"',
    '"\\u006e"',
    '"__proto__"',
    '"constructor"',
    '"temperature"',
  ),
  fc
    .constantFrom('prompt', 'size', 'ratio', 'seed', 'response_format', 'batch_size')
    .map((field) => JSON.stringify(field)),
  fc.string().map((field) => JSON.stringify(field)),
);

type Mutation = (text: string, at: number) => string;
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  // Adds a field at the start or the end; it may exist already.
  {
    weight: 6,
    arbitrary: fc.tuple(name, value).map(
      ([field, made]) =>
        (text: string) =>
          `{${field}:${made},${text.slice(1)}`,
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(name, value).map(
      ([field, made]) =>
        (text: string) =>
          `${text.slice(0, -1)},${field}:${made}}`,
    ),
  },
  // Replaces a value of a field or a list.
  {
    weight: 4,
    arbitrary: value.map((made) => (text: string, at: number) => {
      const colons = [...text.slice(0, 2000).matchAll(/[:[]/g)].map(({ index }) => index);
      const chatTopic = colons[at % colons.length] ?? 0;
      const end = text.slice(chatTopic + 1).search(/[,}\]]/) + chatTopic + 1;
      return `${text.slice(0, chatTopic + 1)}${made}${text.slice(end)}`;
    }),
  },
  fc.constant((text: string, at: number) => text.slice(0, at % (text.length + 1))),
  fc.constant((text: string) => text + text),
  fc.string({ maxLength: 8, unit: 'binary' }).map((junk) => (text: string, at: number) => {
    const chatTopic = at % (text.length + 1);
    return text.slice(0, chatTopic) + junk + text.slice(chatTopic);
  }),
);
const encoding = fc.constantFrom<[(text: string) => Buffer<ArrayBuffer>]>(
  ...(['utf8', 'utf8', 'utf8', 'utf8', 'utf8', 'utf8', 'utf16le', 'latin1'] as const).map(
    (way) => [(text: string) => Buffer.from(text, way)] as [(text: string) => Buffer<ArrayBuffer>],
  ),
  [(text) => Buffer.from(`\ufeff${text}`)],
  [(text) => Buffer.from(`${text}\0`)],
);

const messages = [
  { role: 'system', content: 'Be brief.' },
  { role: 'User', content: [{ type: 'text', text: 'Hi' }] },
];
const start = fc.constantFrom<readonly [string, object]>(
  [OPENAI, { model: MODEL, messages }],
  [OPENAI, { model: MODEL, messages, stream: true, max_tokens: 7 }],
  [`${OPENAI}?`, { model: MODEL, messages, n: 1 }],
  [RESPONSES, { model: MODEL, input: 'Hi', max_output_tokens: 7 }],
  [RESPONSES, { model: MODEL, input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }], stream: true }],
  [MESSAGES, { model: MODEL, max_tokens: 7, messages: [{ role: 'user', content: 'Hi' }] }],
  [
    MESSAGES,
    {
      ...{ model: MODEL, max_tokens: 7, stream: true, tools: [{ name: 'f', input_schema: {} }] },
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'x' }] },
      ],
    },
  ],
  ['/ai/v2', { model: MODEL, request: { messages, stream: false } }],
  ['/ai/v2', { model: MODEL, request: { messages, stream: true } }],
  ['/ai/imagen', { model: 'drawing', prompt: 'a fox' }],
  ['/ai/openai/images/generations', { model: 'drawing', prompt: 'a fox', n: 1 }],
  [RERANK, { model: 'ranker', query: 'Foxes?', documents: ['In dens.', { text: 'In Paris.' }], top_n: 1 }],
);
const request = fc
  .tuple(start, fc.array(fc.tuple(mutation, fc.nat()), { maxLength: 3 }), encoding)
  .map(([[path, body], mutations, [encode]]) => {
    const text = mutations.reduce((made, [mutate, at]) => mutate(made, at), JSON.stringify(body));
    return { path, bytes: encode(text) };
  });

const healthy = (marker: string) => ({ model: MODEL, messages: [{ role: 'user', content: marker }] });

testByTier(RUNS)(
  'the service answers any body without harm to other requests (FUZZ_SEED=$seed)',
  async ({ seed, count }) => {
    let made = 0;
    let answered = 0;
    const heapBefore = heapBytes();
    await fc.assert(
      fc.asyncProperty(request, async ({ path, bytes }) => {
        const marker = `healthy ${++made}`;
        const before = service.provider.requests.length;
        const cpu = process.threadCpuUsage();
        const [answer, other] = await Promise.all([
          send(path, bytes),
          send(OPENAI, Buffer.from(JSON.stringify(healthy(marker)))),
        ]);
        const { user, system } = process.threadCpuUsage(cpu);
        expect((user + system) / 1000).toBeLessThan(MAX_CPU_MS);
        expect(other.status).toBe(200);
        expectProper(answer, path);
        const received = service.provider.requests.slice(before).filter(({ rawBody }) => !rawBody.includes(marker));
        if (answer.status !== 200) expect(received).toHaveLength(0);
        else if (!/image/.test(path)) {
          answered += 1;
          expect(received).toHaveLength(1);
          expectChecked(path, bytes, received[0]?.rawBody ?? Buffer.of());
        }
      }),
      { numRuns: count, seed, endOnFailure: true },
    );
    // Some mutations must remain valid, or the test would show nothing about forwarding.
    expect(answered).toBeGreaterThan(count / 20);
    await expect.poll(async () => heapBytes() - heapBefore).toBeLessThan(MAX_HEAP_GROWTH_BYTES);
  },
  { timeout: TIMEOUT_MS },
);

async function send(path: string, body: Buffer<ArrayBuffer>) {
  const response = await service.post(path, '', { body, signal: AbortSignal.timeout(MAX_ANSWER_MS) });
  return { status: response.status, type: response.headers.get('content-type') ?? '', text: await response.text() };
}

function expectProper({ status, type, text }: Awaited<ReturnType<typeof send>>, path: string) {
  if (status === 200) {
    if (type.startsWith('text/event-stream')) expect(text).toMatch(/data: (\[DONE\]|\{"type":"message_stop"\})\n\n$/);
    else expect(isJsonObject(JSON.parse(text))).toBe(true);
    return;
  }
  expect([400, 404]).toContain(status);
  const { error } = JSON.parse(text);
  if (path === MESSAGES) expect(error).toMatchObject({ type: expect.any(String), message: expect.any(String) });
  else expect(Object.keys(error)).toEqual(['message', 'type', 'param', 'code']);
}

/** Expects that the provider got the validated fields, and no field that it may read as one of them. */
function expectChecked(path: string, bytes: Buffer, rawBody: Buffer) {
  const sent: JsonObject = JSON.parse(bytes.toString().replace(/^\ufeff/, ''));
  const fields = path === '/ai/v2' ? { ...(sent['request'] as JsonObject), model: sent['model'] } : sent;
  // What the protocol has no fields for goes to the host as it came.
  if (path === RERANK) return expect(JSON.parse(rawBody.toString())).toEqual(JSON.parse(JSON.stringify(sent)));
  const { stream, stream_options: _options, meta: _meta, ...expected } = fields;
  const { stream: isStream, stream_options: _wanted, ...received } = JSON.parse(rawBody.toString());
  if (path === '/ai/v2') delete received.meta;
  else if ('meta' in fields) Reflect.set(expected, 'meta', _meta);
  expect(isStream === true).toBe(stream === true);
  const isTranslated = path === RESPONSES || path === MESSAGES;
  if (isTranslated) expect(received).toMatchObject({ model: sent['model'], messages: expect.any(Array) });
  // JSON has no negative zero, and numbers beyond a double are null.
  else expect(received).toEqual(JSON.parse(JSON.stringify(withLowerRoles(expected))));
  for (const count of [received.n, received.max_tokens, received.max_completion_tokens])
    if (count !== undefined && count !== null) expect(Number.isSafeInteger(count) && count > 0).toBe(true);
  expect(
    Object.keys(received).filter(
      (field) => /^(model|messages|stream|n|max_tokens)$/i.test(field) && /[A-Z]/.test(field),
    ),
  ).toEqual([]);
}

function withLowerRoles(fields: JsonObject): JsonObject {
  const list = fields['messages'];
  if (!Array.isArray(list)) return fields;
  return { ...fields, messages: list.map((message) => ({ ...message, role: String(message.role).toLowerCase() })) };
}
