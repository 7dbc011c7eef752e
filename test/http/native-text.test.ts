import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type HttpService, MODEL, startHttpService } from '../support/harness/http.ts';
import {
  answerHello,
  answerJson,
  die,
  hang,
  openAiError,
  sseEvent,
  streamRaw,
} from '../support/hosts/fake-provider.ts';
import { createFakeClock, type FakeClock } from '../support/machine/fake-clock.ts';

const messages = [{ role: 'user', content: 'Hi' }];

let clock: FakeClock;
let service: HttpService;
/** The same service with a short timeout for its provider. */
let hasty: HttpService;
beforeAll(async () => {
  clock = createFakeClock();
  service = await startHttpService({ clock });
  hasty = await startHttpService({ timeouts: { firstTokenMs: 300, totalMs: 300 } });
});
afterEach(() => service.provider.behaveUsually(answerHello()));
afterAll(() => Promise.all([service.close(), hasty.close()]));

const ask = (body: unknown) => service.post('/ai/v2', body);
const askFor = (request: Record<string, unknown>) => ask({ model: MODEL, request: { messages, ...request } });

/** Reads a stream as the API documents it: lines, an optional prefix, `[DONE]`. */
function readLines(text: string) {
  const payloads = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => (line.startsWith('data: ') ? line.slice('data: '.length) : line));
  const isDone = payloads.at(-1) === '[DONE]';
  const chunks = (isDone ? payloads.slice(0, -1) : payloads).map((payload) => JSON.parse(payload));
  return { chunks, isDone, text: chunks.map((chunk) => chunk.choices[0].delta.content).join('') };
}

async function stream(request: Record<string, unknown> = {}) {
  const response = await askFor({ stream: true, ...request });
  expect(response.status).toBe(200);
  return readLines(await response.text());
}

describe('a complete answer', () => {
  test('has exactly the documented fields', async () => {
    service.provider.behave(
      answerJson(200, {
        id: 'chatcmpl-1',
        object: 'chat.completion',
        created: 1_700_000_000,
        model: 'the-model-inside',
        system_fingerprint: 'fp',
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: 'Hello', refusal: null, annotations: [], reasoning: 'hm' },
            logprobs: null,
            finish_reason: 'stop',
          },
        ],
        usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7, details: {} },
      }),
    );
    const response = await askFor({});
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.json()).toEqual({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1_700_000_000,
      model: 'the-model-inside',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hello', refusal: null, annotations: [] },
          finish_reason: 'stop',
        },
      ],
      usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
      user: expect.any(Number),
    });
  });

  test('adds fields that the provider omitted', async () => {
    service.provider.behave(
      answerJson(200, { choices: [{ message: { content: [{ type: 'text', text: 'Hello' }] } }] }),
    );
    expect(await (await askFor({})).json()).toEqual({
      id: expect.stringMatching(/^chatcmpl-/),
      object: 'chat.completion',
      created: Math.floor(clock.now() / 1000),
      model: MODEL,
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: expect.any(Number), completion_tokens: 1, total_tokens: expect.any(Number) },
      user: expect.any(Number),
    });
  });

  test('names the same user for the same key', async () => {
    const userOf = async (response: Response) => Object(await response.json()).user;
    const users = [await userOf(await askFor({})), await userOf(await askFor({}))];
    expect(users[0]).toBe(users[1]);
    expect(Number.isInteger(users[0])).toBe(true);
  });

  test.each([
    ['no provider answers', () => service, die()],
    ['no provider answers in time', () => hasty, hang()],
    ['the provider answers nonsense', () => service, answerJson(200, { hello: 'world' })],
    ['the provider has a bad day', () => service, answerJson(500, {})],
  ])('is a 200 with finish reason error when %s', async (_what, getService, behaviour) => {
    const { provider, post } = getService();
    provider.behaveUsually(behaviour);
    const response = await post('/ai/v2', { model: MODEL, request: { messages } });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      id: expect.any(String),
      object: 'chat.completion',
      created: expect.any(Number),
      model: MODEL,
      choices: [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'error' }],
      usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
      user: expect.any(Number),
    });
  });
});

