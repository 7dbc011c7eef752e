import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BedrockConfig } from '../../../../../../src/core/models/hosts/bedrock/bedrock-config.ts';
import {
  type ChatMessage,
  type ChatPart,
  type ChatRequest,
  ProviderRejectedError,
  ProviderStreamError,
  ProviderTimeoutError,
  ProviderUnavailableError,
} from '../../../../../../src/core/models/index.ts';
import {
  AWS,
  answerEvents,
  CLAUDE,
  type ConverseEvent,
  EVENT_STREAM,
  encodeEvent,
  encodeException,
  endEvents,
  NOVA,
  textEvents,
} from '../../../../../support/hosts/fake-bedrock.ts';
import { answerJson, answerRaw, type Behaviour, die, hang } from '../../../../../support/hosts/fake-provider.ts';
import {
  drain,
  failureOf,
  noAbort,
  type ProviderUnderTest,
  startBedrockUnderTest,
} from '../../../../../support/hosts/provider-under-test.ts';
import { EXHAUSTIVE } from '../../../../../support/vitest/tiers.ts';

let bedrock: ProviderUnderTest;
beforeEach(() => start());
afterEach(() => bedrock.close());

async function start(config?: Partial<BedrockConfig>) {
  bedrock = await startBedrockUnderTest(config);
}
async function restart(config: Partial<BedrockConfig>) {
  await bedrock.close();
  await start(config);
}
const request = (fields: Partial<ChatRequest> = {}): ChatRequest => ({
  model: CLAUDE,
  messages: [{ role: 'user', content: 'hi' }],
  ...fields,
});
const ask = (fields?: Partial<ChatRequest>, signal = noAbort()) =>
  bedrock.provider.chat.complete(request(fields), signal);
const open = (fields?: Partial<ChatRequest>, signal = noAbort()) =>
  bedrock.provider.chat.stream(request(fields), signal);
const behave = (behaviour: Behaviour) => bedrock.host.behaveUsually(behaviour);
async function partsOf(events: readonly ConverseEvent[], fields?: Partial<ChatRequest>): Promise<readonly ChatPart[]> {
  behave(answerEvents(events));
  const { events: read, failure } = await drain(await open(fields));
  expect(failure).toBeUndefined();
  return read.flatMap(({ parts }) => parts);
}

const TOOLS = [{ name: 'weather' }];
const reasoning = (fields: object): ConverseEvent => [
  'contentBlockDelta',
  { contentBlockIndex: 0, delta: { reasoningContent: fields } },
];
const TOOL_EVENTS: readonly ConverseEvent[] = [
  ['messageStart', { role: 'assistant' }],
  reasoning({ text: 'Let me ' }),
  reasoning({ text: 'look.' }),
  reasoning({ signature: 'c2lnbmF0dXJl' }),
  ['contentBlockStop', { contentBlockIndex: 0 }],
  ['contentBlockStart', { contentBlockIndex: 1, start: { toolUse: { toolUseId: 'tooluse_1', name: 'weather' } } }],
  ['contentBlockDelta', { contentBlockIndex: 1, delta: { toolUse: { input: '{"in":' } } }],
  ['contentBlockDelta', { contentBlockIndex: 1, delta: { toolUse: { input: '"Oslo"}' } } }],
  ['contentBlockStop', { contentBlockIndex: 1 }],
  ['contentBlockStart', { contentBlockIndex: 2, start: { toolUse: { toolUseId: 'tooluse_2', name: 'weather' } } }],
  ['contentBlockStop', { contentBlockIndex: 2 }],
  ...endEvents('tool_use', { cacheReadInputTokens: 100, cacheWriteInputTokens: 20 }),
];

