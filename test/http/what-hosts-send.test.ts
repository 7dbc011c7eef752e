import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GrowingText } from '../../src/bot/answers/generation/text.ts';
import { createAnthropicProvider } from '../../src/core/models/hosts/anthropic/anthropic-provider.ts';
import { createOpenAiCompatibleProvider } from '../../src/core/models/hosts/openai-compatible/openai-compatible-provider.ts';
import type { Provider } from '../../src/core/models/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { createLogger } from '../../src/lib/log/logger.ts';
import { type Answer, readAnswer, readBotAnswer } from '../support/clients/read-answer.ts';
import { type HttpService, startHttpService } from '../support/harness/http.ts';
import { EVENT_STREAM_HOSTS } from '../support/hosts/chat-hosts.ts';
import { messageOf, startFakeAnthropic } from '../support/hosts/fake-anthropic.ts';
import {
  answerJson,
  answerRaw,
  answerWith,
  type Behaviour,
  completionOf,
  type FakeProvider,
  startFakeProvider,
  streamDeltas,
  streamRaw,
} from '../support/hosts/fake-provider.ts';
import { CLIENTS, type Client, DIALECTS } from '../support/samples/moved-conversations.ts';

/** What hosts of each protocol repeat, omit or send in an unusual form, as clients of each dialect get it. */
interface Host {
  readonly protocol: string;
  readonly fake: FakeProvider;
  readonly provider: Provider;
}

const [CHAT, MESSAGES] = EVENT_STREAM_HOSTS;
if (!CHAT || !MESSAGES) throw new Error('there are no hosts');
const hosts = new Map<string, Host>();
/** Hosts of one model. */
const twins: Host[] = [];
let service: HttpService;

beforeAll(async () => {
  const models = (id: string) => [{ id, type: 'chat' as const }];
  const startChatHost = async (name: string, id: string): Promise<Host> => {
    const fake = await startFakeProvider();
    const provider = createOpenAiCompatibleProvider(
      { clock: systemClock, logger: createLogger({ level: 'silent' }) },
      { kind: 'openai-compatible', name, baseUrl: fake.baseUrl, apiKeys: ['sk-secret-of-host'], models: models(id) },
    );
    return { protocol: CHAT.protocol, fake, provider };
  };
  const anthropic = await startFakeAnthropic();
  hosts.set(MESSAGES.protocol, {
    protocol: MESSAGES.protocol,
    fake: anthropic,
    provider: createAnthropicProvider(
      { clock: systemClock },
      {
        kind: 'anthropic',
        name: 'claude',
        baseUrl: anthropic.baseUrl,
        apiKeys: ['sk-ant-secret'],
        models: models('claude'),
      },
    ),
  });
  hosts.set(CHAT.protocol, await startChatHost('gpt', 'gpt'));
  twins.push(await startChatHost('first', 'twin'), await startChatHost('second', 'twin'));
  service = await startHttpService({ imageProviders: [...hosts.values(), ...twins].map(({ provider }) => provider) });
});
afterAll(async () => {
  await service.close();
  for (const { fake, provider } of [...hosts.values(), ...twins]) {
    await provider.close();
    await fake.close();
  }
});

interface Peculiarity {
  readonly name: string;
  /** Protocols of the hosts that it is known of; default both. */
  readonly protocols?: readonly string[];
  /** Whether the client asks for a stream; default both. */
  readonly ways?: readonly boolean[];
  readonly send: (stream: boolean, protocol: string) => Behaviour;
  /** Number of requests of the client, each of which gets such an answer. Default 1. */
  readonly times?: number;
  readonly check: (answers: readonly Answer[], facts: { client: Client; protocol: string; stream: boolean }) => void;
}

const HELLO = 'Hello, world!';
const protocolOf = (name: string) => (name === CHAT.protocol ? CHAT : MESSAGES);
/** Events of an answer, in which others may stand. */
const eventsOf = (protocol: string, ...between: readonly string[]) => {
  const { opening, text, finish } = protocolOf(protocol);
  return [opening, text('Hello,'), ...between, text(' world!'), finish].filter((event) => event !== '');
};
/** Answers HELLO whole. */
const wholeHello =
  (protocol: string): Behaviour =>
  (exchange) =>
    answerJson(
      200,
      protocol === CHAT.protocol ? completionOf(exchange.request) : messageOf(exchange.request),
    )(exchange);
const saysHello = ([answer]: readonly Answer[]) => {
  expect(answer).toMatchObject({ status: 200, text: HELLO, error: undefined });
};
/** Answers with a message of chat completions, whole or in one delta. */
const answerMessage = (stream: boolean, message: JsonObject, finishReason = 'stop') =>
  stream ? streamDeltas([message], finishReason) : answerWith({ role: 'assistant', ...message }, finishReason);

