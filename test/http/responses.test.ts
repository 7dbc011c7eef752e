import { afterEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { readResponseEvents } from '../support/clients/stream-events.ts';
import { MODEL, startHttpService, UPSTREAM_KEY } from '../support/harness/http.ts';
import {
  answerHello,
  answerJson,
  answerWith,
  die,
  openAiError,
  sseEvent,
  streamDeltas,
  streamRaw,
} from '../support/hosts/fake-provider.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const PATH = '/ai/openai/responses';

const service = startBeforeAll(() => startHttpService());
afterEach(() => service.provider.behaveUsually(answerHello()));

const ask = (fields: JsonObject) => service.post(PATH, { model: MODEL, input: 'Hi', ...fields });
const askWell = async (fields: JsonObject) => {
  const response = await ask(fields);
  expect(response.status).toBe(200);
  return (await response.json()) as JsonObject & { output: readonly JsonObject[] };
};
const stream = async (fields: JsonObject = {}) =>
  readResponseEvents(await (await ask({ ...fields, stream: true })).text());
const seen = () => service.provider.chatRequests.at(-1)?.body ?? {};

const WEATHER = { type: 'function', name: 'weather', description: 'Weather of a city', parameters: { type: 'object' } };
const PATCH = { type: 'custom', name: 'apply_patch', description: 'Edits files' };
const callWeather = (id: string, city: string) => ({
  id,
  type: 'function',
  function: { name: 'weather', arguments: JSON.stringify({ city }) },
});

test('a long text is repeated in the last events without being held several times', async () => {
  const piece = 'ж"\n'.repeat(100_000);
  service.provider.behave(streamDeltas(Array.from({ length: 20 }, () => ({ content: piece }))));
  const events = await stream();
  const whole = piece.repeat(20);
  const texts = [
    events.find(({ type }) => type === 'response.output_text.done')?.['text'],
    ...JSON.stringify(events.at(-1))
      .matchAll(/"text":"((?:[^"\\]|\\.)*)"/g)
      .map(([, text]) => JSON.parse(`"${text}"`)),
  ];
  expect(texts).toHaveLength(2);
  expect(texts.every((text) => text === whole)).toBe(true);
  expect(events.map((event) => event['sequence_number'])).toEqual([...events.keys()]);
  expect(events.at(-1)?.type).toBe('response.completed');
});

describe('input reaches the provider', () => {
  test.each(['/v1/responses', '/ai/openai/v1/responses', `${PATH}/`])('at %s', async (path) => {
    expect((await service.post(path, { model: MODEL, input: 'Hi' })).status).toBe(200);
    expect(seen().messages).toEqual([{ role: 'user', content: 'Hi' }]);
    expect(service.provider.chatRequests.at(-1)?.headers.authorization).toBe(`Bearer ${UPSTREAM_KEY}`);
  });

  test('with instructions and system messages at the beginning as one message', async () => {
    await askWell({
      instructions: 'Be brief.',
      input: [
        { role: 'developer', content: [{ type: 'input_text', text: 'Be kind.' }] },
        { role: 'user', content: 'Hi' },
        { role: 'system', content: 'Later.' },
      ],
    });
    expect(seen().messages).toEqual([
      { role: 'system', content: 'Be brief.\n\nBe kind.' },
      { role: 'user', content: 'Hi' },
      { role: 'system', content: 'Later.' },
    ]);
  });

  test('with images and files', async () => {
    const image = 'data:image/png;base64,iVBORw0KGgo=';
    await askWell({
      input: [
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'What is this?' },
            { type: 'input_image', image_url: image, detail: 'low' },
            { type: 'input_image', image_url: 'https://example.com/a.png' },
            { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERg==' },
          ],
        },
      ],
    });
    expect(seen().messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: image, detail: 'low' } },
          { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERg==' } },
        ],
      },
    ]);
  });

  test('with settings under the names of chat completions', async () => {
    await askWell({
      temperature: 0.5,
      top_p: 0.9,
      max_output_tokens: 50,
      parallel_tool_calls: false,
      tools: [{ ...WEATHER, strict: true }],
      tool_choice: 'required',
      reasoning: { effort: 'low', summary: 'auto' },
      text: {
        format: { type: 'json_schema', name: 'city', schema: { type: 'object' }, strict: true },
        verbosity: 'low',
      },
      presence_penalty: 0.1,
      service_tier: 'flex',
      user: 'u',
      prompt_cache_key: 'k',
      top_k: 5,
      seed: 7,
      stop: 'END',
      metadata: { a: 'b' },
      store: true,
      stream_options: { include_obfuscation: false },
      client_metadata: { installation: 'i' },
    });
    const { messages: _messages, ...settings } = seen();
    expect(settings).toEqual({
      model: MODEL,
      temperature: 0.5,
      top_p: 0.9,
      max_tokens: 50,
      parallel_tool_calls: false,
      tools: [
        {
          type: 'function',
          function: {
            name: 'weather',
            description: 'Weather of a city',
            parameters: { type: 'object', properties: {} },
            strict: true,
          },
        },
      ],
      tool_choice: 'required',
      reasoning_effort: 'low',
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'city', schema: { type: 'object' }, strict: true },
      },
      verbosity: 'low',
      presence_penalty: 0.1,
      service_tier: 'flex',
      user: 'u',
      prompt_cache_key: 'k',
      top_k: 5,
      seed: 7,
      stop: ['END'],
    });
  });

  test('without hints that the provider refuses', async () => {
    service.provider.behave(answerJson(400, openAiError("property 'prompt_cache_key' is unsupported")));
    await askWell({ prompt_cache_key: 'k', user: 'u' });
    expect(seen()).not.toHaveProperty('prompt_cache_key');
    expect(seen()).not.toHaveProperty('user');
  });
});

