import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { usage } from '../../src/database/schema/index.ts';
import { type HttpService, MODEL, startHttpService } from '../support/harness/http.ts';
import {
  answerHello,
  answerJson,
  type Behaviour,
  completionOf,
  sseEvent,
  streamRaw,
} from '../support/hosts/fake-provider.ts';
import { createScriptedImages } from '../support/hosts/scripted-images.ts';
import { createTestDatabase, type TestDatabase } from '../support/stores/test-database.ts';

const messages = [{ role: 'user', content: 'Hi' }];
const OPENAI = '/ai/openai/chat/completions';
const IMAGES = '/ai/openai/images/generations';
const DAY_TOKENS = 1000;

let database: TestDatabase;
let service: HttpService;
let users = 0;
const images = createScriptedImages('painter', [{ id: 'brush', type: 'image' }]);
beforeAll(async () => {
  database = await createTestDatabase();
  service = await startHttpService({
    database,
    plans: { free: { user: { tokensPerDay: DAY_TOKENS, imagesPerDay: 2 } } },
    imageProviders: [images.provider],
  });
});
beforeEach(() => service.provider.behaveUsually(answerHello()));
afterAll(async () => {
  await service.close();
  await database.close();
});

/** Returns a key of a new user. */
async function makeKey(): Promise<string> {
  const { id } = await service.accounts.ensureTelegramUser(++users);
  const made = await service.apiKeys.create(id, 'test');
  return made?.secret ?? '';
}

/** Sends JSON text unchanged. */
const send = async (path: string, text: string | Buffer, key = service.apiKey) => {
  const response = await service.post(path, '', { body: text, headers: { authorization: `Bearer ${key}` } });
  const body = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    error: JSON.parse(body.startsWith('{') ? body : '{}').error,
  };
};
/** The same request at both APIs, once through the fast path and once through Fastify. */
const WAYS: readonly [string, (fields: string) => Promise<Awaited<ReturnType<typeof send>>>, string][] = [
  [
    'the OpenAI API',
    (fields) => send(OPENAI, `{"model":"${MODEL}","messages":${JSON.stringify(messages)},${fields}}`),
    '',
  ],
  [
    'the OpenAI API through the router',
    (fields) => send(`${OPENAI}?`, `{"model":"${MODEL}","messages":${JSON.stringify(messages)},${fields}}`),
    '',
  ],
  [
    'the native API',
    (fields) => send('/ai/v2', `{"model":"${MODEL}","request":{"messages":${JSON.stringify(messages)},${fields}}}`),
    'request.',
  ],
];

const NO_COUNTS = [
  '-1',
  '-1000000',
  '-0',
  '0',
  '0.5',
  '1e308',
  '1e999',
  '-1e999',
  '"5"',
  'true',
  '[]',
  '{}',
  '9007199254740993',
];

describe.each(WAYS)('%s', (_way, ask, prefix) => {
  test.each(['max_tokens', 'max_completion_tokens', 'n'].flatMap((field) => NO_COUNTS.map((value) => [field, value])))(
    'refuses %s: %s',
    async (field, value) => {
      const asked = service.provider.chatRequests.length;
      const { status, error } = await ask(`"${field}":${value}`);
      expect(status).toBe(400);
      expect(error.param.replace(/^request\./, '')).toBe(field);
      expect(error.message).toContain(field);
      expect(service.provider.chatRequests).toHaveLength(asked);
    },
  );

  test.each([
    '"max_tokens":null,"n":null',
    '"max_tokens":1',
    '"max_completion_tokens":2147483647',
    '"n":1e0',
    '"n":128',
  ])('accepts %s', async (fields) => {
    expect((await ask(fields)).status).toBe(200);
  });

  test.each([
    ['"Model":"other"', 'Model'],
    ['"MODEL":"other"', 'MODEL'],
    ['"\\u004dodel":"other"', 'Model'],
    ['"Messages":[]', 'Messages'],
    ['"\u017ftream":true', '\u017ftream'],
    ['"\\u017ftream":true', '\u017ftream'],
    ['"\uff4d\uff4f\uff44\uff45\uff4c":"other"', '\uff4d\uff4f\uff44\uff45\uff4c'],
    ['"max_to\u212aens":1', 'max_to\u212aens'],
    ['"Max_Tokens":1', 'Max_Tokens'],
    ['"maxTokens":1', 'maxTokens'],
    ['"N":100', 'N'],
  ])('refuses %s, which a host may read as a validated field', async (fields, param) => {
    const { status, error } = await ask(fields);
    expect(status).toBe(400);
    expect(error).toMatchObject({ param: `${prefix}${param}`, message: expect.stringContaining(param) });
  });

  test.each([
    ['"n":-1,"n":2', 'n'],
    ['"n":1,"\\u006e":2', 'n'],
    ['"tools":1,"tools":2', 'tools'],
    ['"__proto__":1,"__proto__":2', '__proto__'],
  ])(
    'forwards of %s only the value that was validated, because hosts disagree on which counts',
    async (fields, name) => {
      expect((await ask(fields)).status).toBe(200);
      const sent = service.provider.chatRequests.at(-1)?.rawBody.toString() ?? '';
      expect(sent.split(`"${name}":`)).toHaveLength(2);
      expect(sent).toContain(`"${name}":2`);
    },
  );

  test('refuses a number beyond doubles', async () => {
    const { status, error } = await ask('"temperature":1e999');
    expect([status, error.param]).toEqual([400, `${prefix}temperature`]);
  });

  test.each([
    ['"__proto__":{"model":"other","n":-5}'],
    ['"constructor":{"prototype":{"n":-5}}'],
    ['"toString":1,"hasOwnProperty":2,"valueOf":null'],
    ['"user":"\\ud800","metadata":{"\\udc00":"\\u0000"}'],
    ['"seed":12345678901234567890'],
  ])('forwards %s unchanged', async (fields) => {
    expect((await ask(fields)).status).toBe(200);
    const sent = JSON.parse(`{${fields}}`);
    const received = service.provider.chatRequests.at(-1)?.body ?? {};
    for (const name of Object.keys(sent)) expect(Reflect.get(received, name)).toEqual(Reflect.get(sent, name));
    expect(received).toMatchObject({ model: MODEL, messages });
    expect(Object.hasOwn(received, 'n')).toBe(false);
  });
});

