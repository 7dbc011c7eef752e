import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChatPart, ChatRequest } from '../../../../../../src/core/models/index.ts';
import type { JsonObject } from '../../../../../../src/lib/json/json.ts';
import { thinkingBlock } from '../../../../../support/hosts/anthropic-rules.ts';
import { answerMessage, messageEvents, messageOf, messagesEvent } from '../../../../../support/hosts/fake-anthropic.ts';
import { answerJson, answerRaw, type Behaviour, streamRaw } from '../../../../../support/hosts/fake-provider.ts';
import {
  drain,
  helloRequest,
  noAbort,
  type ProviderUnderTest,
  startAnthropicUnderTest,
} from '../../../../../support/hosts/provider-under-test.ts';

let host: ProviderUnderTest['host'];
let provider: ProviderUnderTest['provider'];
let close: ProviderUnderTest['close'];
beforeEach(async () => {
  ({ host, provider, close } = await startAnthropicUnderTest());
});
afterEach(() => close());

const CALL = { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 'the fox' } };
const CONTENT = [thinkingBlock('Hm, a fox.'), { type: 'text', text: 'Let me look.' }, CALL];
const USAGE = {
  ...{ input_tokens: 5, cache_creation_input_tokens: 20, cache_read_input_tokens: 300, output_tokens: 40 },
  cache_creation: { ephemeral_5m_input_tokens: 8, ephemeral_1h_input_tokens: 12 },
  output_tokens_details: { thinking_tokens: 8 },
};
const COUNTS = {
  ...{ promptTokens: 325, completionTokens: 40, cachedTokens: 300, cacheWriteTokens: 20 },
  ...{ cacheWriteHourTokens: 12, reasoningTokens: 8 },
};