function listCallIds(output: readonly JsonObject[]): readonly unknown[] {
  return output.flatMap(({ call_id: id }) => (id === undefined ? [] : [id]));
}

describe('tools', () => {
  test('are called, and get their results back with the reasoning that the provider requires', async () => {
    const calls = [callWeather('call_1', 'Oslo'), callWeather('call_2', 'Rome')];
    const message = { role: 'assistant', content: 'Let me see.', reasoning_content: 'Two cities.', tool_calls: calls };
    service.provider.behave(answerWith(message, 'tool_calls'));
    const { output, status } = await askWell({ tools: [WEATHER] });
    expect(status).toBe('completed');
    const ids = listCallIds(output);
    expect(new Set(ids).size).toBe(2);
    expect(output).toEqual([
      {
        id: expect.stringMatching(/^rs_/),
        type: 'reasoning',
        status: 'completed',
        summary: [{ type: 'summary_text', text: 'Two cities.' }],
        content: [{ type: 'reasoning_text', text: 'Two cities.' }],
      },
      expect.objectContaining({ type: 'message', content: [expect.objectContaining({ text: 'Let me see.' })] }),
      {
        id: expect.stringMatching(/^fc_/),
        type: 'function_call',
        status: 'completed',
        call_id: ids[0],
        name: 'weather',
        arguments: '{"city":"Oslo"}',
      },
      expect.objectContaining({ call_id: ids[1] }),
    ]);

    const results = [
      { type: 'function_call_output', call_id: ids[1], output: [{ type: 'input_text', text: 'sun' }] },
      { type: 'function_call_output', call_id: ids[0], output: 'rain' },
    ];
    await askWell({ tools: [WEATHER], input: [{ role: 'user', content: 'Hi' }, ...output, ...results] });
    expect(seen().messages).toEqual([
      { role: 'user', content: 'Hi' },
      { ...message, tool_calls: calls.map((call, at) => ({ ...call, id: ids[at] })) },
      { role: 'tool', tool_call_id: ids[0], content: 'rain' },
      { role: 'tool', tool_call_id: ids[1], content: 'sun' },
    ]);
  });

  test('get the reasoning back from clients that keep only its encrypted form', async () => {
    const message = {
      role: 'assistant',
      content: '',
      reasoning_content: 'Hm.',
      tool_calls: [callWeather('c', 'Oslo')],
    };
    service.provider.behave(answerWith(message, 'tool_calls'));
    const { output } = await askWell({ tools: [WEATHER], include: ['reasoning.encrypted_content'] });
    const [reasoning, call] = output;
    const kept = { type: 'reasoning', summary: [], encrypted_content: reasoning?.['encrypted_content'] };
    const result = { type: 'function_call_output', call_id: call?.['call_id'], output: 'rain' };
    await askWell({ tools: [WEATHER], input: [kept, call, result] });
    expect(seen().messages).toEqual([
      expect.objectContaining({ reasoning_content: 'Hm.' }),
      expect.objectContaining({ role: 'tool' }),
    ]);
  });

  test('get signatures back from clients that keep unknown fields, and from others', async () => {
    const extra = { google: { thought_signature: 'c2ln' } };
    const calls = [{ ...callWeather('c', 'Oslo'), extra_content: extra }];
    service.provider.behave(answerWith({ role: 'assistant', content: null, tool_calls: calls }, 'tool_calls'));
    const { output } = await askWell({ tools: [WEATHER], include: ['reasoning.encrypted_content'] });
    const [call, kept] = output;
    expect(call).toMatchObject({ type: 'function_call', extra_content: extra });
    expect(kept).toMatchObject({ type: 'reasoning', summary: [], encrypted_content: expect.any(String) });
    const { extra_content: _extra, ...strict } = call ?? {};
    const result = { type: 'function_call_output', call_id: call?.['call_id'], output: 'rain' };
    for (const input of [
      [call, result],
      [strict, kept, result],
    ]) {
      await askWell({ tools: [WEATHER], input });
      expect(seen().messages).toMatchObject([{ tool_calls: [{ extra_content: extra }] }, { role: 'tool' }]);
    }
  });

  test('reasoning that the provider does not want back stays with the client', async () => {
    const message = { role: 'assistant', content: '', reasoning: 'Hm.', tool_calls: [callWeather('c', 'Oslo')] };
    service.provider.behave(answerWith(message, 'tool_calls'));
    const { output } = await askWell({ tools: [WEATHER], include: ['reasoning.encrypted_content'] });
    expect(output[0]).not.toHaveProperty('content');
    expect(output[0]).not.toHaveProperty('encrypted_content');
    const result = { type: 'function_call_output', call_id: listCallIds(output)[0], output: 'rain' };
    await askWell({ tools: [WEATHER], input: [...output, result] });
    expect(JSON.stringify(seen().messages)).not.toContain('Hm.');
  });

  test('of type custom are functions with one text', async () => {
    const grammar = { type: 'grammar', syntax: 'lark', definition: 'start: "x"' };
    const tools = [{ ...PATCH, format: grammar }];
    const written = { name: 'apply_patch', arguments: '{"input":"*** Begin"}' };
    const calls = [{ id: 'call_1', type: 'function', function: written }];
    service.provider.behave(answerWith({ role: 'assistant', content: null, tool_calls: calls }, 'tool_calls'));
    const { output } = await askWell({ tools, tool_choice: { type: 'custom', name: 'apply_patch' } });
    const [tool] = seen().tools as readonly { readonly function: JsonObject }[];
    expect(tool?.function['description']).toBe('Edits files\n\nThe input must match this lark grammar:\nstart: "x"');
    expect(tool?.function['parameters']).toMatchObject({ required: ['input'] });
    expect(seen().tool_choice).toEqual({ type: 'function', function: { name: 'apply_patch' } });
    const [id] = listCallIds(output);
    expect(output).toEqual([
      {
        id: expect.stringMatching(/^ctc_/),
        type: 'custom_tool_call',
        status: 'completed',
        call_id: id,
        name: 'apply_patch',
        input: '*** Begin',
      },
    ]);

    await askWell({
      tools,
      input: [...output, { type: 'custom_tool_call_output', call_id: id, output: 'Done' }],
    });
    expect(seen().messages).toEqual([
      { role: 'assistant', content: null, tool_calls: calls.map((call) => ({ ...call, id })) },
      { role: 'tool', tool_call_id: id, content: 'Done' },
    ]);
  });

  test('of a namespace have its name before theirs', async () => {
    const namespace = { type: 'namespace', name: 'agents', description: 'Other agents', tools: [WEATHER] };
    const calls = [{ id: 'c', type: 'function', function: { name: 'agents__weather', arguments: '{}' } }];
    service.provider.behave(answerWith({ role: 'assistant', content: null, tool_calls: calls }, 'tool_calls'));
    const { output } = await askWell({ tools: [namespace] });
    expect(seen().tools).toMatchObject([
      { function: { name: 'agents__weather', description: 'Other agents\n\nWeather of a city' } },
    ]);
    expect(output).toMatchObject([{ type: 'function_call', name: 'weather', namespace: 'agents' }]);
    await askWell({
      tools: [namespace],
      input: [...output, { type: 'function_call_output', call_id: listCallIds(output)[0], output: '' }],
    });
    const [{ function: called } = { function: {} }] = calls;
    expect(seen().messages).toMatchObject([{ tool_calls: [{ function: called }] }, { role: 'tool' }]);
  });

  test('may be in the input, as newer models of Codex get them', async () => {
    const functions = { type: 'namespace', name: 'functions', description: '', tools: [WEATHER, PATCH] };
    const item = { type: 'additional_tools', role: 'developer', tools: [functions] };
    await askWell({ input: [item, { role: 'user', content: 'Hi' }] });
    expect(seen().tools).toMatchObject([{ function: { name: 'weather' } }, { function: { name: 'apply_patch' } }]);
    expect(seen().messages).toEqual([{ role: 'user', content: 'Hi' }]);
  });

  test('are found by a search of the client', async () => {
    const search = {
      type: 'tool_search',
      execution: 'client',
      description: 'Finds tools',
      parameters: { type: 'object' },
    };
    const calls = [{ id: 'c', type: 'function', function: { name: 'tool_search', arguments: '{"query":"weather"}' } }];
    service.provider.behave(answerWith({ role: 'assistant', content: null, tool_calls: calls }, 'tool_calls'));
    const { output } = await askWell({ tools: [search] });
    const [id] = listCallIds(output);
    expect(output).toEqual([
      {
        id: expect.stringMatching(/^tsc_/),
        type: 'tool_search_call',
        execution: 'client',
        status: 'completed',
        call_id: id,
        arguments: { query: 'weather' },
      },
    ]);

    const namespace = { type: 'namespace', name: 'city', description: '', tools: [WEATHER] };
    const found = { type: 'tool_search_output', call_id: id, execution: 'client', tools: [namespace] };
    await askWell({ tools: [search], input: [...output, found] });
    expect(seen().tools).toMatchObject([
      { function: { name: 'tool_search' } },
      { function: { name: 'city__weather' } },
    ]);
    expect(seen().messages).toEqual([
      { role: 'assistant', content: null, tool_calls: calls.map((call) => ({ ...call, id })) },
      { role: 'tool', tool_call_id: id, content: 'These tools are available now: city__weather' },
    ]);
  });

  test('that Codex offers in each request are left out', async () => {
    const { tools } = await askWell({ tools: [WEATHER, { type: 'web_search', external_web_access: false }] });
    expect(seen().tools).toHaveLength(1);
    expect(tools).toEqual([{ ...WEATHER, strict: false }]);
  });

  test('may be limited to those that are allowed', async () => {
    const allowed = { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'weather' }] };
    await askWell({ tools: [WEATHER, PATCH], tool_choice: allowed });
    expect(seen().tools).toMatchObject([{ function: { name: 'weather' } }]);
    expect(seen().tool_choice).toBe('required');
  });
});

