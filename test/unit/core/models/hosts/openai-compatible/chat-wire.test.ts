import { describe, expect, it } from 'vitest';
import type { ChatRequest } from '../../../../../../src/core/models/index.ts';
import { toChatBody, toFallbackParameters } from '../../../../../../src/protocols/openai-chat/print-request.ts';
import { readChoices, readParts } from '../../../../../../src/protocols/openai-chat/read-answer.ts';
import { answerJson, openAiError } from '../../../../../support/hosts/fake-provider.ts';
import { noAbort, startProviderUnderTest } from '../../../../../support/hosts/provider-under-test.ts';

const HELLO: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'hello' }] };

describe('a typed request', () => {
  it('becomes a body with all its fields, and nothing else', () => {
    const request: ChatRequest = {
      model: 'm',
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image', url: 'data:image/png;base64,AA' },
            { type: 'other', native: { type: 'input_audio', input_audio: { data: 'AA' } } },
          ],
        },
        {
          role: 'assistant',
          content: '',
          reasoning: 'Hm.',
          toolCalls: [{ id: 'c1', name: 'look', arguments: '{}', native: { extra_content: { signature: 's' } } }],
        },
        { role: 'tool', toolCallId: 'c1', content: 'a fox' },
      ],
      tools: [{ name: 'look', description: 'Looks', parameters: { type: 'object' } }],
      toolChoice: { name: 'look' },
      responseFormat: { type: 'json', schema: { type: 'object' } },
      sampling: { temperature: 0.2, topP: 0.9, seed: 7, stop: ['END'] },
      reasoningEffort: 'low',
      maxOutputTokens: 5,
      choiceCount: 2,
    };
    expect(toChatBody(request)).toEqual({
      model: 'm',
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
            { type: 'input_audio', input_audio: { data: 'AA' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          reasoning_content: 'Hm.',
          tool_calls: [
            {
              extra_content: { signature: 's' },
              id: 'c1',
              type: 'function',
              function: { name: 'look', arguments: '{}' },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'a fox' },
      ],
      tools: [
        {
          type: 'function',
          function: { name: 'look', description: 'Looks', parameters: { type: 'object', properties: {} } },
        },
      ],
      tool_choice: { type: 'function', function: { name: 'look' } },
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object' } } },
      temperature: 0.2,
      top_p: 0.9,
      seed: 7,
      stop: ['END'],
      reasoning_effort: 'low',
      n: 2,
    });
    expect(toFallbackParameters(request).at(-1)).toMatchObject({
      ways: [{ max_tokens: 5 }, { max_completion_tokens: 5 }],
    });
    expect(toChatBody(HELLO)).toEqual({ model: 'm', messages: [{ role: 'user', content: 'hello' }] });
  });

  it('of the same dialect keeps the fields of the client except the model name', () => {
    const body = { model: 'alias', messages: [{ role: 'user', content: 'hello', name: 'Ann' }], x_unknown: [1, null] };
    const native = { dialect: 'chat-completions', body: { ...body, stream: true } } as const;
    expect(toChatBody({ ...HELLO, native })).toEqual({ ...body, model: 'm' });
  });

  it('is repeated without an optional setting that the model refuses, and from then on sent without it', async () => {
    const { host, provider, close } = await startProviderUnderTest();
    try {
      host.behave(answerJson(400, openAiError("Unsupported value: 'temperature' does not support 1 with this model.")));
      const request: ChatRequest = {
        ...HELLO,
        sampling: { temperature: 1 },
        maxOutputTokens: 9,
        optional: ['temperature', 'maxOutputTokens'],
      };
      expect(toFallbackParameters(request).map(({ ways }) => ways)).toEqual([
        [{ temperature: 1 }],
        [{ max_tokens: 9 }, { max_completion_tokens: 9 }],
      ]);
      for (let turn = 0; turn < 2; turn++) await provider.chat.complete(request, noAbort());
      expect(host.chatRequests.map(({ body }) => [body.temperature, body.max_tokens])).toEqual([
        [1, 9],
        [undefined, 9],
        [undefined, 9],
      ]);
    } finally {
      await close();
    }
  });

  it('is repeated with the newer name of the maximum length for models that require it, from then on at once', async () => {
    const { host, provider, close } = await startProviderUnderTest();
    try {
      host.behave(
        answerJson(
          400,
          openAiError(
            "'max_tokens' is not supported with this model. Use 'max_completion_tokens'.",
            null,
            'max_tokens',
          ),
        ),
      );
      for (let turn = 0; turn < 2; turn++) await provider.chat.complete({ ...HELLO, maxOutputTokens: 9 }, noAbort());
      expect(host.chatRequests.map(({ body }) => [body.max_tokens, body.max_completion_tokens])).toEqual([
        [9, undefined],
        [undefined, 9],
        [undefined, 9],
      ]);
    } finally {
      await close();
    }
  });

  it('is not repeated without a maximum length that is too large', async () => {
    const { host, provider, close } = await startProviderUnderTest();
    try {
      const tooLarge = 'max_tokens is too large: 90000. This model supports at most 16384 completion tokens.';
      host.behave(answerJson(400, openAiError(tooLarge, null, 'max_tokens')));
      const request: ChatRequest = { ...HELLO, maxOutputTokens: 90_000 };
      await expect(provider.chat.complete(request, noAbort())).rejects.toThrow(tooLarge);
      expect(host.chatRequests).toHaveLength(1);
    } finally {
      await close();
    }
  });

  it('is repeated without a reasoning effort that is optional and refused', async () => {
    const { host, provider, close } = await startProviderUnderTest();
    try {
      host.behave(answerJson(400, openAiError('Unrecognized request argument supplied: reasoning_effort')));
      const request: ChatRequest = { ...HELLO, reasoningEffort: 'high', optional: ['reasoningEffort'] };
      await provider.chat.complete(request, noAbort());
      expect(host.chatRequests.map(({ body }) => body.reasoning_effort)).toEqual(['high', undefined]);
      host.behave(answerJson(400, openAiError("Unsupported value: 'reasoning_effort' does not support 'none'.")));
      await provider.chat.complete({ ...request, reasoningEffort: 'none' }, noAbort());
      expect(host.chatRequests.slice(2).map(({ body }) => body.reasoning_effort)).toEqual(['none', 'minimal']);
    } finally {
      await close();
    }
  });

  it('has images of tool results in a user message after all results', () => {
    const image = { type: 'image', url: 'data:image/png;base64,AA' } as const;
    const toolCalls = ['c1', 'c2'].map((id) => ({ id, name: 'look', arguments: '{}' }));
    const { messages } = toChatBody({
      model: 'm',
      messages: [
        { role: 'assistant', content: '', toolCalls },
        { role: 'tool', toolCallId: 'c1', content: [{ type: 'text', text: 'a fox' }, image] },
        {
          role: 'tool',
          toolCallId: 'c2',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
        },
        { role: 'user', content: 'And?' },
      ],
    });
    expect(messages).toEqual([
      expect.objectContaining({ role: 'assistant' }),
      { role: 'tool', tool_call_id: 'c1', content: 'a fox\nThe result follows in the next user message.' },
      { role: 'tool', tool_call_id: 'c2', content: 'a\nb' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Result of the tool call c1:' },
          { type: 'image_url', image_url: { url: image.url } },
        ],
      },
      { role: 'user', content: 'And?' },
    ]);
  });
});

