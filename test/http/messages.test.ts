import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createAnthropicProvider } from '../../src/core/models/hosts/anthropic/anthropic-provider.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { readMessagesEvents } from '../support/clients/stream-events.ts';
import { type HttpService, MODEL, startHttpService } from '../support/harness/http.ts';
import { startFakeAnthropic } from '../support/hosts/fake-anthropic.ts';
import {
  answerHello,
  answerJson,
  answerRaw,
  answerWith,
  die,
  type FakeProvider,
  hang,
  openAiError,
  sseEvent,
  streamDeltas,
  streamRaw,
} from '../support/hosts/fake-provider.ts';
import { createFakeClock } from '../support/machine/fake-clock.ts';

const PATH = '/ai/anthropic/messages';
const messages = [{ role: 'user', content: 'Hi' }];
const CLAUDE = 'claude';

let service: HttpService;
/** A host that speaks the dialect, with the model `claude`. */
let host: FakeProvider;
beforeAll(async () => {
  host = await startFakeAnthropic();
  const provider = createAnthropicProvider(
    { clock: systemClock },
    {
      kind: 'anthropic',
      name: 'anthropic',
      baseUrl: host.baseUrl,
      apiKeys: ['sk-ant-secret'],
      models: [{ id: CLAUDE, type: 'chat' }],
    },
  );
  service = await startHttpService({ imageProviders: [provider] });
});
afterEach(() => service.provider.behaveUsually(answerHello()));
afterAll(async () => {
  await service.close();
  await host.close();
});

const ask = (fields: JsonObject = {}, init?: RequestInit) =>
  service.post(PATH, { model: MODEL, max_tokens: 100, messages, ...fields }, init);
const askWell = async (fields: JsonObject = {}): Promise<JsonObject> => {
  const response = await ask(fields);
  const text = await response.text();
  expect([response.status, text]).toEqual([200, expect.any(String)]);
  return JSON.parse(text);
};
const stream = async (fields: JsonObject = {}) =>
  readMessagesEvents(await (await ask({ ...fields, stream: true })).text());
const seen = () => service.provider.chatRequests.at(-1)?.body ?? {};

const WEATHER = {
  name: 'weather',
  description: 'Weather of a city',
  input_schema: { type: 'object', properties: { city: { type: 'string' } } },
};
const callOf = (id: string, city: string) => ({
  id,
  type: 'function',
  function: { name: 'weather', arguments: JSON.stringify({ city }) },
});