describe('a response', () => {
  test('has the settings of its request, usage and the model', async () => {
    const settings = {
      instructions: 'Be brief.',
      metadata: { a: 'b' },
      temperature: 0.5,
      max_output_tokens: 50,
      reasoning: { effort: 'low', summary: null },
      tool_choice: 'none',
      parallel_tool_calls: false,
      text: { format: { type: 'json_object' } },
      user: 'u',
    };
    expect(await askWell(settings)).toMatchObject({
      ...settings,
      id: expect.stringMatching(/^resp_/),
      object: 'response',
      status: 'completed',
      error: null,
      incomplete_details: null,
      model: MODEL,
      usage: {
        input_tokens: 5,
        input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
        output_tokens: 4,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 9,
      },
    });
  });

  test.each([
    ['length', 'max_output_tokens'],
    ['content_filter', 'content_filter'],
  ])('that ends with %s is incomplete', async (finishReason, reason) => {
    service.provider.behave(answerHello({ finishReason }), answerHello({ finishReason }));
    const whole = await askWell({});
    expect(whole).toMatchObject({ status: 'incomplete', completed_at: null, incomplete_details: { reason } });
    expect(whole.output).toMatchObject([{ status: 'incomplete' }]);
    expect((await stream()).at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason } },
    });
  });

  test('contains refusals, sources and log probabilities', async () => {
    const logprobs = [{ token: 'Hi', logprob: -0.1, bytes: [72, 105], top_logprobs: [] }];
    const annotations = [{ type: 'url_citation', url_citation: { url: 'https://a.example', title: 'A' } }];
    service.provider.behave(
      answerWith({ role: 'assistant', content: 'Hi', annotations }, 'stop', { logprobs: { content: logprobs } }),
      answerWith({ role: 'assistant', content: null, refusal: 'No.' }),
    );
    const citation = { type: 'url_citation', start_index: 0, end_index: 2, url: 'https://a.example', title: 'A' };
    const answered = await askWell({ include: ['message.output_text.logprobs'], top_logprobs: 2 });
    expect(seen()).toMatchObject({ logprobs: true, top_logprobs: 2 });
    expect(answered.output).toMatchObject([
      { content: [{ type: 'output_text', text: 'Hi', annotations: [citation], logprobs }] },
    ]);
    expect((await askWell({})).output).toMatchObject([{ content: [{ type: 'refusal', refusal: 'No.' }] }]);
  });

  test('has a message even if the model said nothing', async () => {
    service.provider.behave(answerWith({ role: 'assistant', content: '' }));
    expect((await askWell({})).output).toMatchObject([{ type: 'message', content: [{ text: '' }] }]);
  });
});