describe('an answer of Bedrock', () => {
  it('streams as text, with the usage at the end', async () => {
    expect(await partsOf(textEvents(['Hel', 'lo']))).toEqual([
      { type: 'text-delta', choice: 0, text: 'Hel' },
      { type: 'text-delta', choice: 0, text: 'lo' },
      { type: 'finish', choice: 0, reason: 'stop', stopSequence: undefined },
      { type: 'usage', usage: expect.objectContaining({ promptTokens: 5, completionTokens: 4 }) },
    ]);
  });

  it.each([
    ['max_tokens', 'length'],
    ['stop_sequence', 'stop'],
    ['guardrail_intervened', 'content_filter'],
    ['content_filtered', 'content_filter'],
    ['refusal', 'content_filter'],
    ['model_context_window_exceeded', 'length'],
    ['malformed_tool_use', 'malformed_tool_use'],
  ])('that ends with %s has the finish reason %s', async (stopReason, finishReason) => {
    behave(answerEvents(textEvents(['a'], stopReason)));
    expect(await ask()).toMatchObject({ choices: [{ text: 'a', finishReason }], outcome: { finishReason } });
  });

  it('names the stop sequence that ended it', async () => {
    const [stop, ...rest] = endEvents('stop_sequence');
    const additional = { additionalModelResponseFields: { delta: { stop_sequence: 'END' } } };
    const events: ConverseEvent[] = [
      ...textEvents(['a']).slice(0, -2),
      [stop?.[0] ?? '', { ...stop?.[1], ...additional }],
      ...rest,
    ];
    behave(answerEvents(events));
    expect((await ask()).choices[0]?.stopSequence).toBe('END');
  });

  it('has reasoning, tool calls, and all tokens of the prompt', async () => {
    behave(answerEvents(TOOL_EVENTS));
    const { choices, outcome } = await ask({ tools: TOOLS });
    expect(choices).toEqual([
      {
        text: '',
        reasoning: 'Let me look.',
        toolCalls: [
          { id: 'tooluse_1', name: 'weather', arguments: '{"in":"Oslo"}', native: expect.anything() },
          { id: 'tooluse_2', name: 'weather', arguments: '{}', native: undefined },
        ],
        sources: undefined,
        finishReason: 'tool_calls',
        stopSequence: undefined,
      },
    ]);
    expect(outcome.usage).toMatchObject({
      promptTokens: 125,
      completionTokens: 4,
      cachedTokens: 100,
      cacheWriteTokens: 20,
    });
    const parts = await partsOf(TOOL_EVENTS, { tools: TOOLS });
    expect(parts.filter(({ type }) => type === 'tool-call-delta')).toMatchObject([
      { index: 0, id: 'tooluse_1', name: 'weather', arguments: '' },
      { index: 0, id: undefined, arguments: '{"in":' },
      { index: 0, arguments: '"Oslo"}' },
      { index: 1, id: 'tooluse_2', arguments: '' },
      { index: 1, arguments: '{}' },
    ]);
  });

  it('gets its signed reasoning back with the results of its tool calls, and not later', async () => {
    behave(answerEvents(TOOL_EVENTS));
    const [answer] = (await ask({ tools: TOOLS })).choices;
    const messages: ChatMessage[] = [
      { role: 'user', content: 'weather?' },
      { role: 'assistant', content: answer?.text ?? '', toolCalls: answer?.toolCalls },
      { role: 'tool', toolCallId: 'tooluse_1', content: 'rain' },
      { role: 'tool', toolCallId: 'tooluse_2', content: 'rain' },
    ];
    behave(answerEvents(textEvents()));
    await ask({ tools: TOOLS, messages });
    const kept = { reasoningContent: { reasoningText: { text: 'Let me look.', signature: 'c2lnbmF0dXJl' } } };
    const contentOf = (body: object | undefined) =>
      (body as { messages: { content: object[] }[] }).messages.find((_, index) => index === 1)?.content;
    expect(contentOf(bedrock.host.chatRequests.at(-1)?.body)?.[0]).toEqual(kept);
    await ask({ tools: TOOLS, messages: [...messages, { role: 'user', content: 'thanks' }] });
    expect(contentOf(bedrock.host.chatRequests.at(-1)?.body)?.[0]).toHaveProperty('toolUse');
  });

  it('in JSON is text, even if the model answers by a tool', async () => {
    const events: ConverseEvent[] = [
      ['messageStart', { role: 'assistant' }],
      ['contentBlockStart', { contentBlockIndex: 0, start: { toolUse: { toolUseId: 't', name: 'json' } } }],
      ['contentBlockDelta', { contentBlockIndex: 0, delta: { toolUse: { input: '{"a":1}' } } }],
      ['contentBlockStop', { contentBlockIndex: 0 }],
      ...endEvents('tool_use'),
    ];
    behave(answerEvents(events));
    const schema = { type: 'object', properties: { a: { type: 'number' } } };
    const { choices } = await ask({ model: NOVA, responseFormat: { type: 'json', schema } });
    expect(choices).toMatchObject([{ text: '{"a":1}', toolCalls: [], finishReason: 'stop' }]);
  });

  it('may come in pieces of any size', async () => {
    const bytes = Buffer.concat(
      textEvents().map(([type, payload]) => encodeEvent({ ':message-type': 'event', ':event-type': type }, payload)),
    );
    behave(async ({ response, wait }) => {
      response.writeHead(200, EVENT_STREAM);
      for (let at = 0; at < bytes.length; at += 37) {
        response.write(bytes.subarray(at, at + 37));
        await wait(1);
      }
      response.end();
    });
    expect((await ask()).choices[0]?.text).toBe('Hello, world!');
  });
});