describe('a request', () => {
  test.each(['/v1/messages', '/v1/messages?beta=true', '/ai/anthropic/v1/messages', `${PATH}/`])(
    'is accepted at %s with the key in x-api-key',
    async (path) => {
      const headers = {
        'x-api-key': service.apiKey,
        'content-type': 'application/json',
        'anthropic-version': '2023-06-01',
      };
      const body = JSON.stringify({ model: MODEL, max_tokens: 5, messages });
      const response = await fetch(`${service.url}${path}`, { method: 'POST', headers, body });
      expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ type: 'message' })]);
    },
  );

  test('reaches a provider of another protocol translated', async () => {
    await askWell({
      system: [
        { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } },
        { type: 'text', text: 'Be kind.' },
      ],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Weather?' }] },
        { role: 'system', content: 'Mind the units.' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Which city?', signature: 'of-another-service' },
            { type: 'redacted_thinking', data: 'xyz' },
            { type: 'text', text: 'I look.' },
            { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Paris' } },
            { type: 'tool_use', id: 'toolu_2', name: 'weather', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'And now?' },
            { type: 'tool_result', tool_use_id: 'toolu_2', content: 'no city', is_error: true },
            { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: '18°' }] },
          ],
        },
      ],
      tools: [{ ...WEATHER, strict: true, cache_control: { type: 'ephemeral' } }],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      stop_sequences: ['END'],
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      output_config: { effort: 'max', format: { type: 'json_schema', schema: { type: 'object' } } },
      thinking: { type: 'adaptive' },
      metadata: { user_id: 'u' },
      context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
      service_tier: 'auto',
    });
    expect(seen()).toEqual({
      model: MODEL,
      messages: [
        { role: 'system', content: 'Be brief.\n\nBe kind.' },
        { role: 'user', content: 'Weather?' },
        { role: 'system', content: 'Mind the units.' },
        {
          role: 'assistant',
          content: 'I look.',
          tool_calls: [
            { id: 'toolu_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } },
            { id: 'toolu_2', type: 'function', function: { name: 'weather', arguments: '{}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'toolu_2', content: 'Error:\nno city' },
        { role: 'tool', tool_call_id: 'toolu_1', content: '18°' },
        { role: 'user', content: 'And now?' },
      ],
      tools: [
        {
          type: 'function',
          function: {
            name: 'weather',
            description: 'Weather of a city',
            parameters: WEATHER.input_schema,
            strict: true,
          },
        },
      ],
      tool_choice: 'required',
      parallel_tool_calls: false,
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object' } } },
      max_tokens: 100,
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      stop: ['END'],
      reasoning_effort: 'xhigh',
    });
  });

  test('has its images, documents and search results translated', async () => {
    const pdf = Buffer.from('%PDF-1.4').toString('base64');
    await askWell({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
            { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
            { type: 'document', title: 'Paper', source: { type: 'base64', media_type: 'application/pdf', data: pdf } },
            {
              type: 'document',
              title: 'A "note"',
              context: 'Old.',
              source: { type: 'text', media_type: 'text/plain', data: 'One' },
            },
            { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'Two' }] } },
            {
              type: 'search_result',
              source: 'https://example.com',
              title: 'Example',
              content: [{ type: 'text', text: 'Three' }],
            },
          ],
        },
      ],
    });
    expect(seen().messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
          { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
          { type: 'file', file: { filename: 'Paper.pdf', file_data: `data:application/pdf;base64,${pdf}` } },
          { type: 'text', text: 'Old.' },
          { type: 'text', text: '<document name="A  note">\nOne\n</document>' },
          { type: 'text', text: '<document name="document">' },
          { type: 'text', text: 'Two' },
          { type: 'text', text: '</document>' },
          {
            type: 'text',
            text: '<search_result source="https://example.com" title="Example">\nThree\n</search_result>',
          },
        ],
      },
    ]);
  });

  test('has examples of a tool in its description', async () => {
    await askWell({ tools: [{ ...WEATHER, input_examples: [{ city: 'Paris' }, { city: 'Rome' }] }] });
    const description = 'Weather of a city\n\nExamples of the input:\n{"city":"Paris"}\n{"city":"Rome"}';
    expect(seen().tools).toMatchObject([{ function: { description } }]);
  });

  test('has no tools, stops or choice if it gives empty ones', async () => {
    await askWell({ tools: [], tool_choice: { type: 'auto' }, stop_sequences: [], system: '' });
    expect(Object.keys(seen()).toSorted()).toEqual(['max_tokens', 'messages', 'model']);
  });

  test.each([
    [{ thinking: { type: 'enabled', budget_tokens: 2000 } }, 'low'],
    [{ thinking: { type: 'enabled', budget_tokens: 10_000 } }, 'medium'],
    [{ thinking: { type: 'enabled', budget_tokens: 32_000 } }, 'high'],
    [{ thinking: { type: 'disabled' } }, 'none'],
    [{ output_config: { effort: 'low' } }, 'low'],
    [{ thinking: { type: 'adaptive' } }, undefined],
  ])('with %j has the reasoning effort %s', async (fields, effort) => {
    await askWell(fields);
    expect(seen()['reasoning_effort']).toBe(effort);
  });

  test('is repeated without a reasoning effort that the model does not have', async () => {
    const refusal = openAiError('Unrecognized request argument supplied: reasoning_effort');
    service.provider.behave(answerJson(400, refusal));
    await askWell({ output_config: { effort: 'medium' } });
    expect(seen()['reasoning_effort']).toBeUndefined();
  });
});

const DIRECT = { type: 'direct' };

