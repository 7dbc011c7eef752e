import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAnthropicProvider } from '../../src/core/models/hosts/anthropic/anthropic-provider.ts';
import { usage as usageTable } from '../../src/database/schema/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { type HttpService, MODEL, startHttpService } from '../support/harness/http.ts';
import { messagesEvent, startFakeAnthropic } from '../support/hosts/fake-anthropic.ts';
import {
  answerJson,
  type Behaviour,
  type FakeProvider,
  type FakeRequest,
  sseEvent,
  streamRaw,
} from '../support/hosts/fake-provider.ts';
import { createTestDatabase, type TestDatabase } from '../support/stores/test-database.ts';

/** What hosts of each protocol send, as clients of each dialect read it. */
let claude: FakeProvider;
let service: HttpService;
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  claude = await startFakeAnthropic();
  const provider = createAnthropicProvider(
    { clock: systemClock },
    {
      kind: 'anthropic',
      name: 'claude',
      baseUrl: claude.baseUrl,
      apiKeys: ['sk-ant-secret'],
      models: [{ id: 'claude', type: 'chat' }],
    },
  );
  service = await startHttpService({ imageProviders: [provider], database });
});
afterAll(async () => {
  await service.close();
  await claude.close();
  await database.close();
});

/** A client of one dialect. */
interface Client {
  readonly dialect: string;
  ask(model: string, stream: boolean): Promise<Response>;
  /** Returns the token counts of a whole answer, or of the event of a stream that has them. */
  usageOf(answer: JsonObject): readonly unknown[] | undefined;
  callIdsOf(answer: JsonObject): readonly unknown[];
}

const TOOL = { name: 'look', description: 'Looks', parameters: { type: 'object', properties: {} } };
const QUESTION = [{ role: 'user', content: 'What do you see in this picture?' }];
// biome-ignore lint/suspicious/noExplicitAny: answers of several dialects are read here.
type Answer = any;

const CHAT: Client = {
  dialect: 'chat completions',
  ask: (model, stream) =>
    service.post('/v1/chat/completions', {
      model,
      stream,
      messages: QUESTION,
      tools: [{ type: 'function', function: TOOL }],
      ...(stream && { stream_options: { include_usage: true } }),
    }),
  usageOf: ({ usage }: Answer) => usage && [usage.prompt_tokens, usage.completion_tokens],
  callIdsOf: ({ choices }: Answer) =>
    (choices ?? []).flatMap(({ message, delta = message }: Answer) =>
      (delta?.tool_calls ?? []).flatMap(({ id }: Answer) => id ?? []),
    ),
};
const MESSAGES: Client = {
  dialect: 'messages',
  ask: (model, stream) =>
    service.post('/v1/messages', {
      model,
      stream,
      max_tokens: 100,
      messages: QUESTION,
      tools: [{ name: TOOL.name, input_schema: TOOL.parameters }],
    }),
  usageOf: ({ type, usage }: Answer) =>
    type === 'message_start' ? undefined : usage && [usage.input_tokens, usage.output_tokens],
  callIdsOf: ({ content = [], content_block: block }: Answer) =>
    [...content, block].flatMap((each) => (each?.type === 'tool_use' ? [each.id] : [])),
};
const RESPONSES: Client = {
  dialect: 'responses',
  ask: (model, stream) =>
    service.post('/v1/responses', { model, stream, input: QUESTION, tools: [{ type: 'function', ...TOOL }] }),
  usageOf: ({ response, usage = response?.usage }: Answer) => usage && [usage.input_tokens, usage.output_tokens],
  callIdsOf: ({ output, response }: Answer) =>
    (output ?? response?.output ?? []).flatMap(({ call_id: id }: Answer) => id ?? []),
};
const CLIENTS = [CHAT, MESSAGES, RESPONSES];

