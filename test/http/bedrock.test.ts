import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createBedrockProvider } from '../../src/core/models/hosts/bedrock/bedrock-provider.ts';
import { createOpenAiCompatibleProvider } from '../../src/core/models/hosts/openai-compatible/openai-compatible-provider.ts';
import type { ProviderModel } from '../../src/core/models/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log/logger.ts';
import { type HttpService, startHttpService } from '../support/harness/http.ts';
import {
  AWS,
  answerEvents,
  type ConverseEvent,
  EVENT_STREAM,
  encodeEvent,
  endEvents,
  startFakeBedrock,
  textEvents,
} from '../support/hosts/fake-bedrock.ts';
import { answerJson, type FakeProvider, startFakeProvider } from '../support/hosts/fake-provider.ts';
import { startStopwatch } from '../support/machine/measure.ts';

/** Clients of each dialect in front of a host that speaks only AWS's protocol, and one OpenAI-compatible host. */
let aws: FakeProvider;
let other: FakeProvider;
let service: HttpService;
let bedrock: ReturnType<typeof createBedrockProvider>;
const chat = (id: string): ProviderModel => ({ id, type: 'chat' });

beforeAll(async () => {
  aws = await startFakeBedrock();
  other = await startFakeProvider();
  bedrock = createBedrockProvider(
    { clock: systemClock },
    {
      kind: 'bedrock',
      name: 'bedrock',
      ...AWS,
      apiKeys: [],
      baseUrl: aws.baseUrl.replace(/\/v1$/, ''),
      models: ['nova', 'shared'].map(chat),
    },
  );
  const fallback = createOpenAiCompatibleProvider(
    { clock: systemClock, logger: createLogger({ level: 'silent' }) },
    {
      kind: 'openai-compatible',
      name: 'other',
      baseUrl: other.baseUrl,
      apiKeys: [],
      models: [chat('shared')],
      weight: 0,
    },
  );
  service = await startHttpService({ imageProviders: [bedrock, fallback] });
});
afterEach(() => aws.behaveUsually(answerEvents(textEvents())));
afterAll(async () => {
  await service.close();
  await Promise.all([aws.close(), other.close()]);
});

const MIB = 1024 * 1024;
const QUESTION = { role: 'user', content: 'What is it?' } as const;
const CALL: readonly ConverseEvent[] = [
  ['messageStart', { role: 'assistant' }],
  ['contentBlockStart', { contentBlockIndex: 0, start: { toolUse: { toolUseId: 'tooluse_1', name: 'look' } } }],
  ['contentBlockDelta', { contentBlockIndex: 0, delta: { toolUse: { input: '{"at":"a fox"}' } } }],
  ['contentBlockStop', { contentBlockIndex: 0 }],
  ...endEvents('tool_use'),
];
const json = async (response: Promise<Response>) => JSON.parse(await (await response).text());

describe('Bedrock answers', () => {
  it('clients of chat completions', async () => {
    aws.behaveUsually(answerEvents(CALL));
    const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
    const body = { model: 'nova', messages: [QUESTION], tools };
    const answer = await json(service.post('/v1/chat/completions', body));
    expect(answer).toMatchObject({
      object: 'chat.completion',
      model: 'nova',
      choices: [
        {
          message: {
            content: null,
            tool_calls: [
              { id: 'tooluse_1', type: 'function', function: { name: 'look', arguments: '{"at":"a fox"}' } },
            ],
          },
          finish_reason: 'tool_calls',
        },
      ],
      usage: { prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 },
    });
    aws.behaveUsually(answerEvents(textEvents()));
    const result = { role: 'tool', tool_call_id: 'tooluse_1', content: 'yes' };
    const messages = [QUESTION, answer.choices[0].message, result];
    const streamed = await service.post('/v1/chat/completions', { ...body, messages, stream: true });
    const text = await streamed.text();
    expect(text).toContain('"content":"Hello"');
    expect(text).toMatch(/data: \[DONE\]\s*$/);
    expect(aws.chatRequests.at(-1)?.body.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ toolUse: { toolUseId: 'tooluse_1', input: { at: 'a fox' } } }] },
      { role: 'user', content: [{ toolResult: { toolUseId: 'tooluse_1', content: [{ text: 'yes' }] } }] },
    ]);
  });

  it('clients of the Messages API', async () => {
    aws.behaveUsually(answerEvents(CALL));
    const tools = [{ name: 'look', input_schema: { type: 'object' } }];
    const body = { model: 'nova', max_tokens: 100, system: 'Be short.', messages: [QUESTION], tools };
    expect(await json(service.post('/v1/messages', body))).toMatchObject({
      type: 'message',
      content: [{ type: 'tool_use', id: expect.stringMatching(/^toolu_/), name: 'look', input: { at: 'a fox' } }],
      stop_reason: 'tool_use',
      usage: { input_tokens: 5, output_tokens: 4 },
    });
    expect(aws.chatRequests.at(-1)?.body).toMatchObject({
      system: [{ text: 'Be short.' }],
      inferenceConfig: { maxTokens: 100 },
    });
  });

  it('clients of responses', async () => {
    const answer = await json(service.post('/v1/responses', { model: 'nova', input: 'What is it?' }));
    expect(answer).toMatchObject({
      object: 'response',
      status: 'completed',
      output: [{ type: 'message', content: [{ type: 'output_text', text: 'Hello, world!' }] }],
    });
  });
});