/** Token counts with all fields that Anthropic documents. */
function usageOf(inputTokens: number, outputTokens: number): JsonObject {
  return {
    ...{ input_tokens: inputTokens, output_tokens: outputTokens, output_tokens_details: null },
    ...{ cache_creation: null, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    ...{ server_tool_use: null, service_tier: null, inference_geo: null },
  };
}

function listIds(blocks: unknown): readonly unknown[] {
  return (blocks as readonly JsonObject[]).flatMap(({ type, id }) => (type === 'tool_use' ? [id] : []));
}

describe('an answer', () => {
  test('is a message', async () => {
    expect(await askWell()).toEqual({
      id: 'chatcmpl-fake',
      type: 'message',
      role: 'assistant',
      model: MODEL,
      container: null,
      content: [{ type: 'text', text: 'Hello, world!', citations: null }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      stop_details: null,
      usage: usageOf(5, 4),
    });
  });

  test('as a stream has its events in order', async () => {
    const events = await stream();
    expect(events.map(({ data }) => data)).toEqual([
      {
        type: 'message_start',
        message: {
          ...{ id: 'chatcmpl-fake', type: 'message', role: 'assistant', model: MODEL, content: [] },
          ...{ container: null, stop_reason: null, stop_sequence: null, stop_details: null },
          // Estimated.
          usage: usageOf(1, 0),
        },
      },
      { type: 'ping' },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '', citations: null } },
      ...['Hello', ', ', 'world', '!'].map((text) => ({
        ...{ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
      })),
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { container: null, stop_reason: 'end_turn', stop_sequence: null, stop_details: null },
        usage: usageOf(5, 4),
      },
      { type: 'message_stop' },
    ]);
  });

  test('has the parts of its token counts', async () => {
    const details = { completion_tokens_details: { reasoning_tokens: 3 } };
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, ...details };
    const choice = { message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' };
    service.provider.behave(answerJson(200, { choices: [choice], usage }));
    expect(await askWell()).toMatchObject({
      usage: { output_tokens: 5, output_tokens_details: { thinking_tokens: 3 } },
    });
  });

  test('counts cached tokens apart', async () => {
    service.provider.behave(
      answerJson(200, {
        choices: [{ message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 1000, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 900 } },
      }),
    );
    expect(await askWell()).toMatchObject({ usage: { input_tokens: 100, cache_read_input_tokens: 900 } });
  });

  test.each([
    ['length', {}, { stop_reason: 'max_tokens', stop_sequence: null }],
    ['content_filter', {}, { stop_reason: 'refusal', stop_details: { type: 'refusal', category: null } }],
    ['stop', { stop_reason: 'END' }, { stop_reason: 'stop_sequence', stop_sequence: 'END' }],
    ['stop', { stop_reason: '</s>' }, { stop_reason: 'end_turn', stop_sequence: null }],
  ])('that ends with %s %j has %j', async (finishReason, fields, expected) => {
    service.provider.behave(
      answerWith({ role: 'assistant', content: 'Hi' }, finishReason, fields),
      streamDeltas([{ content: 'Hi' }], finishReason, fields),
    );
    expect(await askWell({ stop_sequences: ['END'] })).toMatchObject(expected);
    const events = await stream({ stop_sequences: ['END'] });
    expect(events.at(-2)?.data).toMatchObject({ type: 'message_delta', delta: expected });
  });

  test('that is a refusal has its explanation', async () => {
    service.provider.behave(
      answerWith({ role: 'assistant', content: null, refusal: 'No.' }),
      streamDeltas([{ refusal: 'No' }, { refusal: '.' }]),
    );
    const expected = { stop_reason: 'refusal', stop_details: { type: 'refusal', category: null, explanation: 'No.' } };
    expect(await askWell()).toMatchObject({ ...expected, content: [{ type: 'text', text: 'No.' }] });
    expect((await stream()).at(-2)?.data).toMatchObject({ delta: expected });
  });

  test.each([
    ['shown', { thinking: { type: 'adaptive' } }],
    ['not shown', {}],
  ])(
    'has its tool calls as blocks, in the request that follows as well, with reasoning that is %s',
    async (_how, thinking) => {
      const deltas = [
        { reasoning_content: 'Hm.' },
        { content: 'I look.' },
        { tool_calls: [{ index: 0, ...callOf('c1', 'Paris'), extra_content: { signature: 's' } }] },
        { tool_calls: [{ index: 1, id: 'c2', type: 'function', function: { name: 'weather', arguments: '' } }] },
        { tool_calls: [{ index: 1, function: { arguments: '{"city":' } }] },
        { tool_calls: [{ index: 1, function: { arguments: '"Rome"}' } }] },
      ];
      const message = {
        ...{ role: 'assistant', content: 'I look.', reasoning_content: 'Hm.' },
        tool_calls: [{ ...callOf('c1', 'Paris'), extra_content: { signature: 's' } }, callOf('c2', 'Rome')],
      };
      service.provider.behave(streamDeltas(deltas, 'tool_calls'), answerWith(message, 'tool_calls'));
      const blocks: JsonObject[] = [];
      for (const { data } of await stream({ tools: [WEATHER], ...thinking })) {
        const { type, content_block: block, delta = {}, index } = data as JsonObject & { delta: JsonObject };
        const at = Number(index);
        if (type === 'content_block_start') blocks[at] = { ...(block as JsonObject), json: '' };
        const open = blocks[at];
        if (type !== 'content_block_delta' || !open) continue;
        if (delta['type'] === 'text_delta') open['text'] += String(delta['text']);
        if (delta['type'] === 'thinking_delta') open['thinking'] += String(delta['thinking']);
        if (delta['type'] === 'signature_delta') open['signature'] = delta['signature'];
        if (delta['type'] === 'input_json_delta') open['json'] += String(delta['partial_json']);
      }
      const streamed = blocks.map(({ json, ...block }) =>
        block['type'] === 'tool_use' ? { ...block, input: JSON.parse(String(json)) } : block,
      );
      const { content, stop_reason: reason } = await askWell({ tools: [WEATHER], ...thinking });
      expect(reason).toBe('tool_use');
      const withoutId = ({ id: _id, ...block }: JsonObject) => block;
      expect(streamed.map(withoutId)).toEqual((content as readonly JsonObject[]).map(withoutId));
      const ids = listIds(content);
      expect(new Set([...ids, ...listIds(streamed)]).size).toBe(4);
      expect(content).toEqual([
        ...('thinking' in thinking ? [{ type: 'thinking', thinking: 'Hm.', signature: expect.any(String) }] : []),
        { type: 'text', text: 'I look.', citations: null },
        { type: 'thinking', thinking: '', signature: expect.any(String) },
        { type: 'tool_use', id: ids[0], name: 'weather', input: { city: 'Paris' }, caller: DIRECT },
        { type: 'tool_use', id: ids[1], name: 'weather', input: { city: 'Rome' }, caller: DIRECT },
      ]);

      const results = ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: '18°' }));
      await askWell({
        messages: [...messages, { role: 'assistant', content }, { role: 'user', content: results }],
        tools: [WEATHER],
      });
      expect(seen().messages).toEqual([
        ...messages,
        { ...message, tool_calls: message.tool_calls.map((call, at) => ({ ...call, id: ids[at] })) },
        ...ids.map((id) => ({ role: 'tool', tool_call_id: id, content: '18°' })),
      ]);
    },
  );

  test.each([
    ['not asked for', {}, ['text']],
    ['asked for', { thinking: { type: 'adaptive' } }, ['thinking', 'text']],
    ['omitted', { thinking: { type: 'adaptive', display: 'omitted' } }, ['text']],
    ['disabled', { thinking: { type: 'disabled' }, tools: [WEATHER] }, ['text']],
    ['not asked for, with tools', { tools: [WEATHER] }, ['text']],
  ])('has its reasoning if it is %s', async (_when, fields, types) => {
    const message = { role: 'assistant', content: 'Hi', reasoning: 'Hm.' };
    service.provider.behave(answerWith(message), streamDeltas([{ reasoning: 'Hm.' }, { content: 'Hi' }]));
    const { content } = await askWell(fields);
    expect((content as JsonObject[]).map(({ type }) => type)).toEqual(types);
    const starts = (await stream(fields)).filter(({ type }) => type === 'content_block_start');
    expect(starts.map(({ data }) => (data['content_block'] as JsonObject)['type'])).toEqual(types);
  });
});