describe('an answer of Bedrock that breaks off', () => {
  const begun = textEvents().slice(0, 3);
  const encoded = begun.map(([type, payload]) =>
    encodeEvent({ ':message-type': 'event', ':event-type': type }, payload),
  );
  const answerThen =
    (end: (response: Parameters<Behaviour>[0]['response']) => void, count = encoded.length): Behaviour =>
    async ({ response, wait }) => {
      response.writeHead(200, EVENT_STREAM);
      for (const bytes of encoded.slice(0, count)) response.write(bytes);
      await wait(20);
      end(response);
    };
  const throttled = encodeException('throttlingException', 'Too many requests, please wait.');

  it.each<[string, Behaviour]>([
    ['the connection is cut', answerThen((response) => response.destroy())],
    ['it ends without a stop reason', answerThen((response) => response.end())],
    ['it ends within an event', answerThen((response) => response.end(encoded[0]?.subarray(0, 20)))],
    ['an event is corrupt', answerThen((response) => response.end(Buffer.alloc(40, 1)))],
    ['AWS throttles it', answerThen((response) => response.end(throttled))],
    [
      'AWS reports an error without a type',
      answerThen((response) => response.end(encodeEvent({ ':message-type': 'error', ':error-code': 'Internal' }, {}))),
    ],
  ])('throws after the delivered parts if %s', async (_case, behaviour) => {
    behave(behaviour);
    const { events, failure } = await drain(await open());
    expect(events.length).toBeGreaterThan(0);
    expect(failure).toBeInstanceOf(ProviderStreamError);
    expect(await failureOf(ask())).toBeInstanceOf(ProviderUnavailableError);
  });

  it.each<[string, Behaviour, object]>([
    ['AWS throttles it', answerThen((response) => response.end(throttled), 1), { status: 429 }],
    ['the connection is cut', answerThen((response) => response.destroy(), 1), {}],
    ['it is empty', answerThen((response) => response.end(), 0), {}],
    ['it is a page', answerRaw(200, 'text/html', Buffer.from('<html>Sign in</html>')), { isBadAnswer: true }],
    ['the connection is closed at once', die(), {}],
  ])('leaves the way open for another provider if nothing was delivered: %s', async (_case, behaviour, facts) => {
    behave(behaviour);
    const error = await failureOf(open());
    expect(error).toBeInstanceOf(ProviderUnavailableError);
    expect(error).toMatchObject(facts);
  });

  it('is limited in size', EXHAUSTIVE, async () => {
    const huge = encodeEvent(
      { ':message-type': 'event', ':event-type': 'contentBlockDelta' },
      { contentBlockIndex: 0, delta: { text: 'x'.repeat(1_000_000) } },
    );
    behave(async ({ response, gone }) => {
      response.writeHead(200, EVENT_STREAM);
      while (!gone.aborted) if (!response.write(huge)) await new Promise((resolve) => response.once('drain', resolve));
    });
    expect(await failureOf(ask())).toMatchObject({ message: expect.stringContaining('too large') });
  });
});