describe('a request of a Messages client', () => {
  const body = {
    model: 'alias',
    max_tokens: 64,
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    messages: [{ role: 'user', content: 'Hi, 1.50 \u2028 <é>' }],
    thinking: { type: 'enabled', budget_tokens: 1024 },
    metadata: { user_id: 'u' },
  };
  const headers = { 'anthropic-version': '2026-10-21', 'anthropic-beta': 'a-1,b-2', 'x-secret': 'no' };
  const request: ChatRequest = {
    model: 'fake-model',
    messages: [{ role: 'user', content: 'neutral' }],
    sampling: { seed: 1 },
    native: { dialect: 'messages', body, headers },
  };

  it('reaches the host byte for byte, under the name of the model there', async () => {
    await provider.chat.complete(request, noAbort());
    await drain(await provider.chat.stream(request, noAbort()));
    const expected = { ...body, model: 'fake-model' };
    expect(host.chatRequests.map(({ rawBody }) => rawBody.toString())).toEqual([
      JSON.stringify(expected),
      JSON.stringify({ ...expected, stream: true }),
    ]);
    expect(host.chatRequests[0]?.url).toBe('/v1/messages');
  });

  it('brings version and beta features of the client, beside those of the settings, and no other header', async () => {
    await close();
    const config = { headers: { 'anthropic-beta': 'c-3', 'x-gateway': 'yes' } };
    ({ host, provider, close } = await startAnthropicUnderTest(config));
    await provider.chat.complete(request, noAbort());
    await provider.chat.complete(helloRequest(), noAbort());
    expect(host.chatRequests.map((one) => one.headers)).toMatchObject([
      {
        'anthropic-version': '2026-10-21',
        'anthropic-beta': 'c-3,a-1,b-2',
        'x-gateway': 'yes',
        'x-api-key': 'sk-first-key',
      },
      { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'c-3' },
    ]);
    expect(host.chatRequests[0]?.headers).not.toHaveProperty('x-secret');
    expect(host.chatRequests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('gets the bytes of the answer', async () => {
    const bytes = Buffer.from(
      '{"type": "message","id":"m",  "content":[{"type":"text","text":"\\u0041 1.50"}],"x":1.50}',
    );
    host.behave(answerRaw(200, 'application/json', bytes));
    const completion = await provider.chat.complete(request, noAbort());
    expect(completion.native).toMatchObject({ dialect: 'messages', bytes });
    expect(completion.choices[0]?.text).toBe('A 1.50');
  });

  it('gets the events of the stream, also those of unknown types', async () => {
    const odd = 'event: odd\ndata: {"type" : "odd_event", "x":1.50}\n\n';
    let sent: string[] = [];
    host.behave((exchange) => {
      const [start = '', ...rest] = messageEvents(exchange.request, { content: CONTENT });
      sent = [start, odd, ...rest];
      return streamRaw(sent)(exchange);
    });
    const { events, failure } = await drain(await provider.chat.stream(request, noAbort()));
    expect(failure).toBeUndefined();
    const data = (event: string) => event.slice(event.indexOf('data: ') + 6).trimEnd();
    expect(events.map(({ native }) => native)).toEqual(sent.map((one) => ({ dialect: 'messages', data: data(one) })));
  });

  it('is counted by the host', async () => {
    host.behaveElsewhere(answerJson(200, { input_tokens: 17 }));
    expect(await provider.chat.countPromptTokens?.(request, noAbort())).toBe(17);
    expect(host.requests.at(-1)).toMatchObject({
      url: '/v1/messages/count_tokens',
      body: { ...body, model: 'fake-model' },
      headers: { 'anthropic-beta': 'a-1,b-2' },
    });
    host.behaveElsewhere(answerJson(404, {}));
    expect(await provider.chat.countPromptTokens?.(request, noAbort())).toBeUndefined();
  });
});

describe('an answer of Anthropic', () => {
  const request = helloRequest({ tools: [{ type: 'function', function: { name: 'look' } }] });
  const partsOf = async (behaviour: Behaviour) => {
    host.behave(behaviour);
    const stream = await provider.chat.stream(request, noAbort());
    const { events, failure } = await drain(stream);
    expect(failure).toBeUndefined();
    return { parts: events.flatMap(({ parts }) => parts), outcome: stream.outcome };
  };
  const joined = (parts: readonly ChatPart[], type: 'text-delta' | 'reasoning-delta') =>
    parts.map((part) => (part.type === type ? part.text : '')).join('');

  it('has the same parts as a whole and as a stream', async () => {
    const message = { content: CONTENT, usage: USAGE };
    host.behave(answerMessage(message));
    const { choices, outcome } = await provider.chat.complete(request, noAbort());
    const kept = {
      extra_content: { anthropic: { content: [CONTENT[0], { type: 'text', length: 12 }, { type: 'tool_use' }] } },
    };
    const written = '{"at":"the fox"}';
    expect(choices).toEqual([
      {
        text: 'Let me look.',
        reasoning: 'Hm, a fox.',
        refusal: null,
        toolCalls: [{ id: 'toolu_1', name: 'look', arguments: written, native: kept }],
        sources: undefined,
        finishReason: 'tool_calls',
      },
    ]);
    expect(outcome).toMatchObject({ id: 'msg_fake', reportedModel: 'fake-model', usage: COUNTS });

    const streamed = await partsOf(answerMessage(message));
    expect(joined(streamed.parts, 'text-delta')).toBe('Let me look.');
    expect(joined(streamed.parts, 'reasoning-delta')).toBe('Hm, a fox.');
    const calls = streamed.parts.filter((part) => part.type === 'tool-call-delta');
    expect(calls[0]).toMatchObject({ index: 0, id: 'toolu_1', name: 'look', arguments: '' });
    expect(calls.map((part) => part.arguments).join('')).toBe(written);
    expect(calls.at(-1)?.native).toEqual(kept);
    expect(streamed.parts.slice(-2)).toEqual([
      { type: 'finish', choice: 0, reason: 'tool_calls' },
      { type: 'usage', usage: COUNTS },
    ]);
    expect(streamed.outcome).toMatchObject({ id: 'msg_fake', finishReason: 'tool_calls', usage: COUNTS });
  });

  it('numbers its tool calls, and completes arguments that the host does not stream', async () => {
    const content = [
      { type: 'text', text: 'a' },
      { ...CALL, input: {} },
      { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'x' } },
      { ...CALL, id: 'toolu_2' },
    ];
    const { parts } = await partsOf(answerMessage({ content }));
    const written = new Map<unknown, string>();
    for (const part of parts)
      if (part.type === 'tool-call-delta') written.set(part.index, (written.get(part.index) ?? '') + part.arguments);
    expect([...written]).toEqual([
      [0, '{}'],
      [1, '{"at":"the fox"}'],
    ]);
    const whole = (event: JsonObject) => messagesEvent({ index: 0, ...event });
    const { parts: atOnce } = await partsOf((exchange) => {
      const events = messageEvents(exchange.request, { content: [], stopReason: 'tool_use' });
      events.splice(
        1,
        0,
        whole({ type: 'content_block_start', content_block: CALL }),
        whole({ type: 'content_block_stop' }),
      );
      return streamRaw(events)(exchange);
    });
    expect(atOnce.flatMap((part) => (part.type === 'tool-call-delta' ? part.arguments : []))).toEqual([
      '',
      '{"at":"the fox"}',
    ]);
  });

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['pause_turn', 'length'],
    ['tool_use', 'tool_calls'],
    ['refusal', 'content_filter'],
    ['something_new', 'something_new'],
  ])('that stops with %s has the finish reason %s', async (stopReason, finishReason) => {
    host.behave(answerMessage({ stopReason }));
    expect((await provider.chat.complete(request, noAbort())).choices[0]?.finishReason).toBe(finishReason);
    expect((await partsOf(answerMessage({ stopReason }))).outcome.finishReason).toBe(finishReason);
  });

  it('names the stop sequence that ended it', async () => {
    const message = { stopReason: 'stop_sequence', end: { stop_sequence: 'END' } };
    host.behave(answerMessage(message));
    const { choices } = await provider.chat.complete(request, noAbort());
    expect(choices[0]?.stopSequence).toBe('END');
    const { parts } = await partsOf(answerMessage(message));
    expect(parts).toContainEqual({ type: 'finish', choice: 0, reason: 'stop', stopSequence: 'END' });
  });

  it('explains a refusal', async () => {
    const end = { stop_details: { type: 'refusal', category: 'bio', explanation: 'Not that.' } };
    const message = { stopReason: 'refusal', content: [], end };
    host.behave(answerMessage(message));
    expect((await provider.chat.complete(request, noAbort())).choices[0]?.refusal).toBe('Not that.');
    const { parts } = await partsOf(answerMessage(message));
    expect(parts).toContainEqual({ type: 'refusal-delta', choice: 0, text: 'Not that.' });
  });

  it('has the web pages that it cites as sources', async () => {
    const citation = {
      type: 'web_search_result_location',
      url: 'https://a.example/',
      title: 'A',
      encrypted_index: 'x',
    };
    const text = { type: 'text', text: 'So.', citations: [citation, { type: 'char_location', document_index: 0 }] };
    host.behave(answerMessage({ content: [text] }));
    const { choices } = await provider.chat.complete(request, noAbort());
    expect(choices[0]?.sources).toEqual([{ url: 'https://a.example/', title: 'A' }]);
    const cited = messagesEvent({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'citations_delta', citation },
    });
    const { parts } = await partsOf((exchange) => {
      const events = messageEvents(exchange.request);
      events.splice(3, 0, cited);
      return streamRaw(events)(exchange);
    });
    expect(parts).toContainEqual({ type: 'source', choice: 0, source: { url: 'https://a.example/', title: 'A' } });
  });

  it('without plausible token counts has none', async () => {
    for (const usage of [{ output_tokens: -1 }, { input_tokens: 1e12 }, { cache_read_input_tokens: 'x' }]) {
      host.behave(answerMessage({ usage }));
      expect((await provider.chat.complete(request, noAbort())).outcome.usage).toBeUndefined();
      expect((await partsOf(answerMessage({ usage }))).outcome.usage).toBeUndefined();
    }
  });

  it('may contain junk', async () => {
    host.behave(
      answerJson(200, { content: [null, 5, { type: 'text', text: 5, citations: 'x' }, { type: 'tool_use' }] }),
    );
    expect((await provider.chat.complete(request, noAbort())).choices).toMatchObject([
      {
        text: '5',
        toolCalls: [{ id: expect.stringMatching(/^call_.{22}$/), name: '', arguments: '{}' }],
        finishReason: 'stop',
      },
    ]);
    const junk: JsonObject[] = [
      { type: 'content_block_start' },
      { type: 'content_block_start', index: 0, content_block: { type: 'text' } },
      { type: 'content_block_delta', index: 0, delta: 'x' },
      { type: 'content_block_delta', index: 7, delta: { type: 'text_delta', text: 'lost' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 5 } },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{' } },
      { type: 'content_block_stop' },
      { type: 'message_delta', delta: null, usage: 'x' },
    ];
    const { parts } = await partsOf((exchange) => {
      const events = messageEvents(exchange.request, { content: [] });
      events.splice(1, 0, ...junk.map(messagesEvent));
      return streamRaw(events)(exchange);
    });
    expect(new Set(parts.map(({ type }) => type))).toEqual(new Set(['usage', 'finish']));
  });

  it('as JSON becomes a stream if one was requested', async () => {
    const { parts } = await partsOf((exchange) =>
      answerJson(200, messageOf(exchange.request, { content: CONTENT }))(exchange),
    );
    expect(parts.map(({ type }) => type)).toEqual([
      ...['reasoning-delta', 'text-delta', 'tool-call-delta', 'finish', 'usage'],
    ]);
  });

  it('is complete after its stop reason, even if the connection is cut', async () => {
    const { outcome } = await partsOf((exchange) =>
      streamRaw(messageEvents(exchange.request).slice(0, -1), { end: 'cut' })(exchange),
    );
    expect(outcome.finishReason).toBe('stop');
  });
});