describe('a stream', () => {
  test('has the events of a text in order', async () => {
    const events = await stream();
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      ...Array(4).fill('response.output_text.delta'),
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(events.at(-4)).toMatchObject({ text: 'Hello, world!', output_index: 0, content_index: 0 });
    expect(events.at(-1)).toMatchObject({ response: { output: [{ type: 'message' }], usage: { total_tokens: 9 } } });
  });

  test('has the events of reasoning, text, sources and tool calls, even in turns', async () => {
    const fragment = (index: number, fields: JsonObject) => ({ tool_calls: [{ index, ...fields }] });
    const url = (address: string) => ({ type: 'url_citation', url_citation: { url: address } });
    service.provider.behave(
      streamDeltas(
        [
          { reasoning_content: 'H' },
          { reasoning_content: 'm.' },
          { content: '', annotations: [url('https://a.example')] },
          { content: 'Hi' },
          { content: '', annotations: [url('https://a.example'), url('https://b.example')] },
          fragment(0, { id: 'a', function: { name: 'weather', arguments: '{"x"' } }),
          fragment(1, { id: 'b', function: { name: 'apply_patch', arguments: '' } }),
          fragment(0, { function: { arguments: ':1}' } }),
          fragment(1, { function: { arguments: '{"input":"go"}' } }),
        ],
        'tool_calls',
      ),
    );
    const events = await stream({ tools: [WEATHER, PATCH] });
    expect(events.slice(2, -1).map(({ type, output_index }) => [type.slice('response.'.length), output_index])).toEqual(
      [
        ['output_item.added', 0],
        ['reasoning_summary_part.added', 0],
        ['reasoning_summary_text.delta', 0],
        ['reasoning_summary_text.delta', 0],
        ['reasoning_summary_text.done', 0],
        ['reasoning_summary_part.done', 0],
        ['output_item.done', 0],
        ['output_item.added', 1],
        ['content_part.added', 1],
        ['output_text.delta', 1],
        ['output_text.annotation.added', 1],
        ['output_text.annotation.added', 1],
        ['output_text.done', 1],
        ['content_part.done', 1],
        ['output_item.done', 1],
        ['output_item.added', 2],
        ['function_call_arguments.delta', 2],
        ['output_item.added', 3],
        ['function_call_arguments.delta', 2],
        ['function_call_arguments.done', 2],
        ['output_item.done', 2],
        ['custom_tool_call_input.delta', 3],
        ['custom_tool_call_input.done', 3],
        ['output_item.done', 3],
      ],
    );
    const done = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item);
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { output: done } });
    expect(done).toMatchObject([
      { type: 'reasoning', summary: [{ text: 'Hm.' }] },
      { type: 'message', content: [{ annotations: [{ url: 'https://a.example' }, { url: 'https://b.example' }] }] },
      { type: 'function_call', arguments: '{"x":1}' },
      { type: 'custom_tool_call', input: 'go' },
    ]);
  });

  test('has the events of a refusal', async () => {
    service.provider.behave(streamDeltas([{ refusal: 'N' }, { refusal: 'o.' }]));
    const events = await stream();
    expect(events.slice(3, -1).map(({ type }) => type)).toEqual([
      'response.content_part.added',
      'response.refusal.delta',
      'response.refusal.delta',
      'response.refusal.done',
      'response.content_part.done',
      'response.output_item.done',
    ]);
  });

  test.each([
    ['is cut off', 'cut'],
    ['ends without finish reason', 'clean'],
  ] as const)('that %s ends with an error and response.failed', async (_how, end) => {
    const chunk = sseEvent({ id: 'c', choices: [{ index: 0, delta: { content: 'Hel' }, finish_reason: null }] });
    service.provider.behave(streamRaw([chunk], { end }));
    const [error, failed] = (await stream()).slice(-2);
    const facts = { code: 'stream_interrupted', message: expect.stringContaining('incomplete'), param: null };
    expect(error).toMatchObject({ type: 'error', ...facts, error: { type: 'server_error', ...facts } });
    expect(failed).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'server_error' }, output: [{ content: [{ text: 'Hel' }] }] },
    });
  });

  test('of a provider that answers with whole JSON has the same events', async () => {
    service.provider.behave(answerWith({ role: 'assistant', content: 'Hi' }));
    const events = await stream();
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { output: [{ type: 'message' }] } });
  });
});