const compressed =
  (
    encoding: string,
    encode: (bytes: Buffer) => Buffer,
    status: number,
    body: (protocol: string, stream: boolean) => string,
  ) =>
  (stream: boolean, protocol: string): Behaviour =>
  ({ response }) => {
    const type = stream && status === 200 ? 'text/event-stream' : 'application/json';
    response.writeHead(status, { 'content-encoding': encoding, 'content-type': type });
    response.end(encode(Buffer.from(body(protocol, stream))));
  };
const ENCODERS: readonly (readonly [string, (bytes: Buffer) => Buffer])[] = [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
];
const bodyOfHello = (protocol: string, stream: boolean) => {
  const request = { body: { model: 'm' } } as unknown as Parameters<typeof completionOf>[0];
  if (stream) return eventsOf(protocol).join('');
  return JSON.stringify(protocol === CHAT.protocol ? completionOf(request) : messageOf(request));
};

const callOf = (id: string | undefined, index: number) => ({
  index,
  ...(id !== undefined && { id }),
  type: 'function',
  function: { name: 'look', arguments: '{}' },
});
const URL_OF_IMAGE = 'https://images.example/fox.png';
const SENTENCE = 'A fox is a mammal.';

const MARKS: readonly (readonly [name: string, sent: string])[] = [
  ['a pair of tags', `<think>Hm.</think>\n${SENTENCE}`],
  ['a closing tag alone', `Hm.\n</think>\n\n${SENTENCE}`],
  ['two blocks', `<think>Hm.</think>\n<think>So.</think>\n${SENTENCE}`],
  ['upper case and attributes', `<THINK time="3">Hm.</THINK>\n${SENTENCE}`],
  ['<thought>', `<thought>Hm.</thought>\n${SENTENCE}`],
  ['<seed:think>', `<seed:think>Hm.</seed:think>\n${SENTENCE}`],
  ['[THINK]', `[THINK]Hm.[/THINK]\n${SENTENCE}`],
  ['◁think▷', `◁think▷Hm.◁/think▷\n${SENTENCE}`],
  [
    'harmony channels',
    `<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>${SENTENCE}<|return|>`,
  ],
];