describe('a provider that speaks the dialect', () => {
  const fields = {
    model: CLAUDE,
    tools: [{ type: 'web_search_20250305', name: 'web_search' }],
    messages: [
      { role: 'user', content: [{ type: 'container_upload', file_id: 'f', cache_control: { type: 'ephemeral' } }] },
    ],
    thread: { type: 'create' },
    max_tokens: 5,
  };
  const headers = { 'anthropic-beta': 'a,b', 'anthropic-version': '2023-06-01', 'x-secret': 'x' };

  test('gets the request as it is, and its message is returned as it is', async () => {
    const message =
      '{ "type":"message", "id":"msg_1", "content": [{"type":"hologram"}], "unknown": [1.50],  "usage":{"input_tokens":1, "output_tokens":1} }';
    host.behave(answerRaw(200, 'application/json', message));
    const response = await ask(fields, { headers });
    expect([response.status, await response.text()]).toEqual([200, message]);
    const upstream = host.chatRequests.at(-1);
    expect(upstream?.body).toEqual(fields);
    expect(upstream?.headers).toMatchObject({ 'anthropic-version': '2023-06-01', 'x-api-key': 'sk-ant-secret' });
    expect(upstream?.headers['anthropic-beta']).toContain('a,b');
    expect(upstream?.headers).not.toHaveProperty('x-secret');
  });

  test('has its events returned as they are', async () => {
    const events = [
      'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_1","usage":{"input_tokens":3}}}\n\n',
      'event: ping\ndata: {"type":"ping"}\n\n',
      'event: content_block_delta\ndata: {"index":0,"delta":{"type":"signature_delta","signature":"Er\\u0055=="},"type":"content_block_delta"}\n\n',
      'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"pause_turn"},"usage":{"output_tokens":1}}\n\n',
      'event: message_stop\ndata: {"type":"message_stop"}\n\n',
    ];
    host.behave(streamRaw(events));
    const text = await (await ask({ ...fields, stream: true })).text();
    expect(text).toBe(events.join(''));
  });

  test('counts the tokens of a prompt', async () => {
    host.behaveElsewhere(answerJson(200, { input_tokens: 4711 }));
    const { max_tokens: _maxTokens, ...counted } = fields;
    const response = await service.post(`${PATH}/count_tokens`, counted);
    expect([response.status, await response.json()]).toEqual([200, { input_tokens: 4711 }]);
    expect(host.requests.at(-1)).toMatchObject({ url: '/v1/messages/count_tokens', body: counted });
  });

  test('has its errors reported with their code', async () => {
    const error = { type: 'invalid_request_error', message: 'No thread.', details: { error_code: 'thread_not_found' } };
    host.behave(answerJson(404, { type: 'error', error }));
    const response = await ask(fields);
    expect([response.status, await response.json()]).toMatchObject([404, { error: { details: error.details } }]);
  });
});

