import { describe, expect, it } from 'vitest';
import type { ChatMessage, ChatRequest } from '../../../../../../src/core/models/index.ts';
import type { ModelFacts } from '../../../../../../src/protocols/anthropic-messages/model-facts.ts';
import {
  toCountedBody,
  toMessagesRequest,
} from '../../../../../../src/protocols/anthropic-messages/request/print-request.ts';

const HELLO: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'hello' }], maxOutputTokens: 2000 };
const USER = { role: 'user', content: [{ type: 'text', text: 'hello' }] };
const bodyOf = (fields: Partial<ChatRequest>, facts?: ModelFacts) =>
  toMessagesRequest({ ...HELLO, ...fields }, facts).body;
const messagesOf = (...messages: ChatMessage[]) => bodyOf({ messages })['messages'];
const waysOf = (fields: Partial<ChatRequest>, facts?: ModelFacts) =>
  toMessagesRequest({ ...HELLO, ...fields }, facts).parameters.flatMap(({ ways }) => ways);

describe('a request to Anthropic', () => {
  it('has all fields of the typed one, and nothing else', () => {
    const request: ChatRequest = {
      model: 'm',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'What is it?' },
      ],
      tools: [
        { name: 'look', description: 'Looks', parameters: { properties: { at: {} } }, isStrict: true },
        { name: 'wait' },
      ],
      toolChoice: { name: 'look' },
      allowsParallelToolCalls: false,
      responseFormat: { type: 'json', name: 'answer', description: 'An answer', schema: { type: 'object' } },
      sampling: { temperature: 0.2, topP: 0.9, stop: ['END'] },
      maxOutputTokens: 5,
      choiceCount: 1,
    };
    expect(toMessagesRequest(request, undefined)).toEqual({
      body: {
        model: 'm',
        max_tokens: 5,
        system: [{ type: 'text', text: 'Be brief.' }],
        messages: [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }] }],
        tools: [
          {
            name: 'look',
            description: 'Looks',
            input_schema: { type: 'object', properties: { at: {} } },
            strict: true,
          },
          { name: 'wait', input_schema: { type: 'object' } },
        ],
        tool_choice: { type: 'tool', name: 'look', disable_parallel_tool_use: true },
        stop_sequences: ['END'],
        temperature: 0.2,
        top_p: 0.9,
        output_config: {
          format: { type: 'json_schema', schema: { description: 'An answer', type: 'object' } },
        },
      },
      parameters: [],
    });
    expect(bodyOf({})).toEqual({ model: 'm', max_tokens: 2000, messages: [USER] });
  });

  it.each([
    ['auto', undefined, { type: 'auto' }],
    ['required', undefined, { type: 'any' }],
    ['none', false, { type: 'none' }],
    [undefined, false, { type: 'auto', disable_parallel_tool_use: true }],
    [undefined, undefined, undefined],
  ] as const)('with the tool choice %s and parallel calls %s chooses %j', (toolChoice, parallel, expected) => {
    const tools = [{ name: 'f' }];
    expect(bodyOf({ tools, toolChoice, allowsParallelToolCalls: parallel })['tool_choice']).toEqual(expected);
  });

  it('has no tool choice without tools, unless a call is demanded', () => {
    expect(bodyOf({ toolChoice: 'none', allowsParallelToolCalls: false })).not.toHaveProperty('tool_choice');
    expect(bodyOf({ toolChoice: 'required' })['tool_choice']).toEqual({ type: 'any' });
  });

  it('has all system messages in front', () => {
    const { system, messages } = bodyOf({
      messages: [
        { role: 'system', content: 'one' },
        { role: 'user', content: 'hello' },
        { role: 'system', content: [{ type: 'text', text: 'two' }] },
      ],
    });
    expect(system).toEqual([
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ]);
    expect(messages).toEqual([USER]);
  });

  it('joins messages of one role, and the results of all calls, into turns', () => {
    const calls = [
      { id: 'call:1', name: 'f', arguments: '{"a":1}' },
      { id: 'c2', name: 'g', arguments: '' },
    ];
    expect(
      messagesOf(
        { role: 'user', content: 'one' },
        { role: 'user', content: 'two' },
        { role: 'assistant', content: 'Let me see.', toolCalls: calls },
        { role: 'tool', toolCallId: 'call:1', content: 'first' },
        { role: 'tool', toolCallId: 'c2', content: '' },
        { role: 'user', content: 'And?' },
        { role: 'assistant', content: '' },
      ),
    ).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'one' },
          { type: 'text', text: 'two' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Let me see.' },
          { type: 'tool_use', id: 'call_1', name: 'f', input: { a: 1 } },
          { type: 'tool_use', id: 'c2', name: 'g', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'call_1', content: [{ type: 'text', text: 'first' }] },
          { type: 'tool_result', tool_use_id: 'c2' },
          { type: 'text', text: 'And?' },
        ],
      },
    ]);
  });

  it.each([
    [
      { type: 'image', url: 'data:image/jpg;base64,AAAA' },
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'AAAA' } },
    ],
    [
      { type: 'image', url: 'https://x.example/a.png' },
      { type: 'image', source: { type: 'url', url: 'https://x.example/a.png' } },
    ],
    [
      { type: 'file', url: 'data:application/pdf;base64,JVBE', name: 'a.pdf' },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' }, title: 'a.pdf' },
    ],
    [
      { type: 'file', url: 'https://x.example/a.pdf' },
      { type: 'document', source: { type: 'url', url: 'https://x.example/a.pdf' } },
    ],
    [
      { type: 'file', url: `data:text/csv;charset=utf-8;base64,${Buffer.from('é;1').toString('base64')}` },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'é;1' } },
    ],
    [
      { type: 'file', url: 'data:image/png;base64,AAAA', name: 'a.png' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
    ],
    [
      { type: 'other', native: { type: 'refusal', refusal: 'No.' } },
      { type: 'text', text: 'No.' },
    ],
  ] as const)('has for the part %j the block %j', (part, block) => {
    expect(messagesOf({ role: 'user', content: [part] })).toEqual([{ role: 'user', content: [block] }]);
  });

  it('keeps the body of a Messages client, except for the model', () => {
    const body = { model: 'alias', max_tokens: 1, x_unknown: [1, null], messages: [], stream: true };
    expect(bodyOf({ native: { dialect: 'messages', body } })).toEqual({ ...body, model: 'm', stream: undefined });
    expect(Object.keys(bodyOf({ native: { dialect: 'messages', body } }))).toEqual(
      Object.keys(body).filter((field) => field !== 'stream'),
    );
  });

  it('keeps harmless settings where the API has them, and the settings of the API itself', () => {
    const extraFields = {
      ...{ user: 'u1', metadata: { a: 'b' }, store: true, service_tier: 'default', logprobs: false, top_logprobs: 0 },
      ...{ frequency_penalty: 0, logit_bias: {}, verbosity: 'medium', modalities: ['text'], prompt_cache_key: 'k' },
      ...{ top_k: 5, cache_control: { type: 'ephemeral' } },
    };
    expect(bodyOf({ extraFields })).toEqual({
      ...bodyOf({}),
      metadata: { user_id: 'u1' },
      service_tier: 'standard_only',
      top_k: 5,
      cache_control: { type: 'ephemeral' },
    });
    const thinking = { type: 'adaptive' };
    expect(bodyOf({ extraFields: { top_k: 5, thinking } })).toEqual({ ...bodyOf({}), thinking });
    expect(bodyOf({ hints: { user: 'u1', prompt_cache_key: 'k' } })).toEqual({
      ...bodyOf({}),
      metadata: { user_id: 'u1' },
    });
    expect(bodyOf({ extraFields: { user: 'u1', safety_identifier: 's1' } })['metadata']).toEqual({ user_id: 's1' });
  });

  it.each<[string, Partial<ChatRequest>]>([
    ['n', { choiceCount: 2 }],
    ['seed', { sampling: { seed: 7 } }],
    ['response_format', { responseFormat: { type: 'json' } }],
    ['logprobs', { extraFields: { logprobs: true } }],
    ['top_logprobs', { extraFields: { top_logprobs: 3 } }],
    ['logit_bias', { extraFields: { logit_bias: { 50256: -100 } } }],
    ['presence_penalty', { extraFields: { presence_penalty: 0.5 } }],
    ['verbosity', { extraFields: { verbosity: 'low' } }],
    ['modalities', { extraFields: { modalities: ['text', 'audio'] } }],
    ['web_search_options', { extraFields: { web_search_options: {} } }],
    ['__proto__', { extraFields: JSON.parse('{"__proto__": 1}') }],
    ['thinking', { extraFields: { thinking: { type: 'adaptive' } }, reasoningEffort: 'low' }],
    ['reasoning_effort', { reasoningEffort: 'high', maxOutputTokens: 1024 }],
    ['messages', { messages: [{ role: 'user', content: [{ type: 'other', native: { type: 'input_audio' } }] }] }],
    ['messages', { messages: [{ role: 'user', content: [{ type: 'image', url: 'data:image/png,raw' }] }] }],
    ['messages', { messages: [{ role: 'user', content: [{ type: 'file', url: 'data:video/mp4;base64,AA' }] }] }],
    ['messages', { messages: [{ role: 'user', content: ' \n' }] }],
    [
      'messages',
      {
        messages: [
          { role: 'assistant', content: 'Hello!' },
          { role: 'user', content: '' },
        ],
      },
    ],
  ])('is refused for %s, which the API does not have', (param, fields) => {
    const facts = { maxOutputTokens: 8192, thinkingTypes: new Set(['enabled']), acceptsEffort: false };
    expect(() => bodyOf(fields, facts)).toThrow(
      expect.objectContaining({ name: 'UntranslatableError', details: expect.objectContaining({ param }) }),
    );
  });

  it('has arguments that are not JSON as the API advises', () => {
    const toolCalls = [{ id: 'c', name: 'f', arguments: '{"a":' }];
    expect(messagesOf({ role: 'user', content: 'hi' }, { role: 'assistant', content: '', toolCalls })).toMatchObject([
      { role: 'user' },
      { content: [{ type: 'tool_use', input: { INVALID_JSON: '{"a":' } }] },
    ]);
  });

  it('is counted without the settings of the answer', () => {
    const request = { ...HELLO, sampling: { temperature: 1 }, reasoningEffort: 'low', tools: [{ name: 'f' }] };
    expect(Object.keys(toCountedBody(request))).toEqual(['model', 'messages', 'tools']);
    const body = { model: 'x', messages: [], odd: 1 };
    expect(toCountedBody({ ...request, native: { dialect: 'messages', body } })).toEqual({ ...body, model: 'm' });
  });
});