const PECULIARITIES: readonly Peculiarity[] = [
  ...[
    ['start again in each answer', 'call_0'],
    ['are the name with a number', 'look:0'],
    ['are missing', undefined],
    ['are empty', ''],
  ].map(
    ([how, id]): Peculiarity => ({
      name: `ids of calls that ${how}`,
      protocols: [CHAT.protocol],
      times: 2,
      send: (stream) =>
        answerMessage(stream, { content: null, tool_calls: [callOf(id, 0), callOf(id, 1)] }, 'tool_calls'),
      check(answers, { client }) {
        const ids = answers.flatMap(({ callIds }) => callIds);
        // The native interface has no calls. Chat completions are passed on as they are.
        if (client === 'native' || client === 'chat') return;
        expect(ids).toHaveLength(4);
        if (client !== 'bot') expect(new Set(ids).size).toBe(4);
        if (client !== 'bot') expect(ids.join(' ')).toMatch(/^[\w-]+ [\w-]+ [\w-]+ [\w-]+$/);
      },
    }),
  ),
  ...['data: null', 'data: ping', 'data: []', 'data: {}', ': comment', 'event: ping\ndata: {"type":"ping"}'].map(
    (event): Peculiarity => ({
      name: `${JSON.stringify(event)} between events`,
      ways: [true],
      // Anthropic's is of its protocol.
      protocols: event.startsWith('event') ? [MESSAGES.protocol] : [CHAT.protocol, MESSAGES.protocol],
      send: (_, protocol) => streamRaw([`${event}\n\n`, ...eventsOf(protocol, `${event}\n\n`)]),
      check: saysHello,
    }),
  ),
  ...[
    ['usage before the choices', { choices: [], usage: { prompt_tokens: 3, completion_tokens: 0, total_tokens: 3 } }],
    ['choices: null', { choices: null }],
  ].map(
    ([name, event]): Peculiarity => ({
      name: `a first event with ${String(name)}`,
      protocols: [CHAT.protocol],
      ways: [true],
      send: (_, protocol) => streamRaw([`data: ${JSON.stringify(event)}\n\n`, ...eventsOf(protocol)]),
      check: saysHello,
    }),
  ),
  {
    name: 'an event of 5 MB',
    ways: [true],
    send: (_, protocol) => {
      const { opening, text, finish } = protocolOf(protocol);
      return streamRaw([`${opening}${text('x'.repeat(5_000_000))}`, finish]);
    },
    check: ([answer]) => expect(answer?.text).toHaveLength(5_000_000),
  },
  ...ENCODERS.flatMap(([encoding, encode]): readonly Peculiarity[] => [
    {
      name: `${encoding} that was not asked for`,
      send: compressed(encoding, encode, 200, bodyOfHello),
      check: saysHello,
    },
    {
      name: `an error in ${encoding}`,
      send: compressed(encoding, encode, 400, (protocol) =>
        JSON.stringify(protocolOf(protocol).error('these words of the host')),
      ),
      check: ([answer]) => {
        expect(answer).toMatchObject({ status: 400, error: { message: expect.stringContaining('these words') } });
      },
    },
  ]),
  {
    name: 'a stream, although it was not asked for',
    ways: [false],
    send: (_, protocol) => streamRaw(eventsOf(protocol)),
    check: saysHello,
  },
  {
    name: 'a stream as application/json',
    send: (_, protocol) => answerRaw(200, 'application/json', eventsOf(protocol).join('')),
    check: saysHello,
  },
  {
    name: 'a whole answer, although a stream was asked for',
    ways: [true],
    send: (_, protocol) => wholeHello(protocol),
    check: saysHello,
  },
  ...(
    [
      ['of overload', 529, { type: 'overloaded_error', message: 'Overloaded, says sk-secret-of-host' }],
      ['of credits', 402, { code: 402, message: 'Insufficient credits' }],
    ] as const
  ).flatMap(([about, sent, error]): readonly Peculiarity[] => [
    {
      name: `an error ${about} in the middle`,
      ways: [true],
      send: (_, protocol) => {
        const { opening, text } = protocolOf(protocol);
        const failed = `data: ${JSON.stringify({ type: 'error', error })}\n\n`;
        return streamRaw([`${opening}${text('Hello,')}`, `event: error\n${failed}`], { end: 'hang' });
      },
      check([answer], { client }) {
        expect(answer?.text).toBe('Hello,');
        expect(answer?.error).toBeDefined();
        if (client === 'native') return;
        expect(answer?.error?.message).toContain(error.message.split(', says')[0]);
        expect(JSON.stringify(answer)).not.toContain('sk-secret');
        if (client === 'bot') return;
        const types = 'code' in error ? ['insufficient_quota', 'billing_error', 402] : ['overloaded_error', 529];
        expect(types).toContain(answer?.error?.type);
      },
    },
    {
      name: `an error ${about} with status 200`,
      send: (stream) =>
        stream
          ? streamRaw([`event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n`])
          : answerJson(200, { error }),
      check([answer], { client, stream }) {
        expect(answer?.error).toBeDefined();
        expect(JSON.stringify(answer)).not.toContain('sk-secret');
        const status = client === 'bot' ? sent : about === 'of overload' ? 503 : 502;
        // The native interface reports internal failures inside an answer.
        expect(answer?.status).toBe(client === 'native' && !stream && status === 502 ? 200 : status);
      },
    },
  ]),
  {
    name: 'no usage',
    send: (stream, protocol) => (exchange) => {
      if (stream) {
        const { opening, text } = protocolOf(protocol);
        if (protocol === CHAT.protocol)
          return streamRaw([text(SENTENCE), text(SENTENCE), CHAT.finish, 'data: [DONE]\n\n'])(exchange);
        const end = { type: 'message_delta', delta: { stop_reason: 'end_turn' } };
        const begin = opening.replace(/"usage":\{[^}]*\}/, '"usage":{}');
        return streamRaw([
          begin,
          text(SENTENCE),
          text(SENTENCE),
          `data: ${JSON.stringify(end)}\n\n`,
          'data: {"type":"message_stop"}\n\n',
        ])(exchange);
      }
      const { usage: _usage, ...body }: JsonObject =
        protocol === CHAT.protocol
          ? completionOf(exchange.request, { pieces: [SENTENCE, SENTENCE] })
          : messageOf(exchange.request, { content: [{ type: 'text', text: SENTENCE + SENTENCE }] });
      return answerJson(200, body)(exchange);
    },
    check([answer], { client }) {
      expect(answer).toMatchObject({ status: 200, text: SENTENCE + SENTENCE });
      // The stream of the native interface has no counts; in the bot they are estimated later.
      if (client === 'native' || client === 'bot') return;
      expect(answer?.usage?.[0]).toBeGreaterThan(0);
      expect(answer?.usage?.[1]).toBeGreaterThan(5);
    },
  },
  ...['data:image/png;base64,iVBORw0KGgo=', URL_OF_IMAGE].map(
    (url): Peculiarity => ({
      name: `an image alone (${url.slice(0, 5)})`,
      protocols: [CHAT.protocol],
      send: (stream) => answerMessage(stream, { content: '', images: [{ type: 'image_url', image_url: { url } }] }),
      check([answer], { client }) {
        expect(answer?.status).toBe(200);
        const isShown = client === 'chat' || client === 'bot' || (client === 'responses' && url !== URL_OF_IMAGE);
        if (isShown) expect(answer?.images).toEqual([url.replace(/^data:.*,/, '')]);
        else if (url === URL_OF_IMAGE) expect(answer?.text).toContain(url);
        else expect(answer?.text).toContain('answered with an image');
      },
    }),
  ),
  ...MARKS.map(
    ([name, sent]): Peculiarity => ({
      name: `reasoning between marks: ${name}`,
      protocols: [CHAT.protocol],
      send: (stream) =>
        stream
          ? streamDeltas([...sent].map((content) => ({ content })))
          : answerWith({ role: 'assistant', content: sent }),
      check([answer], { client }) {
        // Programs get what the host has sent; people get the answer.
        if (client !== 'bot') return expect(answer?.text).toBe(sent);
        const growing = new GrowingText();
        growing.add(answer?.text ?? '');
        growing.end();
        expect([growing.toVisible().trim(), growing.toReasoning()]).toEqual([SENTENCE, expect.stringContaining('Hm.')]);
      },
    }),
  ),
  {
    name: 'a refusal',
    protocols: [CHAT.protocol],
    send: (stream) => answerMessage(stream, { content: null, refusal: "I can't help with that." }),
    check: ([answer]) => {
      expect(answer).toMatchObject({ status: 200, text: "I can't help with that.", error: undefined });
    },
  },
  {
    name: 'a redirect from http to https',
    send:
      () =>
      ({ response }) => {
        response.writeHead(308, { location: 'https://host.example/v1/chat/completions' }).end();
      },
    check([answer], { client }) {
      expect(answer?.error).toBeDefined();
      // Where it leads is for the operator, whom the log tells.
      if (client === 'bot') expect(answer?.error?.message).toContain('it redirects to https://host.example');
    },
  },
];

