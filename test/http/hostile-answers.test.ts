import { afterEach, expect, test } from 'vitest';
import { MODEL, startHttpService } from '../support/harness/http.ts';
import { answerHello, answerRaw, streamRaw } from '../support/hosts/fake-provider.ts';
import { diagonalFirst, startBeforeAll, testByTier } from '../support/vitest/tiers.ts';

const service = startBeforeAll(() => startHttpService());
afterEach(() => service.provider.behaveUsually(answerHello()));

const many = (count: number, toText: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => toText(at)).join();
const whole = (message: string, fields = '') =>
  `{"id":"c","object":"chat.completion","created":1,"model":"m"${fields},"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"Hello"${message}}}]}`;
const chunk = (delta: string) =>
  `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":${delta},"finish_reason":null}]}\n\n`;
const END = `${chunk('{}').replace('"finish_reason":null', '"finish_reason":"stop"')}data: [DONE]\n\n`;
const call = (at: number, index = `"index":${at},`) =>
  `{${index}"id":"call_${at}","type":"function","function":{"name":"weather","arguments":"{}"}}`;

const ROUTES = {
  chat: ['/ai/openai/chat/completions', {}],
  responses: ['/ai/openai/responses', { input: 'Hi' }],
  messages: ['/ai/anthropic/v1/messages', { max_tokens: 100 }],
  native: ['/ai/v2', {}],
} as const;
const TOOLS = [{ name: 'weather', input_schema: { type: 'object' } }];

/** Asks, and returns the answer with the longest processor time between two turns of the event loop, in milliseconds. */
async function askTimed(route: keyof typeof ROUTES, isStreamed: boolean) {
  const [path, fields] = ROUTES[route];
  let longestMs = 0;
  let isOver = false;
  let before = process.threadCpuUsage();
  const look = () => {
    const { user, system } = process.threadCpuUsage(before);
    longestMs = Math.max(longestMs, (user + system) / 1000);
    before = process.threadCpuUsage();
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  const messages = [{ role: 'user', content: 'Hi' }];
  const tools = route === 'messages' ? { tools: TOOLS } : {};
  const asked = { ...(route === 'responses' ? fields : { ...fields, ...tools, messages }), stream: isStreamed };
  const response = await service.post(path, { model: MODEL, ...(route === 'native' ? { request: asked } : asked) });
  let text = '';
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) text += decoder.decode(bytes, { stream: true });
  isOver = true;
  return { status: response.status, text, longestMs };
}

/** The least of a margin for the collector of garbage and the client, which share the thread. */
const MAX_BLOCK_MS = 250;
const routes = ['chat', 'responses', 'messages'] as const;

const BODIES: readonly (readonly [string, () => string, 'answered' | 'refused'])[] = [
  ['12 MB of empty objects', () => whole('', `,"extra":[${many(4_000_000, () => '{}')}]`), 'refused'],
  ['12 MB of empty objects in the message', () => whole(`,"extra":[${many(4_000_000, () => '{}')}]`), 'refused'],
  ['49,000 names in one object', () => whole('', `,"extra":{${many(49_000, (at) => `"k${at}":0`)}}`), 'refused'],
  [
    '100,000 objects with a name each',
    () => whole('', `,"extra":[${many(100_000, (at) => `{"k${at}":0}`)}]`),
    'answered',
  ],
  ['1,000 levels', () => whole('', `,"extra":${'['.repeat(1000)}${']'.repeat(1000)}`), 'refused'],
  ['60,000 tool calls', () => whole(`,"tool_calls":[${many(60_000, (at) => call(at, ''))}]`), 'answered'],
  [
    '60,000 sources',
    () => whole(`,"annotations":[${many(60_000, (at) => `{"url":"https://a.example/${at}"}`)}]`),
    'answered',
  ],
  [
    '60,000 choices',
    () => whole('').replace(/\]}$/, `,${many(60_000, () => '{"message":{"content":"x"}}')}]}`),
    'answered',
  ],
  ['a text of 60 MB of escapes', () => whole('').replace('Hello', '\\u0001'.repeat(10_000_000)), 'answered'],
  ['a text of 8 MB of escapes', () => whole('').replace('Hello', '\\u0001\\n'.repeat(1_000_000)), 'answered'],
];

const bodies = BODIES.flatMap(([what, toBody, end]) => routes.map((route) => [route, what, end, toBody] as const));
testByTier(diagonalFirst(bodies, routes.length), BODIES.length)(
  'for %s, an answer with %s is %s, and holds nobody',
  async ([route, _what, end, toBody]) => {
    service.provider.behave(answerRaw(200, 'application/json', Buffer.from(toBody())));
    const { status, longestMs } = await askTimed(route, false);
    expect(status).toBe(end === 'answered' ? 200 : 502);
    expect(longestMs).toBeLessThan(MAX_BLOCK_MS);
  },
);

const logprob = (at: number) =>
  `{"token":"t${at}","logprob":-1,"bytes":[1,2],"top_logprobs":[${many(5, () => '{"token":"x","logprob":-2,"bytes":[1]}')}]}`;