const image = (source: JsonObject) => [{ role: 'user', content: [{ type: 'image', source }] }];
const document = (fields: JsonObject) => [{ role: 'user', content: [{ type: 'document', ...fields }] }];
const TOOL_USE = { type: 'tool_use', id: 't', name: 'weather', input: {} };
const WITH_CALL = [...messages, { role: 'assistant', content: [TOOL_USE] }];

describe('validation before any provider is asked', () => {
  test.each<[string, JsonObject, string]>([
    ['no max_tokens', { max_tokens: undefined }, 'max_tokens'],
    ['max_tokens that are a text', { max_tokens: '5' }, 'max_tokens'],
    ['negative max_tokens', { max_tokens: -1 }, 'max_tokens'],
    ['a model that is a number', { model: 5 }, 'model'],
    ['no messages', { messages: [] }, 'messages'],
    ['a message that is a text', { messages: ['Hi'] }, 'messages[0]'],
    ['an unknown role', { messages: [{ role: 'tool', content: 'x' }] }, 'messages[0].role'],
    ['content that is null', { messages: [{ role: 'user', content: null }] }, 'messages[0].content'],
    ['no content blocks', { messages: [{ role: 'user', content: [] }] }, 'messages[0].content'],
    ['a block without type', { messages: [{ role: 'user', content: [{}] }] }, 'messages[0].content'],
    [
      'a text block without text',
      { messages: [{ role: 'user', content: [{ type: 'text' }] }] },
      'messages[0].content[0].text',
    ],
    ['a system prompt that is a number', { system: 5 }, 'system'],
    ['a system prompt with an image', { system: [{ type: 'image' }] }, 'system[0].type'],
    [
      'broken base64',
      { messages: image({ type: 'base64', media_type: 'image/png', data: 'a#b' }) },
      'messages[0].content[0].source.data',
    ],
    [
      'empty base64',
      { messages: image({ type: 'base64', media_type: 'image/png', data: '' }) },
      'messages[0].content[0].source.data',
    ],
    [
      'an image of another type',
      { messages: image({ type: 'base64', media_type: 'image/tiff', data: 'AAAA' }) },
      'messages[0].content[0].source.media_type',
    ],
    [
      'an image over the bound',
      { messages: image({ type: 'base64', media_type: 'image/png', data: 'A'.repeat(14_000_000) }) },
      'messages[0].content[0].source.data',
    ],
    [
      'an address that is none',
      { messages: image({ type: 'url', url: 'file:///etc/passwd' }) },
      'messages[0].content[0].source.url',
    ],
    ['a document without source', { messages: document({}) }, 'messages[0].content[0].source'],
    [
      'a document that is no PDF',
      { messages: document({ source: { type: 'base64', media_type: 'text/html', data: 'AAAA' } }) },
      'messages[0].content[0].source.media_type',
    ],
    [
      'a tool call without input',
      { messages: [{ role: 'assistant', content: [{ ...TOOL_USE, input: '{}' }] }] },
      'messages[0].content[0].input',
    ],
    ['tools that are an object', { tools: {} }, 'tools'],
    ['a tool without schema', { tools: [{ name: 'x' }] }, 'tools[0].input_schema'],
    ['a tool with a wrong name', { tools: [{ ...WEATHER, name: 'a b' }] }, 'tools[0].name'],
    ['tools of 2 MB', { tools: [WEATHER, { ...WEATHER, description: 'x'.repeat(2_000_000) }] }, 'tools[1]'],
    ['an unknown tool choice', { tools: [WEATHER], tool_choice: { type: 'some' } }, 'tool_choice.type'],
    ['a tool choice without name', { tools: [WEATHER], tool_choice: { type: 'tool' } }, 'tool_choice.name'],
    ['an effort without end', { output_config: { effort: 'x'.repeat(100) } }, 'output_config.effort'],
    ['a format without schema', { output_config: { format: { type: 'json_schema' } } }, 'output_config.format.schema'],
    ['stop sequences that are a text', { stop_sequences: 'END' }, 'stop_sequences'],
    ['stream that is a word', { stream: 'yes' }, 'stream'],
    ['a known field in another spelling', { maxTokens: 5 }, 'maxTokens'],
    ['too many messages', { messages: Array(20_001).fill(1) }, 'messages'],
    // Content that only providers of the dialect have.
    ['a tool of Anthropic', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, 'tools[0].type'],
    ['an unknown kind of thinking', { thinking: { type: 'sometimes' } }, 'thinking.type'],
    [
      'an unknown block',
      { messages: [{ role: 'user', content: [{ type: 'hologram' }] }] },
      'messages[0].content[0].type',
    ],
    ['a stored file', { messages: image({ type: 'file', file_id: 'f' }) }, 'messages[0].content[0].source.type'],
    [
      'citations',
      {
        messages: document({
          source: { type: 'text', media_type: 'text/plain', data: 'x' },
          citations: { enabled: true },
        }),
      },
      'messages[0].content[0].citations',
    ],
    [
      'a title without end',
      {
        messages: document({
          title: 'x'.repeat(10_001),
          source: { type: 'text', media_type: 'text/plain', data: 'x' },
        }),
      },
      'messages[0].content[0].title',
    ],
    ['an unknown field', { container: 'c' }, 'container'],
    ['an unknown field of a tool', { tools: [{ ...WEATHER, defer_loading: true }] }, 'tools[0].defer_loading'],
    [
      'a result without call',
      { messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 't' }] }] },
      'messages[0].content[0].tool_use_id',
    ],
    ['a call without result', { messages: [...WITH_CALL, ...messages] }, 'messages[1].content'],
    [
      'a tool call in a message of the user',
      { messages: [{ role: 'user', content: [TOOL_USE] }] },
      'messages[0].content[0].type',
    ],
    ['an answer to continue', { messages: [...messages, { role: 'assistant', content: 'I' }] }, 'messages[1]'],
    ['an empty answer', { max_tokens: 0 }, 'max_tokens'],
  ])('%s is a 400 that names the field', async (_what, fields, param) => {
    const asked = service.provider.requests.length;
    const response = await ask(fields);
    expect([response.status, await response.json()]).toEqual([
      400,
      {
        type: 'error',
        error: { type: 'invalid_request_error', message: expect.stringContaining(`'${param}' `) },
        request_id: response.headers.get('request-id'),
      },
    ]);
    expect(service.provider.requests.length).toBe(asked);
  });

  test('a thread is refused with the code by which clients go on without', async () => {
    const response = await ask({ thread: { type: 'create' } });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { details: { error_code: 'thread_unsupported_request' } } },
    ]);
  });
});

