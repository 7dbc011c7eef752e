import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { MODEL, startHttpService, UPSTREAM_KEY } from '../support/harness/http.ts';
import {
  answerHello,
  answerJson,
  answerRaw,
  die,
  hang,
  openAiError,
  streamRaw,
} from '../support/hosts/fake-provider.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const PATH = '/ai/openai/chat/completions';
const messages = [{ role: 'user', content: 'Hi' }];

const service = startBeforeAll(() => startHttpService());
afterEach(() => service.provider.behaveUsually(answerHello()));

const ask = (body: unknown, init?: RequestInit) => service.post(PATH, body, init);
const lastRequest = () => {
  const request = service.provider.chatRequests.at(-1);
  if (!request) throw new Error('the provider was not asked');
  return request;
};

describe('a request to the provider', () => {
  test('contains unknown fields unchanged', async () => {
    const body = {
      model: MODEL,
      messages: [{ role: 'user', content: 'Hi', name: 'Ann', cache_control: { type: 'ephemeral' } }],
      temperature: 0.2,
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }],
      response_format: { type: 'json_schema', json_schema: { name: 's', schema: {} } },
      vendor_extension: { deep: [1, { deeper: null }], unicode: 'ключ 🗝' },
    };
    expect((await ask(body)).status).toBe(200);
    expect(lastRequest().body).toMatchObject(body);
  });

  test.each([
    ['System', 'system'],
    ['Developer', 'developer'],
    ['USER', 'user'],
    ['Assistant', 'assistant'],
    ['tool', 'tool'],
  ])('contains the role %s as %s', async (role, arrives) => {
    expect((await ask({ model: MODEL, messages: [{ role, content: 'Hi' }] })).status).toBe(200);
    expect(lastRequest().body.messages).toEqual([{ role: arrives, content: 'Hi' }]);
  });

  test('contains images unchanged', async () => {
    const content = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(50_000)}`, detail: 'low' } },
    ];
    expect((await ask({ model: MODEL, messages: [{ role: 'user', content }] })).status).toBe(200);
    expect(lastRequest().body.messages).toEqual([{ role: 'user', content }]);
  });

  const long = '"Слово" \\ \n'.repeat(4000);
  test.each([
    ['long text', [{ role: 'user', content: long }]],
    ['long text of a role that is spelled in another way', [{ role: 'User', content: long }]],
    ['long text in parts', [{ role: 'user', content: [{ type: 'text', text: long }] }]],
    ['long text of tools', [...messages, { role: 'assistant', tool_calls: [{ function: { arguments: long } }] }]],
  ])('contains %s unchanged', async (_what, history) => {
    expect((await ask({ model: MODEL, messages: history })).status).toBe(200);
    const arrives = history.map((message) => ({ ...message, role: message.role.toLowerCase() }));
    expect(lastRequest().body.messages).toEqual(arrives);
  });

  test('may contain an assistant message with tool calls instead of content', async () => {
    const calls = [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }];
    const history = [
      ...messages,
      { role: 'assistant', content: null, tool_calls: calls },
      { role: 'tool', tool_call_id: 'c1', content: '42' },
    ];
    expect((await ask({ model: MODEL, messages: history })).status).toBe(200);
    expect(lastRequest().body.messages).toEqual(history);
  });

  test('contains an empty list next to tool calls, and a tool call without result, unchanged', async () => {
    const calls = [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }];
    const history = [
      ...messages,
      { role: 'assistant', content: [], tool_calls: calls },
      { role: 'tool', tool_call_id: 'c1', content: null },
    ];
    expect((await ask({ model: MODEL, messages: history })).status).toBe(200);
    expect(lastRequest().body.messages).toEqual(history);
  });

  test('with an empty content list of a user is a 400 with a clear message', async () => {
    const response = await ask({ model: MODEL, messages: [{ role: 'user', content: [] }] });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { message: "'messages[0].content' must hold at least one content part.", param: 'messages[0].content' },
    });
  });

  test('may have its key in x-api-key, which is not forwarded', async () => {
    const headers = { 'x-api-key': service.apiKey, 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify({ model: MODEL, messages }) };
    expect((await fetch(`${service.url}/v1/chat/completions`, init)).status).toBe(200);
    expect(JSON.stringify(lastRequest().headers)).not.toContain(service.apiKey);
    const wrong = { ...init, headers: { ...headers, 'x-api-key': 'sk-sb-unknown' } };
    expect((await fetch(`${service.url}${PATH}`, wrong)).status).toBe(401);
  });

  test("has the provider's own key, never the client's", async () => {
    await ask({ model: MODEL, messages });
    expect(lastRequest().headers.authorization).toBe(`Bearer ${UPSTREAM_KEY}`);
    expect(JSON.stringify(lastRequest().headers)).not.toContain(service.apiKey);
  });

  test.each([
    ['a byte order mark', `\uFEFF${JSON.stringify({ model: MODEL, messages })}`, 'application/json'],
    ['a charset', JSON.stringify({ model: MODEL, messages }), 'application/json; charset=UTF-8'],
    ['capitals', JSON.stringify({ model: MODEL, messages }), 'Application/JSON'],
  ])('may have %s in its body or content type', async (_what, body, contentType) => {
    expect((await ask(body, { headers: { 'content-type': contentType } })).status).toBe(200);
  });

  test('without a content type has a JSON body', async () => {
    const body = new Blob([JSON.stringify({ model: MODEL, messages })]);
    const response = await fetch(`${service.url}${PATH}`, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${service.apiKey}` },
    });
    expect(response.status).toBe(200);
  });

  test.each(['Bearer', 'bearer', 'BEARER'])('may have the scheme %s', async (scheme) => {
    const response = await ask(
      { model: MODEL, messages },
      { headers: { authorization: `${scheme} ${service.apiKey}` } },
    );
    expect(response.status).toBe(200);
  });

  test.each([
    `${PATH}/`,
    `${PATH}?x=1`,
    '/ai/openai//chat/completions',
    '/v1/chat/completions',
    '/ai/openai/v1/chat/completions',
  ])('is also accepted at %s', async (path) => {
    expect((await service.post(path, { model: MODEL, messages })).status).toBe(200);
  });
});

