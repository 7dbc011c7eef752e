import {
  APIConnectionTimeoutError,
  APIError,
  APIUserAbortError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  OpenAI,
  UnprocessableEntityError,
} from 'openai';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type HttpService, MODEL, startHttpService } from '../support/harness/http.ts';
import {
  answerHello,
  answerJson,
  completionOf,
  die,
  hang,
  openAiError,
  sseEvent,
  streamRaw,
} from '../support/hosts/fake-provider.ts';
import { failureOf } from '../support/hosts/provider-under-test.ts';
import { createFastClock } from '../support/machine/fast-clock.ts';

const messages = [{ role: 'user' as const, content: 'Hi' }];

let service: HttpService;
let client: OpenAI;
beforeAll(async () => {
  service = await startHttpService();
  client = connect(service.apiKey);
});
afterEach(() => service.provider.behaveUsually(answerHello()));
afterAll(() => service.close());

function connect(apiKey: string, slash = '') {
  return new OpenAI({ apiKey, baseURL: `${service.url}/ai/openai${slash}`, maxRetries: 0 });
}
const seen = () => service.provider.chatRequests.at(-1)?.body;

describe("OpenAI's own client", () => {
  test.each(['', '/'])('chats, with %j after the base address', async (slash) => {
    const completion = await connect(service.apiKey, slash).chat.completions.create({ model: MODEL, messages });
    expect(completion.choices[0]?.message).toMatchObject({ role: 'assistant', content: 'Hello, world!' });
    expect(completion.usage?.total_tokens).toBe(9);
    expect(completion._request_id).toMatch(/^req_/);
  });

  test('streams', async () => {
    const stream = await client.chat.completions.create({ model: MODEL, messages, stream: true });
    const chunks = await Array.fromAsync(stream);
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe('Hello, world!');
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop');
  });

  test('streams with usage', async () => {
    const stream = await client.chat.completions.create({
      model: MODEL,
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = await Array.fromAsync(stream);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 5 } });
  });

  test('streams through its helper', async () => {
    const runner = client.chat.completions.stream({ model: MODEL, messages });
    expect(await runner.finalContent()).toBe('Hello, world!');
  });

  test('ignores pings', async () => {
    const delta = (content: string) =>
      sseEvent({ id: 'x', choices: [{ index: 0, delta: { content }, finish_reason: null }] });
    const finish = sseEvent({ id: 'x', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    const impatient = await startHttpService({ clock: createFastClock(750) });
    impatient.provider.behave(streamRaw([delta('a'), delta('b'), finish, 'data: [DONE]\n\n'], { everyMs: 120 }));
    const raw = await impatient.post('/ai/openai/chat/completions', { model: MODEL, messages, stream: true });
    expect(await raw.text()).toContain(': ping\n\n');
    impatient.provider.behave(streamRaw([delta('a'), delta('b'), finish, 'data: [DONE]\n\n'], { everyMs: 120 }));
    const other = new OpenAI({ apiKey: impatient.apiKey, baseURL: `${impatient.url}/ai/openai` });
    const chunks = await Array.fromAsync(await other.chat.completions.create({ model: MODEL, messages, stream: true }));
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe('ab');
    await impatient.close();
  });

  test('calls tools', async () => {
    const call = {
      id: 'call_1',
      type: 'function' as const,
      function: { name: 'weather', arguments: '{"city":"Oslo"}' },
    };
    service.provider.behave((exchange) => {
      const completion = completionOf(exchange.request, { finishReason: 'tool_calls' });
      const message = { role: 'assistant', content: null, tool_calls: [call] };
      return answerJson(200, { ...completion, choices: [{ index: 0, message, finish_reason: 'tool_calls' }] })(
        exchange,
      );
    });
    const tools = [{ type: 'function' as const, function: { name: 'weather', parameters: { type: 'object' } } }];
    const asked = await client.chat.completions.create({ model: MODEL, messages, tools, tool_choice: 'auto' });
    expect(asked.choices[0]?.message.tool_calls).toEqual([call]);
    expect(seen()).toMatchObject({ tools, tool_choice: 'auto' });

    const answered = await client.chat.completions.create({
      model: MODEL,
      messages: [
        ...messages,
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_1', content: 'rain' },
      ],
      tools,
    });
    expect(answered.choices[0]?.message.content).toBe('Hello, world!');
  });

  test.each<[string, Record<string, unknown>]>([
    [
      'response_format',
      { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } } },
    ],
    ['n', { n: 3 }],
    ['stop', { stop: ['\n', 'END'] }],
    ['logprobs', { logprobs: true, top_logprobs: 2 }],
    ['reasoning_effort', { reasoning_effort: 'low' }],
    ['max_completion_tokens', { max_completion_tokens: 5, seed: 7, user: 'u', metadata: { a: 'b' } }],
    ['fields of some vendor', { provider: { order: ['a'] }, transforms: [] }],
  ])('forwards %s', async (_name, fields) => {
    await client.chat.completions.create({ model: MODEL, messages, ...fields });
    expect(seen()).toMatchObject(fields);
  });

  test('sends images', async () => {
    const content = [
      { type: 'text' as const, text: 'What is this?' },
      { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
    ];
    await client.chat.completions.create({ model: MODEL, messages: [{ role: 'user', content }] });
    expect(seen()?.messages).toEqual([{ role: 'user', content }]);
  });

  describe('with responses', () => {
    const WEATHER = {
      type: 'function' as const,
      name: 'weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      strict: true,
    };

    test('creates', async () => {
      const response = await client.responses.create({ model: MODEL, input: 'Hi' });
      expect(response.output_text).toBe('Hello, world!');
      expect(response.usage?.total_tokens).toBe(9);
      expect(response._request_id).toMatch(/^req_/);
    });

    test('streams', async () => {
      const stream = await client.responses.create({ model: MODEL, input: 'Hi', stream: true });
      const events = await Array.fromAsync(stream);
      const deltas = events.flatMap((event) => (event.type === 'response.output_text.delta' ? [event.delta] : []));
      expect(deltas.join('')).toBe('Hello, world!');
      expect(events.at(-1)?.type).toBe('response.completed');
    });

    test('streams through its helper', async () => {
      const final = await client.responses.stream({ model: MODEL, input: 'Hi' }).finalResponse();
      expect(final.output_text).toBe('Hello, world!');
    });

    test('parses', async () => {
      service.provider.behave(answerHello({ pieces: ['{"city":', '"Oslo"}'] }));
      const schema = { type: 'object' as const, properties: { city: { type: 'string' } } };
      const format = { type: 'json_schema' as const, name: 'city', schema, strict: true };
      const response = await client.responses.parse({ model: MODEL, input: 'Hi', text: { format } });
      expect(JSON.parse(response.output_text)).toEqual({ city: 'Oslo' });
      expect(seen()).toMatchObject({ response_format: { json_schema: { name: 'city', strict: true } } });
    });

    test.each([true, false])('calls tools and returns their results (stream: %s)', async (stream) => {
      const deltas = [
        { role: 'assistant' },
        { tool_calls: [{ index: 0, id: 'call_1', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }] },
      ];
      const chunks = deltas.map((delta) => sseEvent({ id: 'x', choices: [{ index: 0, delta, finish_reason: null }] }));
      const end = sseEvent({ id: 'x', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] });
      const message = {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }],
      };
      service.provider.behave(
        stream
          ? streamRaw([...chunks, end, 'data: [DONE]\n\n'])
          : answerJson(200, { id: 'x', choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }),
      );
      const params = { model: MODEL, input: 'Hi', tools: [WEATHER] };
      const asked = stream
        ? await client.responses.stream(params).finalResponse()
        : await client.responses.create(params);
      const call = asked.output[0];
      if (call?.type !== 'function_call') throw new Error('no call');
      expect(call).toMatchObject({ name: 'weather', arguments: '{"city":"Oslo"}' });
      const answered = await client.responses.create({
        model: MODEL,
        tools: [WEATHER],
        input: [
          { role: 'user', content: 'Hi' },
          call,
          { type: 'function_call_output', call_id: call.call_id, output: 'rain' },
        ],
      });
      expect(answered.output_text).toBe('Hello, world!');
      expect(seen()?.messages).toHaveLength(3);
    });

    test('throws for a stream that breaks', async () => {
      const event = sseEvent({ id: 'x', choices: [{ index: 0, delta: { content: 'Hel' }, finish_reason: null }] });
      service.provider.behave(streamRaw([event], { end: 'cut' }));
      const stream = await client.responses.create({ model: MODEL, input: 'Hi', stream: true });
      const error = await Array.fromAsync(stream).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(APIError);
      expect(error).toMatchObject({ code: 'stream_interrupted' });
    });

    test('gets a BadRequestError that names the field', async () => {
      const call = client.responses.create({ model: MODEL, input: 'Hi', previous_response_id: 'resp_unknown' });
      const error = await failureOf(call);
      expect(error).toBeInstanceOf(BadRequestError);
      expect(error).toMatchObject({ param: 'previous_response_id' });
    });
  });

  test('lists and retrieves models', async () => {
    const ids = await Array.fromAsync(client.models.list(), ({ id }) => id);
    expect(ids).toEqual([MODEL, 'vendor/deep/model:free']);
    for (const id of ids) expect(await client.models.retrieve(id)).toMatchObject({ id, object: 'model' });
  });

  test.each([true, false])('aborts (stream: %s)', async (stream) => {
    service.provider.behave(hang());
    const number = service.provider.chatRequests.length;
    const abort = new AbortController();
    const answer = client.chat.completions
      .create({ model: MODEL, messages, stream }, { signal: abort.signal })
      .catch((error: unknown) => error);
    const upstream = await service.provider.chatRequest(number);
    abort.abort();
    expect(await answer).toBeInstanceOf(APIUserAbortError);
    await upstream.closed;
  });

  test('aborts a stream when the caller leaves the loop', async () => {
    service.provider.behave(answerHello({ pieces: Array(1000).fill('word '), everyMs: 5 }));
    const number = service.provider.chatRequests.length;
    for await (const chunk of await client.chat.completions.create({ model: MODEL, messages, stream: true })) {
      if (chunk.choices[0]?.delta.content) break;
    }
    const upstream = await service.provider.chatRequest(number);
    await upstream.closed;
    expect(upstream.wasAnswered()).toBe(false);
  });
});