describe('the tokens of an answer', () => {
  it('are at most those of the model, or the usual ones if they are unknown', () => {
    const unset = { maxOutputTokens: undefined };
    expect(waysOf(unset)).toEqual([{ max_tokens: 32_000 }, { max_tokens: 8192 }, { max_tokens: 4096 }]);
    const facts = { maxOutputTokens: 64_000, thinkingTypes: undefined, acceptsEffort: undefined };
    expect(waysOf(unset, facts)).toEqual([{ max_tokens: 64_000 }]);
    expect(waysOf({})).toEqual([]);
  });
});

describe('an effort of reasoning', () => {
  const adaptive = { thinkingTypes: new Set(['adaptive', 'enabled', 'disabled']), acceptsEffort: true };
  const manual = { thinkingTypes: new Set(['enabled', 'disabled']), acceptsEffort: false };
  const always = { thinkingTypes: new Set(['adaptive']), acceptsEffort: true };
  const quiet = { thinkingTypes: new Set(['adaptive', 'between_tools']), acceptsEffort: true };
  const ADAPTIVE = { thinking: { type: 'adaptive', display: 'summarized' } };
  it.each([
    ['high', adaptive, [{ ...ADAPTIVE, output_config: { effort: 'high' } }]],
    ['minimal', adaptive, [{ ...ADAPTIVE, output_config: { effort: 'low' } }]],
    ['medium', manual, [{ thinking: { type: 'enabled', budget_tokens: 1024 } }]],
    ['high', manual, [{ thinking: { type: 'enabled', budget_tokens: 1600 } }]],
    [
      'high',
      undefined,
      [{ ...ADAPTIVE, output_config: { effort: 'high' } }, { thinking: { type: 'enabled', budget_tokens: 1600 } }],
    ],
    ['none', manual, [{ thinking: { type: 'disabled' } }]],
    ['none', quiet, [{ thinking: { type: 'between_tools' } }]],
    ['none', undefined, [{ thinking: { type: 'disabled' } }, { thinking: { type: 'between_tools' } }]],
  ])('%s becomes what the model takes', (reasoningEffort, facts, ways) => {
    expect(waysOf({ reasoningEffort }, facts && { maxOutputTokens: 64_000, ...facts })).toEqual(ways);
  });

  it('none is refused for a model that always reasons', () => {
    const facts = { maxOutputTokens: 64_000, ...always };
    expect(() => waysOf({ reasoningEffort: 'none' }, facts)).toThrow('always reasons');
  });

  it('that is optional is left out if the model does not have it', () => {
    const optional = ['reasoningEffort'] as const;
    const facts = { maxOutputTokens: 64_000, ...always };
    expect(waysOf({ reasoningEffort: 'none', optional }, facts)).toEqual([]);
    expect(waysOf({ reasoningEffort: 'low', optional, extraFields: { thinking: { type: 'adaptive' } } })).toEqual([]);
  });

  it('keeps the format of the answer beside it', () => {
    const responseFormat = { type: 'json', schema: { type: 'object' } } as const;
    expect(waysOf({ reasoningEffort: 'low', responseFormat }, { maxOutputTokens: 9000, ...adaptive })[0]).toMatchObject(
      {
        output_config: { effort: 'low', format: { schema: { type: 'object' } } },
      },
    );
  });
});