describe("the provider's answer is forwarded byte for byte", () => {
  test('a completion keeps unusual spacing, unknown fields and number formats', async () => {
    const odd = `{ "id":"x",\n "object" : "chat.completion","created":1.0e9, "model":"m","vendor":{"π":3.14000},
      "choices":[{"index":0,"message":{"role":"assistant","content":"h\\u00e9 \\ud83d\\ude00"},"finish_reason":"stop"}],
      "usage": {"prompt_tokens":5, "completion_tokens":1.0}  }`;
    service.provider.behave(answerRaw(200, 'application/json', odd));
    const response = await ask({ model: MODEL, messages });
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.text()).toBe(odd);
  });

  test('a stream keeps its bytes when characters are split between packets', async () => {
    const event = Buffer.from(
      'data: {"id":"x","object":"chat.completion.chunk", "vendor":{"a":[1,  2]},"choices":[{"index":0,"delta":{"content":"héllo 🦜 мир"},"finish_reason":null}]}\n\n',
    );
    const final = Buffer.from('data: {"id":"x","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n');
    const [from, to] = [event.indexOf('héllo'), event.indexOf('"},"finish_reason"')];
    const bytes = Array.from(event.subarray(from, to), (byte) => Buffer.of(byte));
    const cuts = [event.subarray(0, from), ...bytes, event.subarray(to)];
    service.provider.behave(streamRaw([...cuts, final, 'data: [DONE]\n\n'], { everyMs: 0 }));
    const response = await ask({ model: MODEL, messages, stream: true });
    const received = Buffer.from(await response.arrayBuffer());
    expect(received.toString()).toBe(`${event}${final}data: [DONE]\n\n`);
  });

  test('a stream has headers that keep proxies from buffering it', async () => {
    const response = await ask({ model: MODEL, messages, stream: true });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^req_/),
    });
    expect((await response.text()).endsWith('data: [DONE]\n\n')).toBe(true);
  });

  test('a stream contains usage only if the client requested it', async () => {
    const asked = await ask({ model: MODEL, messages, stream: true, stream_options: { include_usage: true } });
    expect(await asked.text()).toContain('"prompt_tokens":5');
    const notAsked = await ask({ model: MODEL, messages, stream: true });
    expect(await notAsked.text()).not.toContain('prompt_tokens');
  });
});