describe('an error has the shape of the OpenAI API', () => {
  test.each<[string, JsonObject, number, string | null, string]>([
    ['an unknown model', { model: 'nope' }, 404, 'model', 'model_not_found'],
    ['a wrong field', { temperature: 'hot' }, 400, 'temperature', 'invalid_request_error'],
    [
      'an item that is null',
      { input: [{ role: 'user', content: 'Hi' }, null] },
      400,
      'input[1]',
      'invalid_request_error',
    ],
    ['an item that is a text', { input: ['Hi'] }, 400, 'input[0]', 'invalid_request_error'],
    [
      'an unknown response',
      { previous_response_id: 'resp_1' },
      400,
      'previous_response_id',
      'previous_response_not_found',
    ],
    [
      '17 pairs of metadata',
      { metadata: Object.fromEntries('abcdefghijklmnopq'.split('').map((name) => [name, 'x'])) },
      400,
      'metadata',
      'invalid_request_error',
    ],
    ['metadata that is a list', { metadata: ['a'] }, 400, 'metadata', 'invalid_request_error'],
    ['a long value of metadata', { metadata: { a: 'x'.repeat(513) } }, 400, 'metadata.a', 'invalid_request_error'],
    [
      'inputs of custom tools over 4 MiB',
      {
        input: ['a', 'b', 'c'].map((id) => ({
          type: 'custom_tool_call',
          call_id: id,
          name: 'patch',
          input: '"'.repeat(1.5 * 1024 * 1024),
        })),
      },
      400,
      'input',
      'invalid_request_error',
    ],
  ])('for %s', async (_what, fields, status, param, code) => {
    const response = await ask(fields);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({
      error: { message: expect.any(String), type: 'invalid_request_error', param, code },
    });
  });

  test("for a provider's refusal and for its absence", async () => {
    service.provider.behave(answerJson(400, openAiError('too long', 'context_length_exceeded', 'messages')));
    expect(await (await ask({})).json()).toMatchObject({ error: { code: 'context_length_exceeded' } });
    service.provider.behaveUsually(die());
    const response = await ask({ stream: true });
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ error: { code: 'upstream_error' } });
  });
});