const CELLS = PECULIARITIES.flatMap(
  ({ protocols = [CHAT.protocol, MESSAGES.protocol], ways = [false, true], ...one }) =>
    protocols.flatMap((protocol) => ways.map((stream) => ({ ...one, protocol, stream }))),
);

describe.each(CELLS)(
  '$name, from a host of $protocol (stream: $stream)',
  ({ send, check, times = 1, protocol, stream }) => {
    test.each(CLIENTS)('to a client of %s', async (client) => {
      const host = hosts.get(protocol);
      if (!host) throw new Error('there is no such host');
      host.fake.behaveUsually(send(stream, protocol));
      const answers: Answer[] = [];
      for (let time = 0; time < times; time += 1)
        answers.push(
          client === 'bot'
            ? await readBotAnswer(host.provider, BODY, stream)
            : await ask(client, host.provider.name, stream),
        );
      check(answers, { client, protocol, stream });
    });
  },
);

const BODY: JsonObject = {
  messages: [{ role: 'user', content: 'Hello!' }],
  tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }],
  max_tokens: 5000,
};
const API_CLIENTS = CLIENTS.filter((client) => client !== 'bot');

async function ask(client: (typeof API_CLIENTS)[number], model: string, stream: boolean): Promise<Answer> {
  const { path, toBody } = DIALECTS[client];
  const options = stream && client === 'chat' ? { stream_options: { include_usage: true } } : {};
  return readAnswer(client, await service.post(path, toBody({ ...BODY, model, stream, ...options })), stream);
}

test.each(API_CLIENTS)(
  'events before an answer do not keep another host from answering a client of %s',
  async (client) => {
    const early = ['data: null', 'data: ping', 'data: {"choices":[],"usage":{"prompt_tokens":3,"total_tokens":3}}'];
    let requests = 0;
    for (const { fake } of twins) {
      fake.behaveUsually((exchange) => {
        requests += 1;
        if (requests > 1) return streamRaw(eventsOf(CHAT.protocol))(exchange);
        return streamRaw(
          early.map((event) => `${event}\n\n`),
          { end: 'cut' },
        )(exchange);
      });
    }
    const answer = await ask(client, 'twin', true);
    expect([answer.text, requests]).toEqual([HELLO, 2]);
  },
);