describe('validation before any provider is asked', () => {
  test.each<[string, unknown, string | null]>([
    ['no model', { messages }, 'model'],
    ['a model that is a number', { model: 5, messages }, 'model'],
    ['an empty model', { model: '', messages }, 'model'],
    ['an endless model', { model: 'x'.repeat(300), messages }, 'model'],
    ['no messages', { model: MODEL }, 'messages'],
    ['an empty list of messages', { model: MODEL, messages: [] }, 'messages'],
    ['messages that are an object', { model: MODEL, messages: {} }, 'messages'],
    ['a message that is a string', { model: MODEL, messages: ['Hi'] }, 'messages[0]'],
    ['a message without role', { model: MODEL, messages: [...messages, { content: 'Hi' }] }, 'messages[1].role'],
    ['a role that is a number', { model: MODEL, messages: [{ role: 1, content: 'Hi' }] }, 'messages[0].role'],
    ['an unknown role', { model: MODEL, messages: [{ role: 'robot', content: 'Hi' }] }, 'messages[0].role'],
    ['a message without content', { model: MODEL, messages: [{ role: 'user' }] }, 'messages[0].content'],
    ['content that is null', { model: MODEL, messages: [{ role: 'user', content: null }] }, 'messages[0].content'],
    ['content that is a number', { model: MODEL, messages: [{ role: 'user', content: 1 }] }, 'messages[0].content'],
    ['an empty list of parts', { model: MODEL, messages: [{ role: 'user', content: [] }] }, 'messages[0].content'],
    ['a part without type', { model: MODEL, messages: [{ role: 'user', content: [{}] }] }, 'messages[0].content'],
    ['stream that is a word', { model: MODEL, messages, stream: 'yes' }, 'stream'],
    ['stream_options that are a list', { model: MODEL, messages, stream_options: [] }, 'stream_options'],
    ['too many messages', { model: MODEL, messages: Array(20_001).fill(1) }, 'messages'],
    ['a list', [], null],
    ['null', null, null],
    ['half JSON', '{"model":', null],
    ['half JSON with a long text', `{"model":"m","messages":[{"role":"user","content":"${'x'.repeat(80_000)}`, null],
    [
      'a long text with a bare line feed',
      `{"model":"m","messages":[{"role":"user","content":"${'x\n'.repeat(40_000)}"}]}`,
      null,
    ],
    ['no JSON', 'model=x', null],
    ['deep nesting', `{"model":"m","messages":${'['.repeat(200)}${']'.repeat(200)}}`, null],
    ['deep nesting behind tricky strings', `{"a\\\\":"\\"[","b":${'[{"x":'.repeat(100)}`, null],
  ])('%s is a 400', async (_what, body, param) => {
    const asked = service.provider.requests.length;
    const response = await ask(typeof body === 'string' ? body : JSON.stringify(body));
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: { message: expect.any(String), type: 'invalid_request_error', param, code: 'invalid_request_error' },
    });
    expect(service.provider.requests.length).toBe(asked);
  });

  test('ignores brackets inside strings when it counts nesting', async () => {
    const content = `${'[{'.repeat(500)} \\" " \\\\`;
    expect((await ask({ model: MODEL, messages: [{ role: 'user', content }] })).status).toBe(200);
  });

  test('a body that is not UTF-8 is a 400', async () => {
    const response = await service.post(PATH, '', { body: Buffer.from([0x7b, 0xff, 0xfe, 0x7d]) });
    expect(response.status).toBe(400);
  });

  test('an empty body is a 400', async () => {
    expect((await ask('')).status).toBe(400);
  });

  test.each([
    ['text/plain', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a broken content type', { 'content-type': 'json' }],
    ['compressed JSON', { 'content-encoding': 'gzip' }],
  ])('%s is a 415', async (_what, headers) => {
    const response = await ask({ model: MODEL, messages }, { headers });
    expect(response.status).toBe(415);
    expect(await response.json()).toMatchObject({ error: { code: 'unsupported_media_type' } });
  });

  test('a body over the limit is a 413', async () => {
    const response = await ask({ model: MODEL, messages: [{ role: 'user', content: 'x'.repeat(21 * 2 ** 20) }] });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { code: 'request_too_large' } });
  });

  test('an unknown model is a 404 that names it', async () => {
    const response = await ask({ model: '<b>no "such"</b>', messages });
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringContaining('<b>no "such"</b>'), param: 'model', code: 'model_not_found' },
    });
  });

  test.each([
    ['no key', ''],
    ['an unknown key', 'Bearer sk-sb-unknown'],
    ['no scheme', 'sk-sb-unknown'],
    ['another scheme', 'Basic dTpw'],
    ['an empty key', 'Bearer '],
    ['an endless key', `Bearer ${'x'.repeat(5000)}`],
  ])('%s is a 401', async (_what, authorization) => {
    const response = await ask({ model: MODEL, messages }, { headers: { authorization } });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_api_key', type: 'invalid_request_error' } });
  });

  test('a request without a key gets no information about its body', async () => {
    const response = await ask('{', { headers: { authorization: '' } });
    expect(response.status).toBe(401);
  });
});