describe('a refusal of Bedrock', () => {
  const refusal = (status: number, type: string, message: string): Behaviour => {
    const answer = answerJson(status, { message });
    return (exchange) => {
      exchange.response.setHeader('x-amzn-errortype', `${type}:http://internal.amazon.com/coral/`);
      return answer(exchange);
    };
  };

  it.each([
    [429, 'ThrottlingException', 'Too many tokens, please wait before trying again.'],
    [503, 'ServiceUnavailableException', 'Bedrock is unable to process your request.'],
    [500, 'InternalServerException', 'The system encountered an unexpected error.'],
    [424, 'ModelErrorException', 'The model returned an error.'],
    [408, 'ModelTimeoutException', 'Processing time exceeded the model timeout length.'],
    [404, 'ResourceNotFoundException', 'Model not found.'],
    [403, 'AccessDeniedException', "You don't have access to the model with the specified model ID."],
  ])('with status %i lets another provider answer', async (status, type, message) => {
    behave(refusal(status, type, message));
    const error = await failureOf(open());
    expect(error).toBeInstanceOf(ProviderUnavailableError);
    expect(error).toMatchObject({ status, message: expect.stringContaining(message) });
  });

  it('of an unknown model is a 404', async () => {
    behave(refusal(400, 'ValidationException', 'The provided model identifier is invalid.'));
    expect(await failureOf(ask())).toMatchObject({ status: 404 });
  });

  it('of the request itself is for the client', async () => {
    behave(refusal(400, 'ValidationException', 'Input is too long for requested model.'));
    const error = await failureOf(ask());
    expect(error).toBeInstanceOf(ProviderRejectedError);
    expect(error).toMatchObject({ status: 400, details: { message: 'Input is too long for requested model.' } });
  });

  it('never contains secrets', async () => {
    await restart({ credentials: { ...AWS.credentials, sessionToken: 'token-of-a-session' } });
    const canonical = `The Canonical String should have been 'POST x-amz-security-token:token-of-a-session ${AWS.credentials.accessKeyId} ${AWS.credentials.secretAccessKey}'`;
    behave(refusal(403, 'SignatureDoesNotMatch', canonical));
    const error = await failureOf(ask());
    const shown = `${JSON.stringify(error)} ${String(error)} ${String((error as Error).stack)}`;
    for (const secret of ['token-of-a-session', ...Object.values(AWS.credentials)]) expect(shown).not.toContain(secret);
  });
});

describe('time at Bedrock', () => {
  const slow: Behaviour = answerEvents(textEvents(), { everyMs: 300 });

  it.each<[string, Partial<BedrockConfig['timeouts']>, Behaviour]>([
    ['first-token', { firstTokenMs: 100 }, hang()],
    ['first-token', { firstTokenMs: 100 }, slow],
    ['total', { totalMs: 100 }, hang()],
  ])('ends with the %s timeout', async (phase, timeouts, behaviour) => {
    await restart({ timeouts });
    behave(behaviour);
    const error = await failureOf(open());
    expect(error).toBeInstanceOf(ProviderTimeoutError);
    expect(error).toMatchObject({ phase });
  });

  it('ends within an answer after silence, and leaves whole completions time for their first part', async () => {
    await restart({ timeouts: { firstTokenMs: 5000, idleMs: 100 } });
    behave(slow);
    expect((await drain(await open())).failure).toBeInstanceOf(ProviderStreamError);
    await restart({ timeouts: { firstTokenMs: 100 } });
    behave(answerEvents(textEvents(), { everyMs: 60 }));
    expect((await ask()).choices[0]?.text).toBe('Hello, world!');
  });
});