test('a field name with escapes reaches the provider once', async () => {
  const { status } = await send(OPENAI, `{"\\u006dodel":"${MODEL}","m\\u0065ssages":${JSON.stringify(messages)}}`);
  expect(status).toBe(200);
  expect(service.provider.chatRequests.at(-1)?.rawBody.toString()).toBe(
    `{"model":"${MODEL}","messages":${JSON.stringify(messages)}}`,
  );
});

describe('image APIs', () => {
  test.each(
    NO_COUNTS.flatMap((value) => [
      ['n', value],
      ['seed', value === '0' || value === '-0' ? '-7' : value],
    ]),
  )('%s: %s is a 400', async (field, value) => {
    const { status, error } = await send(IMAGES, `{"model":"brush","prompt":"a fox","${field}":${value}}`);
    expect([status, error.param]).toEqual([400, field]);
  });

  test.each(['batch_size', 'num_images', 'Batch_Size', 'N', 'Prompt', 'MODEL'])('%s is a 400', async (field) => {
    const drawn = images.requests.length;
    const { status, error } = await send(IMAGES, `{"model":"brush","prompt":"a fox","${field}":4}`);
    expect([status, error.param]).toEqual([400, field]);
    expect(images.requests).toHaveLength(drawn);
  });

  test('a lookalike of a field name is a 400 at the native API', async () => {
    const { status, error } = await send('/ai/imagen', '{"model":"brush","prompt":"a fox","Prompt":"a bear"}');
    expect([status, error.param]).toEqual([400, 'Prompt']);
  });
});