describe("an error has Anthropic's shape and headers", () => {
  const expectError = async (response: Response, status: number, type: string) => {
    const requestId = response.headers.get('request-id');
    expect(requestId).toBe(response.headers.get('x-request-id'));
    expect([response.status, await response.json()]).toMatchObject([
      status,
      { type: 'error', error: { type, message: expect.any(String) }, request_id: requestId },
    ]);
  };

  test.each<[string, () => Promise<Response>, number, string]>([
    ['without a key', () => ask({}, { headers: { authorization: '' } }), 401, 'authentication_error'],
    [
      'with a wrong key',
      () => ask({}, { headers: { authorization: '', 'x-api-key': 'wrong' } }),
      401,
      'authentication_error',
    ],
    ['for an unknown model', () => ask({ model: 'nope' }), 404, 'not_found_error'],
    ['at an unknown address', () => service.post('/v1/messages/batches', {}), 404, 'not_found_error'],
    ['for another method', () => service.get('/v1/messages'), 405, 'invalid_request_error'],
    ['for a body that is too large', () => ask({ more: 'x'.repeat(21 * 2 ** 20) }), 413, 'request_too_large'],
    [
      'for another content type',
      () => ask({}, { headers: { 'content-type': 'text/plain' } }),
      415,
      'invalid_request_error',
    ],
    ['for half JSON', () => service.post(PATH, '{'), 400, 'invalid_request_error'],
    ['for an unknown model to describe', () => service.get('/ai/anthropic/models/nope'), 404, 'not_found_error'],
  ])('%s', async (_when, send, status, type) => {
    await expectError(await send(), status, type);
  });

  test.each([
    ['refuses the request', answerJson(422, openAiError('too hot')), 422, 'invalid_request_error'],
    ['is at its limit', answerJson(429, openAiError('x'), { 'retry-after': '7' }), 429, 'rate_limit_error'],
    ['is overloaded', answerJson(503, openAiError('x'), { 'retry-after': '7' }), 503, 'overloaded_error'],
    ['dies', die(), 502, 'api_error'],
  ] as const)('if the provider %s', async (_what, behaviour, status, type) => {
    for (const isStreamed of [false, true]) {
      service.provider.behaveUsually(behaviour);
      const response = await ask({ stream: isStreamed });
      expect(response.headers.get('retry-after')).toBe(status === 429 || status === 503 ? '7' : null);
      await expectError(response, status, type);
    }
  });

  test('under load and for timeouts', async () => {
    const busy = await startHttpService({ inFlight: { generation: { maxOpen: 0, maxPerClient: 0 } } });
    onTestFinished(() => busy.close());
    await expectError(await busy.post(PATH, {}), 503, 'overloaded_error');
    const hasty = await startHttpService({ timeouts: { firstTokenMs: 100, totalMs: 100 } });
    onTestFinished(() => hasty.close());
    hasty.provider.behaveUsually(hang());
    await expectError(await hasty.post(PATH, { model: MODEL, max_tokens: 5, messages }), 504, 'timeout_error');
  });
});

