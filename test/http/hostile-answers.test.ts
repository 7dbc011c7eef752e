import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type HttpService, MODEL, startHttpService } from '../support/harness/http.ts';
import { answerHello, answerRaw, streamRaw } from '../support/hosts/fake-provider.ts';

let service: HttpService;
beforeAll(async () => {
  service = await startHttpService();
});
afterEach(() => service.provider.behaveUsually(answerHello()));
afterAll(() => service.close());

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
  const asked = route === 'responses' ? fields : { ...fields, ...tools, messages };
  const response = await service.post(path, { model: MODEL, ...asked, stream: isStreamed });
  let text = '';
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) text += decoder.decode(bytes, { stream: true });
  isOver = true;
  return { status: response.status, text, longestMs };
}

/** The least of a margin for the collector of garbage and the client, which share the thread. */
const MAX_BLOCK_MS = 250;
const routes = Object.keys(ROUTES) as (keyof typeof ROUTES)[];

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

test.each(BODIES.flatMap(([what, toBody, end]) => routes.map((route) => [route, what, end, toBody] as const)))(
  'for %s, an answer with %s is %s, and holds nobody',
  async (route, _what, end, toBody) => {
    service.provider.behave(answerRaw(200, 'application/json', Buffer.from(toBody())));
    const { status, longestMs } = await askTimed(route, false);
    expect(status).toBe(end === 'answered' ? 200 : 502);
    expect(longestMs).toBeLessThan(MAX_BLOCK_MS);
  },
);

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
  ['an event of 8 MB of objects', () => [chunk(`{"content":"a","extra":[${many(400_000, () => '{"a":1}')}]}`)]],
];

test.each(STREAMS.flatMap(([what, toEvents]) => routes.map((route) => [route, what, toEvents] as const)))(
  'for %s, a stream with %s ends soon, and holds nobody',
  async (route, _what, toEvents) => {
    const events = Buffer.from(chunk('{"content":"Hello"}') + toEvents().join('') + END);
    service.provider.behave(streamRaw([events]));
    const { status, text, longestMs } = await askTimed(route, true);
    expect(status).toBe(200);
    // As many as are translated; clients of the host's own dialect get its events as they are.
    if (route !== 'chat') expect(text.match(/"name":"weather"/g)?.length ?? 0).toBeLessThan(1000);
    expect(longestMs).toBeLessThan(MAX_BLOCK_MS);
  },
);