describe('a body', () => {
  const body = `{"model":"${MODEL}","messages":${JSON.stringify(messages)}}`;
  const withExtra = (extra: string) => `${body.slice(0, -1)},"x":${extra}}`;
  test.each<[string, string | Buffer]>([
    ['that is nested 100 000 deep', withExtra(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)],
    ['that is nested 100 000 deep in objects', withExtra(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`)],
    ['of a million fields', withExtra(`{${Array.from({ length: 1_000_000 }, (_, at) => `"k${at}":1`).join(',')}}`)],
    ['of a million empty lists', withExtra(`[${'[],'.repeat(1_000_000)}1]`)],
    ['of ten million numbers', withExtra(`[${'1,'.repeat(9_000_000)}1]`)],
    [
      'of 90 000 fields at its root',
      `${body.slice(0, -1)},${Array.from({ length: 90_000 }, (_, at) => `"k${at}":1`).join(',')}}`,
    ],
    ['in UTF-16', Buffer.from(body, 'utf16le')],
    ['in UTF-16 with a byte order mark', Buffer.from(`\ufeff${body}`, 'utf16le')],
    ['followed by a NUL', `${body}\0`],
    ['twice', body + body],
    ['cut off', body.slice(0, -1)],
  ])('%s is a 400, and needs little time of the main thread', async (_what, text) => {
    const bytes = Buffer.from(text);
    await send(OPENAI, '{}');
    const startedAt = process.threadCpuUsage();
    const { status, error } = await send(OPENAI, bytes);
    const used = process.threadCpuUsage(startedAt);
    expect([status, error.type]).toEqual([400, 'invalid_request_error']);
    // This includes the client and the sockets. Parsing would take up to a second.
    expect((used.user + used.system) / 1000).toBeLessThan(250);
  });

  test.each([
    ['of 90 000 fields', withExtra(`{${Array.from({ length: 90_000 }, (_, at) => `"k${at}":1`).join(',')}}`)],
    ['of spaces', withExtra(`${' '.repeat(10_000_000)}1`)],
    ['with a number of ten million digits', withExtra('1'.repeat(10_000_000))],
  ])('%s is answered, and needs little time of the main thread', async (_what, text) => {
    await send(OPENAI, body);
    const startedAt = process.threadCpuUsage();
    const { status } = await send(OPENAI, text);
    const used = process.threadCpuUsage(startedAt);
    expect(status).toBe(200);
    // This includes the client, the provider and the sockets.
    expect((used.user + used.system) / 1000).toBeLessThan(500);
  });

  test('with a byte order mark is read without it', async () => {
    expect((await send(OPENAI, `\ufeff${body}`)).status).toBe(200);
    expect(service.provider.chatRequests.at(-1)?.rawBody.toString()).toBe(body);
  });
});

describe('a token quota', () => {
  const spend = (key: string, fields = '') =>
    send(OPENAI, `{"model":"${MODEL}","messages":${JSON.stringify(messages)}${fields}}`, key);
  const useUp = async (key: string) => {
    service.provider.behave((exchange) =>
      answerJson(200, {
        ...completionOf(exchange.request),
        usage: { prompt_tokens: DAY_TOKENS, completion_tokens: 1 },
      })(exchange),
    );
    expect((await spend(key)).status).toBe(200);
    await expect.poll(async () => (await spend(key)).status).toBe(429);
  };

  test('that is used up refuses a request with any options', async () => {
    const key = await makeKey();
    await useUp(key);
    const asked = service.provider.chatRequests.length;
    for (const fields of ['"max_tokens":-1000000', '"max_completion_tokens":-1e300', '"n":-1', '"n":1e-9'])
      expect((await spend(key, `,${fields}`)).status).toBe(400);
    for (const fields of ['"max_tokens":1', '"max_completion_tokens":1,"n":1', '"max_tokens":null', '"x":-1000000'])
      expect((await spend(key, `,${fields}`)).status).toBe(429);
    expect(service.provider.chatRequests).toHaveLength(asked);
  });

  const HOSTILE_USAGE: readonly unknown[] = [
    { prompt_tokens: -5e9 },
    { prompt_tokens: -5e9, completion_tokens: -5e9, total_tokens: -1e10 },
    { prompt_tokens: 5, completion_tokens: -7, total_tokens: -2 },
    { prompt_tokens: 1e300, completion_tokens: 1e300 },
    { prompt_tokens: '5', completion_tokens: '4' },
    { prompt_tokens: 'NaN', total_tokens: [] },
    { prompt_tokens: 1e15, completion_tokens: 1 },
    'none',
    [1],
    -1,
  ];
  const words = 'word '.repeat(40);
  const answerWhole =
    (reported: unknown): Behaviour =>
    (exchange) =>
      answerJson(200, { ...completionOf(exchange.request, { pieces: [words] }), usage: reported })(exchange);
  const answerStream = (reported: unknown) =>
    streamRaw([
      ...words
        .split(' ')
        .map((content) => sseEvent({ id: 'x', choices: [{ index: 0, delta: { content }, finish_reason: null }] })),
      sseEvent({ id: 'x', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: reported }),
      'data: [DONE]\n\n',
    ]);

  test.each(HOSTILE_USAGE.flatMap((reported) => [[reported, false] as const, [reported, true] as const]))(
    'is neither credited nor used up by a provider that reports %j (stream: %s)',
    async (reported, stream) => {
      const key = await makeKey();
      await service.writtenDown();
      await database.db.delete(usage);
      service.provider.behave(stream ? answerStream(reported) : answerWhole(reported));
      expect((await spend(key, stream ? ',"stream":true' : '')).status).toBe(200);
      await service.writtenDown();
      await expect.poll(() => database.db.$count(usage)).toBe(1);
      const [row] = await database.db.select().from(usage);
      expect(row).toMatchObject({ isEstimated: true });
      expect(row?.promptTokens).toBeGreaterThan(0);
      expect(row?.completionTokens).toBeGreaterThan(20);
      expect(row?.completionTokens).toBeLessThan(200);
      const { headers } = await spend(key, ',"max_tokens":1');
      const remaining = Number(headers.get('x-ratelimit-remaining-tokens'));
      expect(remaining).toBeLessThan(DAY_TOKENS - 20);
      expect(remaining).toBeGreaterThan(DAY_TOKENS - 250);
    },
  );
});

test('a long body is forwarded exactly as validated', async () => {
  const long = 'A'.repeat(100_000);
  const content = [{ type: 'image_url', image_url: { url: `data:image/png;base64,${long}` } }];
  const sent = { n: 1, model: MODEL, messages: [{ role: 'user', content }], max_tokens: 5 };
  expect((await send(OPENAI, JSON.stringify(sent))).status).toBe(200);
  expect(service.provider.chatRequests.at(-1)?.body).toEqual(sent);
});