describe('failures of the provider', () => {
  test.each([false, true])('a refusal of the request is forwarded (stream: %s)', async (stream) => {
    service.provider.behave(answerJson(422, openAiError('temperature is too hot', 'too_hot', 'temperature')));
    const response = await ask({ model: MODEL, messages, stream });
    expect(response.status).toBe(422);
    expect(await response.json()).toEqual({
      error: {
        message: expect.stringContaining('temperature is too hot'),
        type: 'invalid_request_error',
        param: 'temperature',
        code: 'too_hot',
      },
    });
  });

  test.each([false, true])('no available provider is a 502 without internal details (stream: %s)', async (stream) => {
    service.provider.behaveUsually(die());
    const response = await ask({ model: MODEL, messages, stream });
    expect(response.status).toBe(502);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({ error: { type: 'server_error', code: 'upstream_error' } });
    expect(text).not.toMatch(/127\.0\.0\.1|sk-upstream|ECONN|UND_ERR| at /);
  });

  test("the provider's error message is forwarded without addresses and keys", async () => {
    const words = 'CUDA is out of memory at http://10.0.0.7:8000/v1 (worker 10.0.0.8:99, key sk-abcdefghijkl)';
    service.provider.behaveUsually(answerJson(500, openAiError(words)));
    const response = await ask({ model: MODEL, messages });
    expect(response.status).toBe(502);
    const text = await response.text();
    expect(text).toContain(
      'No provider of this model can answer right now. It said: CUDA is out of memory at [address]',
    );
    expect(text).not.toMatch(/10\.0\.0|sk-abc/);
  });

  test('input that a provider does not support is a 400 and does not rest the provider', async () => {
    const words = 'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj';
    service.provider.behave(answerJson(500, openAiError(words)));
    const response = await ask({ model: MODEL, messages });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { message: words, type: 'invalid_request_error' } });
    expect((await ask({ model: MODEL, messages })).status).toBe(200);
  });

  test.each([false, true])('no answer in time is a 504 (stream: %s)', async (stream) => {
    const hasty = await startHttpService({ timeouts: { firstTokenMs: 300, totalMs: 300 } });
    onTestFinished(() => hasty.close());
    hasty.provider.behaveUsually(hang());
    const response = await hasty.post(PATH, { model: MODEL, messages, stream });
    expect(response.status).toBe(504);
    expect(await response.json()).toMatchObject({ error: { code: 'upstream_timeout' } });
  });

  test("a refusal of the operator's key does not look like a refusal of the client's", async () => {
    service.provider.behaveUsually(answerJson(401, openAiError('Incorrect API key: sk-upstream-secret')));
    const response = await ask({ model: MODEL, messages });
    expect(response.status).toBe(502);
    expect(await response.text()).not.toContain('sk-upstream');
  });
});

describe('log', () => {
  test('has a line with an id for each request, without keys or prompts', async () => {
    const headers = { 'x-request-id': 'trace-7' };
    service.provider.behave(answerHello({ pieces: ['a secret answer'] }));
    const response = await ask(
      { model: MODEL, messages: [{ role: 'user', content: 'a secret question' }] },
      { headers },
    );
    expect(response.headers.get('x-request-id')).toBe('trace-7');
    await response.text();
    await expect
      .poll(() => service.logLines().find((line) => line['requestId'] === 'trace-7'))
      .toMatchObject({
        method: 'POST',
        route: PATH,
        status: 200,
        ms: expect.any(Number),
        provider: 'fake',
        model: MODEL,
        finishReason: 'stop',
      });
    expect(service.logText()).not.toMatch(/a secret|sk-upstream/);
    expect(service.logText()).not.toContain(service.apiKey);
  });

  test.each(['a b', 'x'.repeat(200), '{"a":1}'])('replaces the request id %s', async (id) => {
    const response = await ask({ model: MODEL, messages }, { headers: { 'x-request-id': id } });
    expect(response.headers.get('x-request-id')).toMatch(/^req_[\w-]{22}$/);
  });
});