describe("errors have the classes of OpenAI's client", () => {
  const create = (fields: Record<string, unknown> = {}) =>
    client.chat.completions.create({ model: MODEL, messages, ...fields });

  test('for a wrong key', async () => {
    const error = await failureOf(connect('sk-wrong').models.list());
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error).toMatchObject({ status: 401, code: 'invalid_api_key', type: 'invalid_request_error' });
  });

  test('for an unknown model', async () => {
    for (const call of [() => create({ model: 'nope' }), () => client.models.retrieve('nope')]) {
      const error = await failureOf(call());
      expect(error).toBeInstanceOf(NotFoundError);
      expect(error).toMatchObject({ code: 'model_not_found', param: 'model' });
    }
  });

  test('for an invalid field', async () => {
    const error = await failureOf(create({ messages: [{ role: 'alien', content: 'Hi' }] }));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ param: 'messages[0].role', requestID: expect.stringMatching(/^req_/) });
  });

  test('for a body that is too large', async () => {
    const error = await failureOf(create({ messages: [{ role: 'user', content: 'x'.repeat(21 * 2 ** 20) }] }));
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ status: 413, code: 'request_too_large' });
  });

  test('for a refusal of the provider', async () => {
    service.provider.behave(answerJson(422, openAiError('no', 'unsupported', 'tools')));
    const error = await failureOf(create());
    expect(error).toBeInstanceOf(UnprocessableEntityError);
    expect(error).toMatchObject({ code: 'unsupported', param: 'tools' });
  });

  test('for a missing provider', async () => {
    service.provider.behaveUsually(die());
    const error = await failureOf(create({ stream: true }));
    expect(error).toBeInstanceOf(InternalServerError);
    expect(error).toMatchObject({ status: 502, code: 'upstream_error' });
  });

  test("for the client's own timeout", async () => {
    service.provider.behave(hang());
    const error = await failureOf(client.chat.completions.create({ model: MODEL, messages }, { timeout: 200 }));
    expect(error).toBeInstanceOf(APIConnectionTimeoutError);
  });

  test('for a stream that breaks', async () => {
    const event = sseEvent({ id: 'x', choices: [{ index: 0, delta: { content: 'Hel' }, finish_reason: null }] });
    service.provider.behave(streamRaw([event], { end: 'cut' }));
    let text = '';
    const error = await failureOf(
      (async () => {
        for await (const chunk of await client.chat.completions.create({ model: MODEL, messages, stream: true })) {
          text += chunk.choices[0]?.delta.content ?? '';
        }
      })(),
    );
    expect(text).toBe('Hel');
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ code: 'stream_interrupted' });
  });
});