const STREAMS: readonly (readonly [string, () => readonly string[]])[] = [
  ['60,000 tool calls', () => Array.from({ length: 60_000 }, (_, at) => chunk(`{"tool_calls":[${call(at)}]}`))],
  ['60,000 tool calls in one event', () => [chunk(`{"tool_calls":[${many(60_000, (at) => call(at))}]}`)]],
  [
    '60,000 fragments of many calls',
    () =>
      Array.from({ length: 60_000 }, (_, at) =>
        chunk(`{"tool_calls":[{"index":${at % 100},"function":{"name":"weather","arguments":"["}}]}`),
      ),
  ],
  [
    '60,000 sources',
    () => Array.from({ length: 60_000 }, (_, at) => chunk(`{"annotations":[{"url":"https://a.example/${at}"}]}`)),
  ],
  [
    'text and reasoning in turns',
    () => Array.from({ length: 20_000 }, (_, at) => chunk(at % 2 ? '{"content":"a"}' : '{"reasoning_content":"b"}')),
  ],
  ['a text of 20 MB in one event', () => [chunk(`{"content":"€${'abcd efg '.repeat(2_200_000)}"}`)]],
  [
    'a text of 20 MB in parts',
    () => [chunk(`{"content":[${many(20, () => `{"text":"${'ab\\n'.repeat(250_000)}"}`)}]}`)],
  ],
  [
    'an image of 20 MB',
    () => [chunk(`{"images":[{"image_url":{"url":"data:image/png;base64,${'AAAA'.repeat(5_000_000)}"}}]}`)],
  ],
  [
    'probabilities of 12,000 tokens in one event',
    () => [chunk('{"content":"a"}').replace('null}', `null,"logprobs":{"content":[${many(12_000, logprob)}]}}`)],
  ],
  ['an event of 8 MB of objects', () => [chunk(`{"content":"a","extra":[${many(400_000, () => '{"a":1}')}]}`)]],
];

const streams = STREAMS.flatMap(([what, toEvents]) => routes.map((route) => [route, what, toEvents] as const));
testByTier(diagonalFirst(streams, routes.length), STREAMS.length)(
  'for %s, a stream with %s ends soon, and holds nobody',
  async ([route, _what, toEvents]) => {
    const events = Buffer.from(chunk('{"content":"Hello"}') + toEvents().join('') + END);
    service.provider.behave(streamRaw([events]));
    const { status, text, longestMs } = await askTimed(route, true);
    expect(status).toBe(200);
    // As many as are translated; clients of the host's own dialect get its events as they are.
    if (route !== 'chat') expect(text.match(/"name":"weather"/g)?.length ?? 0).toBeLessThan(1000);
    expect(longestMs).toBeLessThan(MAX_BLOCK_MS);
  },
);

test.each([...routes, 'native'] as const)('for %s, a long text is printed in short events', async (route) => {
  const long = 'abcd efg '.repeat(500_000);
  const asStream = streamRaw([Buffer.from(chunk(`{"content":"${long}"}`) + END)]);
  const asWhole = answerRaw(200, 'application/json', Buffer.from(whole('').replace('Hello', long)));
  for (const behaviour of route === 'chat' ? [asWhole] : [asStream, asWhole]) {
    service.provider.behave(behaviour);
    const { text } = await askTimed(route, true);
    const deltas = text.split('\n\n').filter((event) => event.includes('abcd') && !/\.done|\.completed/.test(event));
    expect(Math.max(...deltas.map(({ length }) => length))).toBeLessThan(200_000);
    expect(text.includes('stop') || text.includes('completed')).toBe(true);
  }
});

const long = 'abcd efg '.repeat(250_000);
const EXCESSES: readonly (readonly [string, string])[] = [
  ['arguments', `{"tool_calls":[{"index":0,"id":"a","function":{"name":"weather","arguments":"${long}"}}]}`],
  ['arguments as an object', `{"tool_calls":[{"index":0,"function":{"name":"weather","arguments":{"a":"${long}"}}}]}`],
  ['a name', `{"tool_calls":[{"index":0,"id":"a","function":{"name":"${long}","arguments":"{}"}}]}`],
  ['an unknown field of a call', `{"tool_calls":[{"index":0,"extra":"${long}","function":{"name":"weather"}}]}`],
  ['a source', `{"annotations":[{"url":"https://a.example","title":"${long}"}]}`],
];

const excesses = EXCESSES.flatMap(([what, delta]) => routes.map((route) => [route, what, delta] as const));
testByTier(diagonalFirst(excesses, routes.length), EXCESSES.length)(
  'for %s, a stream with %s of 2 MB is broken off with an error',
  async ([route, _what, delta]) => {
    service.provider.behave(streamRaw([Buffer.from(chunk('{"content":"Hello"}') + chunk(delta) + END)]));
    const { text } = await askTimed(route, true);
    expect(text).toContain('The answer is incomplete');
    expect(text.length).toBeLessThan(50_000);
  },
);

test.each(routes)('for %s, arguments of 2 MB in many events are broken off with an error', async (route) => {
  const part = chunk(
    `{"tool_calls":[{"index":0,"id":"a","function":{"name":"weather","arguments":"${'[1],'.repeat(2500)}"}}]}`,
  );
  service.provider.behave(streamRaw([Buffer.from(part.repeat(200) + END)]));
  const { text } = await askTimed(route, true);
  expect(text).toContain('The answer is incomplete');
});

test.each(routes)('for %s, a whole answer with arguments of 2 MB is refused', async (route) => {
  const call = `{"id":"a","type":"function","function":{"name":"weather","arguments":{"a":"${long}"}}}`;
  service.provider.behave(answerRaw(200, 'application/json', Buffer.from(whole(`,"tool_calls":[${call}]`))));
  expect((await askTimed(route, false)).status).toBe(502);
});