describe('a completion', () => {
  it('reports the stop sequence where its host does', () => {
    const read = (choice: object) => readChoices({ choices: [{ message: { content: 'a' }, ...choice }] })[0];
    expect(read({ stop_reason: 'END' })).toMatchObject({ finishReason: 'stop', stopSequence: 'END' });
    expect(read({ matched_stop: 'END' })).toMatchObject({ stopSequence: 'END' });
    expect(read({ matched_stop: 151_645 })?.stopSequence).toBeUndefined();
  });
});

it.each([
  [
    { content: null, refusal: 'No' },
    { text: '', refusal: 'No' },
  ],
  [{ content: [{ type: 'refusal', refusal: 'No' }] }, { text: '', refusal: 'No' }],
  [
    { content: 'Well', refusal: '' },
    { text: 'Well', refusal: undefined },
  ],
  [
    { content: 'Well', refusal: null },
    { text: 'Well', refusal: null },
  ],
])('a message %j has this refusal', (message, expected) => {
  expect(readChoices({ choices: [{ message }] })[0]).toMatchObject(expected);
});

describe('a chunk', () => {
  const read = (delta: object, beside: object = {}) => readParts({ choices: [{ index: 0, delta }], ...beside });

  it.each([
    [{ reasoning_content: 'Hm' }, [{ type: 'reasoning-delta', choice: 0, text: 'Hm', mustBeSentBack: true }]],
    [{ reasoning: 'Hm' }, [{ type: 'reasoning-delta', choice: 0, text: 'Hm', mustBeSentBack: false }]],
    [{ refusal: 'No' }, [{ type: 'refusal-delta', choice: 0, text: 'No' }]],
    [{ content: [{ type: 'refusal', refusal: 'No' }] }, [{ type: 'refusal-delta', choice: 0, text: 'No' }]],
    [{ content: [{ type: 'text', text: 'a' }, { text: 'b' }] }, [{ type: 'text-delta', choice: 0, text: 'ab' }]],
    [{ role: 'assistant', content: null }, []],
    [
      { tool_calls: [{ index: 1, id: 'c', function: { name: 'f', arguments: { a: 1 } }, signature: 's' }] },
      [
        {
          ...{ type: 'tool-call-delta', choice: 0, index: 1, id: 'c', name: 'f' },
          ...{ arguments: '{"a":1}', native: { signature: 's' } },
        },
      ],
    ],
  ])('with the delta %j has these parts', (delta, parts) => {
    expect(read(delta)).toEqual(parts);
  });

  it('contains its sources, in any format of a host', () => {
    const annotation = { type: 'url_citation', url_citation: { url: 'https://a.example/', title: 'A' } };
    const beside = { citations: ['https://b.example/', 5], search_results: [{ url: 'https://c.example/' }] };
    const sources = read({ annotations: [annotation] }, beside).flatMap((part) =>
      part.type === 'source' ? part.source : [],
    );
    expect(sources).toEqual([
      { url: 'https://b.example/' },
      { url: 'https://c.example/' },
      { url: 'https://a.example/', title: 'A', native: annotation },
    ]);
  });

  it('tolerates junk', () => {
    for (const chunk of [{}, { choices: 'x' }, { choices: [null, 1] }, { choices: [{ delta: 5, finish_reason: 7 }] }])
      expect(readParts(chunk)).toEqual([]);
  });
});