describe('a stream', () => {
  test('that breaks off ends with an error event', async () => {
    const delta = sseEvent({ id: 'c', choices: [{ index: 0, delta: { content: 'one' } }] });
    service.provider.behave(streamRaw([delta], { end: 'cut' }));
    const response = await ask({ stream: true });
    const events = readMessagesEvents(await response.text());
    expect(events.map(({ type }) => type)).toEqual([
      ...['message_start', 'ping', 'content_block_start', 'content_block_delta', 'error'],
    ]);
    expect(events.at(-1)?.data).toEqual({
      type: 'error',
      error: { type: 'api_error', message: expect.any(String), details: { error_code: 'stream_interrupted' } },
      request_id: response.headers.get('request-id'),
    });
  });

  test('has ping events while the provider is silent, before the first event as well', async () => {
    const clock = createFakeClock();
    const slow = await startHttpService({ clock });
    onTestFinished(() => slow.close());
    const { promise: maySpeak, resolve: speak } = Promise.withResolvers<void>();
    slow.provider.behave(async (exchange) => {
      await maySpeak;
      await answerHello()(exchange);
    });
    const response = slow.post(PATH, { model: MODEL, max_tokens: 5, messages, stream: true });
    await slow.provider.chatRequest(0);
    await clock.advance(15_000);
    const text = (await response).text();
    speak();
    expect(
      readMessagesEvents(await text)
        .map(({ type }) => type)
        .slice(0, 2),
    ).toEqual(['ping', 'message_start']);
  });
});

