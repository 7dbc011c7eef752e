import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  answerJson,
  openAiError,
  sseEvent,
  streamEventsOf,
  streamRaw,
} from '../../../../../support/hosts/fake-provider.ts';
import {
  drain,
  helloBody,
  helloRequest,
  noAbort,
  type ProviderUnderTest,
  startProviderUnderTest,
} from '../../../../../support/hosts/provider-under-test.ts';

const chunk = (choice: object, fields: object = {}) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, ...choice }],
  ...fields,
});
const delta = (content: string) => sseEvent(chunk({ delta: { content }, finish_reason: null }));
const END = sseEvent(chunk({ delta: {}, finish_reason: 'stop' }));
const DONE = 'data: [DONE]\n\n';

describe('a stream of an OpenAI-compatible provider', () => {
  let host: ProviderUnderTest['host'];
  let provider: ProviderUnderTest['provider'];
  let close: ProviderUnderTest['close'];
  beforeEach(async () => {
    ({ host, provider, close } = await startProviderUnderTest());
  });
  afterEach(() => close());
  const open = (fields = {}) => provider.chat.stream(helloRequest(fields), noAbort());

  it('keeps the text of events in any notation', async () => {
    const odd =
      'data: {"id" : "x","choices":[ {"delta":{"content":"\\u0041 \\"usage\\": {} é"},"index":0} ], "extra":1.50}\n\n';
    host.behave(streamRaw([delta('a'), odd, END, DONE]));
    const { text, events, failure } = await drain(await open());
    expect([text, failure]).toEqual([delta('a') + odd + END, undefined]);
    expect(events[1]?.parts).toEqual([{ type: 'text-delta', choice: 0, text: 'A "usage": {} é' }]);
  });

  it('reads many events of one network read', async () => {
    const many = Array.from({ length: 200 }, (_, index) => delta(`word ${index} `)).join('');
    host.behave(streamRaw([many + END + DONE]));
    const stream = await open();
    const { text } = await drain(stream);
    expect(text).toBe(many + END);
    expect(stream.outcome.deltaCount).toBe(200);
  });

  it('yields between many events of one network read', async () => {
    host.behave(streamRaw([delta('a').repeat(5000) + END + DONE]));
    const stream = await open();
    let turn = 0;
    const eventsOfTurn = new Map<number, number>();
    const count = () => {
      turn += 1;
      immediate = setImmediate(count);
    };
    let immediate = setImmediate(count);
    for await (const _ of stream) eventsOfTurn.set(turn, (eventsOfTurn.get(turn) ?? 0) + 1);
    clearImmediate(immediate);
    expect(Math.max(...eventsOfTurn.values())).toBeLessThanOrEqual(200);
  });

  it('joins events that are split anywhere, even inside a character', async () => {
    const bytes = Buffer.from(delta('щи да каша 🦊') + END + DONE);
    const pieces = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
    host.behave(streamRaw(pieces, { everyMs: 0 }));
    expect((await drain(await open())).text).toBe(delta('щи да каша 🦊') + END);
  });

  it('drops comments and normalises unusual events', async () => {
    const spread =
      'event: message\r\nid: 1\r\ndata:{"choices":\r\ndata: [{"index":0,"delta":{"content":"b"}}]}\r\n\r\n';
    host.behave(
      streamRaw([': PROCESSING\n\n', delta('a'), ': PROCESSING\n\n', spread, END.replaceAll('\n', '\r\n'), DONE]),
    );
    const plain = 'data: {"choices": [{"index":0,"delta":{"content":"b"}}]}\n\n';
    expect((await drain(await open())).text).toBe(delta('a') + plain + END);
  });

  it('requests and records usage, whatever the client requested', async () => {
    const stream = await open();
    const { events } = await drain(stream);
    expect(host.chatRequests[0]?.body.stream_options).toEqual({ include_usage: true });
    expect(events.at(-1)?.parts).toEqual([{ type: 'usage', usage: { promptTokens: 5, completionTokens: 4 } }]);
    expect(stream.outcome.usage).toEqual({ promptTokens: 5, completionTokens: 4 });
  });

  it('forwards other stream options', async () => {
    await drain(await open({ stream_options: { include_usage: false, include_obfuscation: false } }));
    expect(host.chatRequests[0]?.body.stream_options).toEqual({ include_usage: true, include_obfuscation: false });
  });

  it("reads usage from a last chunk with choices and from Groq's own field", async () => {
    const groq = sseEvent(
      chunk(
        { delta: {}, finish_reason: 'stop' },
        { x_groq: { usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } } },
      ),
    );
    host.behave(streamRaw([delta('a'), groq, DONE]));
    const stream = await open();
    expect((await drain(stream)).text).toBe(delta('a') + groq);
    expect(stream.outcome.usage).toEqual({ promptTokens: 3, completionTokens: 2 });
  });

  it('counts reasoning that is only in the total, as at Google', async () => {
    const usage = { prompt_tokens: 20, completion_tokens: 151, total_tokens: 553 };
    host.behave(streamRaw([delta('a'), sseEvent(chunk({ delta: {}, finish_reason: 'stop' }, { usage })), DONE]));
    const stream = await open();
    await drain(stream);
    expect(stream.outcome.usage).toEqual({ promptTokens: 20, completionTokens: 533 });
  });

  it('omits stream_options if the host does not support them, and remembers that', async () => {
    host.behaveUsually(async (exchange) => {
      if ('stream_options' in exchange.request.body) {
        return answerJson(400, openAiError('Unrecognized request argument supplied: stream_options'))(exchange);
      }
      return streamRaw(streamEventsOf(exchange.request))(exchange);
    });
    const first = await open({ stream_options: { include_usage: true } });
    expect((await drain(first)).failure).toBeUndefined();
    expect(first.outcome.usage).toBeUndefined();
    await drain(await open());
    expect(host.chatRequests.map(({ body }) => 'stream_options' in body)).toEqual([true, false, false]);
  });

  it('forwards every other field unchanged', async () => {
    const fields = {
      tools: [{ type: 'function', function: { name: 'f' } }],
      temperature: 0.1,
      x_unknown: { deep: [1, null] },
    };
    await drain(await open(fields));
    const { stream, stream_options: _, ...rest } = host.chatRequests[0]?.body ?? {};
    expect(stream).toBe(true);
    expect(rest).toEqual(helloBody(fields));
  });

  it('ends normally without [DONE] after a finish reason, and without the last blank line', async () => {
    host.behave(streamRaw([delta('a'), END]), streamRaw([delta('a'), END.trimEnd()]));
    for (let turn = 0; turn < 2; turn++) {
      const stream = await open();
      expect(await drain(stream)).toMatchObject({ text: delta('a') + END, failure: undefined });
      expect(stream.outcome.finishReason).toBe('stop');
    }
  });

  it('ends normally when the connection closes after the last finish reason, but not before', async () => {
    host.behave(streamRaw([delta('a'), END], { end: 'cut' }));
    expect(await drain(await open())).toMatchObject({ text: delta('a') + END, failure: undefined });
    host.behave(streamRaw([delta('a'), END], { end: 'cut' }));
    expect((await drain(await open({ n: 2 }))).failure).toMatchObject({ name: 'ProviderStreamError' });
    const second = sseEvent(chunk({ index: 1, delta: {}, finish_reason: 'stop' }));
    host.behave(streamRaw([delta('a'), END, second]));
    expect((await drain(await open({ n: 2 }))).failure).toBeUndefined();
  });

  it('ends with [DONE] even without a finish reason while the host keeps the connection open', async () => {
    host.behave(streamRaw([delta('a'), DONE], { end: 'hang' }));
    const stream = await open();
    expect(await drain(stream)).toMatchObject({ text: delta('a'), failure: undefined });
    expect(stream.outcome.finishReason).toBe('stop');
    await host.chatRequests[0]?.closed;
  });

  it("keeps Azure's first event with empty choices", async () => {
    const filter = sseEvent({ id: '', object: '', model: '', choices: [], prompt_filter_results: [] });
    host.behave(streamRaw([filter, delta('a'), END, DONE]));
    expect((await drain(await open())).text).toBe(filter + delta('a') + END);
  });

  it('converts an answer without streaming into a stream', async () => {
    const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } };
    const completion = {
      id: 'chatcmpl-2',
      object: 'chat.completion',
      created: 5,
      model: 'm',
      choices: [
        { index: 0, message: { role: 'assistant', content: 'hi', tool_calls: [call] }, finish_reason: 'tool_calls' },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
    };
    host.behave(answerJson(200, completion));
    const stream = await open();
    const { events } = await drain(stream);
    expect(events).toEqual([
      {
        parts: [
          { type: 'text-delta', choice: 0, text: 'hi' },
          { type: 'tool-call-delta', choice: 0, index: 0, id: 'c1', name: 'f', arguments: '{}', native: {} },
          { type: 'finish', choice: 0, reason: 'tool_calls' },
          { type: 'usage', usage: { promptTokens: 1, completionTokens: 2 } },
        ],
      },
    ]);
    expect(stream.outcome).toMatchObject({
      id: 'chatcmpl-2',
      createdAt: 5,
      reportedModel: 'm',
      finishReason: 'tool_calls',
      usage: { promptTokens: 1, completionTokens: 2 },
    });
  });

  it('reuses its connections', async () => {
    for (let turn = 0; turn < 20; turn++) await drain(await open());
    // A second one may be opened while the first is only just becoming free.
    expect(host.openSockets()).toBeLessThan(4);
  });
});