describe('a request that Bedrock refuses', () => {
  const ask = (fields: object) => service.post('/v1/chat/completions', { messages: [QUESTION], ...fields });
  const throttle = answerJson(429, { message: 'Too many requests, please wait before trying again.' });

  it('names the field that the model does not have', async () => {
    const response = await ask({ model: 'nova', seed: 1 });
    expect(response.status).toBe(400);
    expect(await json(Promise.resolve(response))).toMatchObject({ error: { param: 'seed' } });
  });

  it('is answered by another provider if AWS is busy', async () => {
    aws.behaveUsually(throttle);
    const answer = await json(ask({ model: 'shared' }));
    expect(answer.choices[0].message.content).toBe('Hello, world!');
    expect(other.chatRequests).toHaveLength(1);
  });

  it('has a time to retry if there is no other provider', async () => {
    aws.behaveUsually(throttle);
    const response = await ask({ model: 'nova' });
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    await response.text();
  });

  it.each([
    ['an event of 15 MiB', encodeEvent({ ':message-type': 'event', ':event-type': 'x' }, { x: 'a'.repeat(15 * MIB) })],
    ['an event that says to have 4 GiB', Buffer.alloc(16 * MIB, 255)],
    ['an event without a size', Buffer.alloc(MIB)],
  ])('fails at %s, before it is read', async (_what, bytes) => {
    aws.behaveUsually(({ response }) => void response.writeHead(200, EVENT_STREAM).end(bytes));
    const asking = bedrock.chat.stream({ model: 'nova', messages: [QUESTION] }, new AbortController().signal);
    await expect(asking).rejects.toThrow(/event that is too large/);
  });

  it('is read from parts of any size, with the largest events', async () => {
    const text = 'b'.repeat(200 * 1024);
    const bytes = Buffer.concat(
      textEvents(['a', text]).map(([type, payload]) =>
        encodeEvent({ ':message-type': 'event', ':event-type': type }, payload),
      ),
    );
    aws.behaveUsually(async ({ response, wait }) => {
      response.writeHead(200, EVENT_STREAM);
      for (let at = 0; at < 300; at += 1) {
        response.write(bytes.subarray(at, at + 1));
        if (at % 50 === 0) await wait(1);
      }
      response.end(bytes.subarray(300));
    });
    const answer = await json(service.post('/v1/chat/completions', { model: 'nova', messages: [QUESTION] }));
    expect(answer.choices[0].message.content).toBe(`a${text}`);
  });

  it('ends at AWS within 100 ms when the client leaves', async () => {
    aws.behaveUsually(answerEvents(textEvents(Array<string>(500).fill('x')), { everyMs: 20 }));
    const controller = new AbortController();
    const body = { model: 'nova', messages: [QUESTION], stream: true };
    const response = await service.post('/v1/chat/completions', body, { signal: controller.signal });
    await response.body?.getReader().read();
    const elapsedMs = startStopwatch();
    controller.abort();
    await aws.chatRequests.at(-1)?.closed;
    expect(elapsedMs()).toBeLessThan(100);
  });
});