async function readEvents(response: Response): Promise<Answer[]> {
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: {'));
  return lines.map((line) => JSON.parse(line.slice('data: '.length)));
}

/** Reads an answer: the events of a stream, or the whole one. */
const read = async (response: Response, stream: boolean): Promise<Answer[]> =>
  stream ? readEvents(response) : [await response.json()];

const isStreamed = ({ body }: FakeRequest) => body.stream === true;
const HEAD = { id: 'x', object: 'chat.completion.chunk', model: 'm', created: 1 };
const chunk = (delta: JsonObject, finishReason: string | null = null) =>
  sseEvent({ ...HEAD, choices: [{ index: 0, delta, finish_reason: finishReason }] });

/** Answers with the message, whole or as a stream, and without token counts. */
function answerUncounted(message: JsonObject, finishReason = 'stop'): Behaviour {
  return (exchange) => {
    const choice = { index: 0, message: { role: 'assistant', ...message }, finish_reason: finishReason };
    return isStreamed(exchange.request)
      ? streamRaw([chunk({ role: 'assistant', ...message }), chunk({}, finishReason), 'data: [DONE]\n\n'])(exchange)
      : answerJson(200, { id: 'x', object: 'chat.completion', choices: [choice] })(exchange);
  };
}

/** Does the same in Anthropic's protocol. */
function messageUncounted(text: string): Behaviour {
  const message = { id: 'msg', type: 'message', role: 'assistant', model: 'm' };
  const events: JsonObject[] = [
    { type: 'message_start', message: { ...message, content: [] } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
    { type: 'message_stop' },
  ];
  return (exchange) =>
    isStreamed(exchange.request)
      ? streamRaw(events.map(messagesEvent))(exchange)
      : answerJson(200, { ...message, content: [{ type: 'text', text }], stop_reason: 'end_turn' })(exchange);
}

describe.each(CLIENTS)('a client of $dialect', (client) => {
  describe.each([false, true])('(stream: %s)', (stream) => {
    test.each(['chat completions', 'messages'])('reads the estimated usage of a host of %s', async (protocol) => {
      await service.writtenDown();
      await database.db.delete(usageTable);
      const text = 'I see a red fox, and behind it the snow of the mountains.';
      if (protocol === 'messages') claude.behave(messageUncounted(text));
      else service.provider.behave(answerUncounted({ content: text }));
      const answers = await read(await client.ask(protocol === 'messages' ? 'claude' : MODEL, stream), stream);
      const counts = answers.map(client.usageOf).filter(Boolean);
      expect(counts).toHaveLength(1);
      const [prompt, completion] = counts[0] ?? [];
      expect(prompt).toBeGreaterThan(5);
      expect(completion).toBeGreaterThan(10);
      await service.writtenDown();
      const [row] = await database.db.select().from(usageTable);
      expect(row).toMatchObject({ promptTokens: prompt, completionTokens: completion, isEstimated: true });
    });

    test.each([
      ['an id that starts again', 'call_0'],
      ['a name with a number', 'look:0'],
      ['no id', undefined],
      ['an empty id', ''],
    ])('gets distinct ids of calls from a host with %s', async (_, id) => {
      const call = (index: number) => ({
        index,
        ...(id !== undefined && { id }),
        type: 'function',
        function: { name: 'look', arguments: '{}' },
      });
      service.provider.behaveUsually(answerUncounted({ content: null, tool_calls: [call(0), call(1)] }, 'tool_calls'));
      const ids: unknown[] = [];
      for (let turn = 0; turn < 2; turn++) {
        const answers = await read(await client.ask(MODEL, stream), stream);
        ids.push(...new Set(answers.flatMap(client.callIdsOf)));
      }
      // Chat completions are passed on as they are.
      if (client === CHAT) return;
      expect(new Set(ids).size).toBe(4);
      expect(ids.join(' ')).toMatch(/^[\w-]+ [\w-]+ [\w-]+ [\w-]+$/);
    });

    test.each([
      ['data', 'data:image/png;base64,iVBORw0KGgo='],
      ['an address', 'https://images.example/fox.png'],
    ])('never gets an empty message for an image as %s', async (_, url) => {
      service.provider.behaveUsually(
        answerUncounted({ content: '', images: [{ type: 'image_url', image_url: { url } }] }),
      );
      const printed = JSON.stringify(await read(await client.ask(MODEL, stream), stream));
      if (client === CHAT || url.startsWith('https:')) expect(printed).toContain(url);
      else if (client === RESPONSES)
        expect(printed).toContain('"type":"image_generation_call","status":"completed","result":"iVBORw0KGgo="');
      else expect(printed).toContain('answered with an image');
    });
  });

  test.each([
    [{ type: 'overloaded_error', message: 'Overloaded' }, 'overloaded_error', 'overloaded_error'],
    [{ type: 'rate_limit_error', message: 'Slow down' }, 'rate_limit_error', 'rate_limit_error'],
    [{ code: 402, message: 'Insufficient credits' }, 'insufficient_quota', 'billing_error'],
    [{ code: 500, message: 'Out of memory at 10.0.0.7:8000' }, 'server_error', 'api_error'],
    [{ type: 'authentication_error', message: 'Wrong key sk-ant-secret' }, 'authentication_error', 'api_error'],
  ])('reads the error %j in the middle', async (error, type, messagesType) => {
    const events = [chunk({ content: 'I see' }), `event: error\n${sseEvent({ error })}`];
    service.provider.behave(streamRaw(events, { end: 'hang' }));
    const answers = await readEvents(await client.ask(MODEL, true));
    const failed = answers.find((event: Answer) => event.error);
    const [words] = error.message.split(/ at | key /);
    expect(failed.error).toMatchObject({
      type: client === MESSAGES ? messagesType : type,
      message: expect.stringContaining(words ?? ''),
    });
    expect(JSON.stringify(answers)).not.toMatch(/ant-secret|10\.0\.0\.7/);
  });
});

describe('a refusal names the field as the client has it', () => {
  const REFUSED: readonly [JsonObject, string, string, string][] = [
    [{ param: 'verbosity', message: "Unsupported value: 'verbosity'" }, 'text.verbosity', 'verbosity', 'verbosity'],
    [
      { param: 'response_format', message: 'response_format is not supported' },
      'text.format',
      'output_config.format',
      'response_format',
    ],
    [
      { param: 'reasoning_effort', message: 'No "reasoning_effort" here' },
      'reasoning.effort',
      'output_config.effort',
      'reasoning_effort',
    ],
    [
      { param: 'tools[0].function.parameters', message: 'Bad `tools[0].function.parameters`' },
      'tools[0].parameters',
      'tools[0].input_schema',
      'tools[0].function.parameters',
    ],
    [{ param: 'stop', message: "'stop' has too many entries" }, 'stop', 'stop_sequences', 'stop'],
  ];
  test.each(REFUSED)('%j', async (error, ofResponses, ofMessages, ofChat) => {
    for (const stream of [false, true]) {
      // The host is asked again without optional fields.
      for (const client of CLIENTS) {
        service.provider.behaveUsually(answerJson(400, { error: { type: 'invalid_request_error', ...error } }));
        const name = client === RESPONSES ? ofResponses : client === MESSAGES ? ofMessages : ofChat;
        const { error: refused }: Answer = await (await client.ask(MODEL, stream)).json();
        if (client !== MESSAGES) expect(refused.param).toBe(name);
        expect(refused.message).toContain(name);
        if (name !== ofChat)
          expect(refused.message).not.toMatch(new RegExp(`(?<![\\w.])${ofChat.replaceAll(/[[\].]/g, '.')}(?![\\w.])`));
      }
    }
  });

  test('of a translation to another protocol, and of the native interface', async () => {
    const response = await service.post('/v1/responses', { model: 'claude', input: 'Hi', text: { verbosity: 'low' } });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { param: 'text.verbosity', message: expect.stringContaining("'text.verbosity'") } },
    ]);
    const native = await service.post('/ai/v2', { model: 'claude', request: { messages: QUESTION, verbosity: 'low' } });
    expect([native.status, await native.json()]).toMatchObject([
      400,
      { error: { param: 'request.verbosity', message: expect.stringContaining("'request.verbosity'") } },
    ]);
  });

  test('in the middle of a stream', async () => {
    const error = { type: 'invalid_request_error', param: 'verbosity', message: "Unsupported: 'verbosity'" };
    service.provider.behave(streamRaw([chunk({ content: 'I see' }), sseEvent({ error })], { end: 'hang' }));
    const events = await readEvents(await RESPONSES.ask(MODEL, true));
    expect(events).toContainEqual(expect.objectContaining({ type: 'error', param: 'text.verbosity' }));
  });
});