describe('a request', () => {
  test('may have roles in any case, and the legacy meta, which is not forwarded', async () => {
    const request = {
      messages: [
        { role: 'System', content: 'Be brief.' },
        { role: 'developer', content: 'Be kind.' },
        { role: 'User', content: 'Hi' },
        { role: 'Assistant', content: 'Hello' },
        { role: 'USER', content: 'Hi again' },
      ],
      meta: { image_count: 1 },
      temperature: 0.5,
    };
    expect((await ask({ model: MODEL, request })).status).toBe(200);
    const seen = service.provider.chatRequests.at(-1)?.body;
    expect(seen).toMatchObject({ model: MODEL, temperature: 0.5 });
    expect(seen).not.toHaveProperty('meta');
    expect(seen).not.toHaveProperty('request');
    expect(seen?.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'developer', content: 'Be kind.' },
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello' },
      { role: 'user', content: 'Hi again' },
    ]);
  });

  test.each<[string, unknown, string | null]>([
    ['no model', { request: { messages } }, 'model'],
    ['no request', { model: MODEL }, 'request'],
    ['a request that is a list', { model: MODEL, request: [] }, 'request'],
    ['no messages', { model: MODEL, request: {} }, 'request.messages'],
    ['empty messages', { model: MODEL, request: { messages: [] } }, 'request.messages'],
    ['an unknown role', { model: MODEL, request: { messages: [{ role: 'x' }] } }, 'request.messages[0].role'],
    ['half JSON', '{', null],
  ])('with %s is a 400', async (_what, body, param) => {
    const response = await ask(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { param, code: 'invalid_request_error' } });
  });

  test('that the provider refuses keeps its status', async () => {
    service.provider.behave(answerJson(400, openAiError('too long', 'context_length_exceeded', 'messages')));
    const response = await askFor({});
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'context_length_exceeded' } });
  });

  test('for an unknown model is a 404, without a key a 401', async () => {
    expect((await ask({ model: 'nope', request: { messages } })).status).toBe(404);
    expect((await service.post('/ai/v2', {}, { headers: { authorization: '' } })).status).toBe(401);
  });
});

describe('a stream', () => {
  test('consists of chunks in one format and [DONE]', async () => {
    const { chunks, isDone, text } = await stream();
    expect(text).toBe('Hello, world!');
    expect(isDone).toBe(true);
    for (const chunk of chunks) {
      expect(chunk).toEqual({
        id: 'chatcmpl-fake',
        object: 'chat.completion.chunk',
        created: 1_767_225_600,
        model: MODEL,
        choices: [
          {
            index: 0,
            delta: { role: 'assistant', content: expect.any(String) },
            finish_reason: chunk === chunks.at(-1) ? 'stop' : null,
          },
        ],
        usage: null,
      });
    }
  });

  test('never contains usage, whatever the client requests', async () => {
    const { chunks } = await stream({ stream_options: { include_usage: true } });
    expect(chunks.every((chunk) => chunk.usage === null && chunk.choices.length > 0)).toBe(true);
  });

  test('tolerates split characters, comments, and empty chunks', async () => {
    const say = (choice: Record<string, unknown>) =>
      sseEvent({ id: 'x', choices: [{ index: 0, finish_reason: null, ...choice }] });
    const events = Buffer.from(
      [
        say({ delta: { role: 'assistant' } }),
        ': comment\n\n',
        ...Array(50).fill(say({ delta: { reasoning_content: 'hm' } })),
        say({ delta: { content: 'мир 🦜' } }),
        say({ delta: { content: null, tool_calls: [] } }),
        sseEvent({ id: 'y', choices: [] }),
        say({ delta: { content: '!' }, finish_reason: 'length' }),
        'data: [DONE]\n\n',
      ].join(''),
    );
    const middle = events.indexOf('мир') + 1;
    service.provider.behave(streamRaw([events.subarray(0, middle), events.subarray(middle)]));
    const { chunks, text, isDone } = await stream();
    expect(text).toBe('мир 🦜!');
    expect(isDone).toBe(true);
    expect(chunks.length).toBe(3);
    expect(new Set(chunks.map(({ id, created, model }) => `${id} ${created} ${model}`)).size).toBe(1);
    expect(chunks.at(-1).choices[0].finish_reason).toBe('length');
  });

  test('sends keep-alive comments while a model is reasoning', async () => {
    let think = () => {};
    const reasoning = sseEvent({ id: 'x', choices: [{ index: 0, delta: { reasoning: 'hm' }, finish_reason: null }] });
    service.provider.behave(({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(reasoning);
      think = () => void response.write(reasoning);
    });
    const response = await askFor({ stream: true });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    await reader?.read();
    await clock.advance(15_000);
    think();
    expect(readLines((await reader?.read())?.value ?? '')).toMatchObject({ text: '', chunks: [{ id: 'x' }] });
    await reader?.cancel();
  });

  test('that fails before its first chunk has a status', async () => {
    service.provider.behaveUsually(die());
    const response = await askFor({ stream: true });
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ error: { code: 'upstream_error' } });
  });

  test('that breaks ends with finish reason error and without [DONE]', async () => {
    const event = sseEvent({ id: 'x', choices: [{ index: 0, delta: { content: 'Hel' }, finish_reason: null }] });
    service.provider.behave(streamRaw([event], { end: 'cut' }));
    const { chunks, text, isDone } = await stream();
    expect(text).toBe('Hel');
    expect(isDone).toBe(false);
    expect(chunks.at(-1)).toMatchObject({ id: 'x', choices: [{ delta: { content: '' }, finish_reason: 'error' }] });
    expect(chunks.slice(0, -1).every((chunk) => chunk.choices[0].finish_reason === null)).toBe(true);
  });
});