describe('rate limits', () => {
  test("have Anthropic's headers, with the time of the reset", async () => {
    const limited = await startHttpService({
      plans: { universal: { key: { requestsPerMinute: 2, tokensPerDay: 10_000 } } },
    });
    onTestFinished(() => limited.close());
    const body = { model: MODEL, max_tokens: 5, messages };
    for (const isStreamed of [false, true]) {
      const response = await limited.post(PATH, { ...body, stream: isStreamed });
      await response.text();
      const headers = Object.fromEntries(response.headers);
      expect(headers).toMatchObject({
        'anthropic-ratelimit-requests-limit': '2',
        'anthropic-ratelimit-requests-remaining': isStreamed ? '0' : '1',
        'anthropic-ratelimit-tokens-limit': '10000',
      });
      const reset = headers['anthropic-ratelimit-requests-reset'] ?? '';
      expect(reset).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      expect(Date.parse(reset) - Date.now()).toBeLessThanOrEqual(61_000);
      expect(headers).not.toHaveProperty('x-ratelimit-limit-requests');
    }
    const refused = await limited.post(PATH, body);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('anthropic-ratelimit-requests-remaining')).toBe('0');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await limited.post(`${PATH}/count_tokens`, { model: MODEL, messages })).status).toBe(429);
  });
});

describe('token counts', () => {
  const count = async (fields: JsonObject) => {
    const response = await service.post('/v1/messages/count_tokens?beta=true', { model: MODEL, messages, ...fields });
    expect(response.status).toBe(200);
    return ((await response.json()) as { input_tokens: number }).input_tokens;
  };

  test('are estimated from texts, tool calls and tools', async () => {
    const asked = service.provider.requests.length;
    const small = await count({});
    expect(small).toBeGreaterThan(0);
    const system = await count({ system: 'word '.repeat(1000) });
    expect(system).toBeGreaterThan(900);
    expect(system).toBeLessThan(1500);
    expect(await count({ tools: [WEATHER] })).toBeGreaterThan(small + 10);
    expect(service.provider.requests.length).toBe(asked);
  });

  test('of long prompts are extrapolated', async () => {
    const parts = Array.from({ length: 2000 }, () => ({ type: 'text', text: 'word '.repeat(400) }));
    const content = parts.map((part, at) => (at % 2 === 0 ? part : { ...part }));
    const tokens = await count({ messages: content.map((part) => ({ role: 'user', content: [part] })) });
    expect(tokens).toBeGreaterThan(700_000);
    expect(tokens).toBeLessThan(1_200_000);
  });

  test('need a model that exists', async () => {
    expect((await service.post('/v1/messages/count_tokens', { model: 'nope', messages })).status).toBe(404);
  });
});

describe('models', () => {
  const list = async (query: string) => {
    const response = await service.get(`/v1/models${query}`, { headers: { 'anthropic-version': '2023-06-01' } });
    expect(response.status).toBe(200);
    return (await response.json()) as { data: readonly JsonObject[]; has_more: boolean };
  };

  test('are listed in pages', async () => {
    const all = await list('');
    const ids = all.data.map(({ id }) => String(id));
    expect(ids).toEqual([MODEL, 'vendor/deep/model:free', CLAUDE]);
    expect(all).toMatchObject({ has_more: false, first_id: ids[0], last_id: ids[2] });
    expect(all.data[0]).toEqual({
      type: 'model',
      id: MODEL,
      display_name: 'Fake Model',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      max_input_tokens: 8192,
      ...{ max_tokens: null, capabilities: null, lifecycle: null, line: null },
    });
    const pages: [string, (string | undefined)[], boolean][] = [
      ['?limit=2', [ids[0], ids[1]], true],
      [`?limit=2&after_id=${ids[1]}`, [ids[2]], false],
      [`?limit=1&after_id=${ids[0]}`, [ids[1]], true],
      [`?limit=1&before_id=${ids[2]}`, [ids[1]], true],
      [`?limit=5&before_id=${ids[2]}`, [ids[0], ids[1]], false],
      [`?after_id=${ids[2]}`, [], false],
    ];
    for (const [query, expected, hasMore] of pages) {
      const page = await list(query);
      expect([query, page.data.map(({ id }) => id), page.has_more]).toEqual([query, expected, hasMore]);
    }
  });

  test('may have slashes in their ids', async () => {
    const response = await service.get('/ai/anthropic/v1/models/vendor/deep/model:free');
    expect([response.status, await response.json()]).toMatchObject([
      200,
      { id: 'vendor/deep/model:free', type: 'model' },
    ]);
  });

  test.each(['?limit=0', '?limit=x', '?limit=1001', '?after_id=nope', '?before_id=nope', '?after_id=a&after_id=b'])(
    'refuse %s',
    async (query) => {
      const response = await service.get(`/ai/anthropic/models${query}`);
      expect([response.status, await response.json()]).toMatchObject([400, { type: 'error' }]);
    },
  );
});

test('a client may check whether the service is there', async () => {
  expect((await fetch(`${service.url}/`, { method: 'HEAD' })).status).toBe(200);
});
