import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EVENT_STREAM_HOSTS } from '../../../../support/hosts/chat-hosts.ts';
import {
  answerJson,
  answerRaw,
  answerWith,
  type Behaviour,
  sseEvent,
  streamDeltas,
  streamRaw,
} from '../../../../support/hosts/fake-provider.ts';
import {
  drain,
  failureOf,
  helloRequest,
  noAbort,
  type ProviderUnderTest,
  startProviderUnderTest,
} from '../../../../support/hosts/provider-under-test.ts';

/** Answers as the behaviour does, but with another content type. */
function withType(type: string, behaviour: Behaviour): Behaviour {
  return (exchange) => {
    const { response } = exchange;
    const writeHead = response.writeHead.bind(response);
    response.writeHead = ((status: number, headers: object) =>
      writeHead(status, { ...headers, 'content-type': type })) as typeof response.writeHead;
    return behaviour(exchange);
  };
}

describe.each(EVENT_STREAM_HOSTS)('a host that answers in an unusual way ($protocol)', (chatHost) => {
  const { start, answerHello, opening, text, finish } = chatHost;
  const events = `${opening}${text('a')}${text('b')}${finish}`;
  let host: ProviderUnderTest['host'];
  let provider: ProviderUnderTest['provider'];
  let close: ProviderUnderTest['close'];
  beforeEach(async () => {
    ({ host, provider, close } = await start());
  });
  afterEach(() => close());
  const stream = async () => drain(await provider.chat.stream(helloRequest(), noAbort()));
  const complete = async () => (await provider.chat.complete(helloRequest(), noAbort())).choices[0]?.text;

  const encoders: readonly [string, (bytes: Buffer) => Buffer][] = [
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
    ['deflate, GZIP', (bytes) => gzipSync(deflateSync(bytes))],
  ];
  it.each(encoders)('is read if it compresses with %s although it should not', async (encoding, encode) => {
    const answer = (status: number, body: string): Behaviour => {
      return ({ response }) => {
        response.writeHead(status, { 'content-encoding': encoding });
        const bytes = encode(Buffer.from(body));
        for (let at = 0; at < bytes.length; at += 7) response.write(bytes.subarray(at, at + 7));
        response.end();
      };
    };
    host.behave(answer(200, events), answer(400, JSON.stringify(chatHost.error('words of the host'))));
    expect(await stream()).toMatchObject({ answer: 'ab', failure: undefined });
    expect(host.chatRequests[0]?.headers['accept-encoding']).toBe('identity');
    expect(await failureOf(stream())).toMatchObject({ message: 'words of the host' });
  });

  it('is bounded by the size after decompression', async () => {
    const bomb = gzipSync(Buffer.alloc(80 * 1024 * 1024, ' '));
    host.behaveUsually(({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(Buffer.concat([gzipSync('{'), bomb]));
    });
    expect(await failureOf(complete())).toMatchObject({ message: expect.stringContaining('larger than') });
  });

  it.each(['application/json', 'text/html', 'text/plain', ''])('streams events of the type "%s"', async (type) => {
    host.behaveUsually(withType(type, streamRaw([`\n\n: wait\n\n${events}`])));
    expect(await stream()).toMatchObject({ answer: 'ab', failure: undefined });
  });

  it('is read if it streams although it should not', async () => {
    host.behaveUsually(withType('application/json', streamRaw([...events])));
    expect(await complete()).toBe('ab');
  });

  it('is read if it calls a whole answer a stream, after white space', async () => {
    host.behaveUsually(async (exchange) => {
      const { response, request } = exchange;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.writeHead = (() => response) as typeof response.writeHead;
      for (let at = 0; at < 5; at++) response.write(' \n');
      await answerHello()({ ...exchange, request: { ...request, body: { ...request.body, stream: false } } });
    });
    expect((await stream()).answer).toBe('Hello, world!');
    expect(await complete()).toBe('Hello, world!');
  });

  const idle = ['null', '[]', '{}', 'ping', ': heartbeat', 'keep-alive', '0', 'true', '""', '[1, 2]', '   '];
  it.each(idle)('may send `data: %s` at any time', async (data) => {
    const nothing = `data: ${data}\n\n`;
    host.behave(streamRaw([nothing, opening, nothing, text('a'), nothing, text('b'), finish, nothing]));
    expect(await stream()).toMatchObject({ answer: 'ab', failure: undefined });
    host.behave(streamRaw([nothing, nothing, chatHost.errorEvent('busy')]));
    expect(await failureOf(stream())).toMatchObject({ name: 'ProviderUnavailableError' });
  });

  it.each([5, 30, 60])('may send an event of %i MB', async (megabytes) => {
    const long = 'x'.repeat(megabytes * 1_000_000);
    host.behave(streamRaw([opening, text(long), finish], { everyMs: 0 }));
    const { answer, failure } = await stream();
    expect([answer.length, failure]).toEqual([long.length, undefined]);
  });

  it.each(['x', 'ж', '😀'])(
    'may send a long text of "%s" in one event, which is delivered in short ones',
    async (unit) => {
      const long = `€${unit.repeat(1_000_000)}`;
      host.behave(streamRaw([opening, text(long), finish], { everyMs: 0 }));
      const { answer, events } = await stream();
      expect(answer === long).toBe(true);
      const lengths = events.flatMap(({ parts }) => parts.map((part) => ('text' in part ? part.text.length : 0)));
      expect(Math.max(...lengths)).toBeLessThan(100_000);
      const sent = events.map(({ native }) => (native ? String(native.data) : '')).filter((data) => data.includes('€'));
      expect(sent.map((data) => `data: ${data}\n\n` === text(long).replace(/^event: .*\n/, ''))).toEqual([true]);
    },
  );

  it.each([
    ['a byte', 1],
    ['several events', 700],
    ['a network packet', 1448],
    ['more than an event', 30_000],
    ['everything', 1_000_000],
  ])('may send its text in chunks of %s, after a byte order mark', async (_, size) => {
    const words = ['Привет', ' ', '€😀', 'ascii', 'ж'.repeat(size === 1 ? 10 : 20_000), '語', '!'];
    const bytes = Buffer.from(`\uFEFF${opening}${words.map(text).join('')}${finish}`);
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_unused, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    );
    host.behave(
      streamRaw(chunks, { everyMs: 0 }),
      streamRaw([opening, ...words.map(text), finish]),
      streamRaw([opening, words.map(text).join(''), finish]),
    );
    for (let count = 0; count < 3; count += 1)
      expect(await stream()).toMatchObject({ answer: words.join(''), failure: undefined });
  });

  it.each([
    ['an object', chatHost.errorEvent('busy')],
    ['a named event', 'event: error\ndata: {"message": "busy"}\n\n'],
    ['a named event of plain text', 'event: error\ndata: busy\n\n'],
    ['a string', sseEvent({ error: 'busy' })],
    ['a list', sseEvent([{ error: { code: 503, message: 'busy' } }])],
  ])('tells its error in the middle as %s', async (_, event) => {
    host.behave(streamRaw([opening, text('a'), event], { end: 'hang' }));
    const { answer, failure } = await stream();
    expect(answer).toBe('a');
    expect(failure).toMatchObject({
      name: 'ProviderStreamError',
      cause: { details: { message: 'busy' } },
    });
  });

  it('tells where it redirects', async () => {
    const location = 'https://user:secret@host.example/v1/chat?key=secret';
    host.behaveUsually(({ response }) => void response.writeHead(308, { location }).end());
    const error = await failureOf(complete());
    expect(error).toMatchObject({ name: 'ProviderUnavailableError', status: 308 });
    expect(String(error)).toContain('redirects to https://host.example');
    expect(String(error)).not.toContain('secret');
  });
});

describe('a host of OpenAI’s protocol that answers in an unusual way', () => {
  let host: ProviderUnderTest['host'];
  let provider: ProviderUnderTest['provider'];
  let close: ProviderUnderTest['close'];
  beforeEach(async () => {
    ({ host, provider, close } = await startProviderUnderTest());
  });
  afterEach(() => close());
  const stream = () => provider.chat.stream(helloRequest(), noAbort());
  const complete = () => provider.chat.complete(helloRequest(), noAbort());
  const delta = (content: string) => sseEvent({ choices: [{ index: 0, delta: { content } }] });
  const end = sseEvent({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });

  it.each([
    { choices: [], usage: { prompt_tokens: 5, completion_tokens: 0, total_tokens: 5 } },
    { usage: { prompt_tokens: 5, total_tokens: 5 } },
    { choices: null },
    { choices: [] },
    { id: 'x', object: 'chat.completion.chunk' },
  ])('has not begun with %j', async (event) => {
    host.behave(streamRaw([sseEvent(event), sseEvent(event), sseEvent({ error: { message: 'busy' } })]));
    expect(await failureOf(stream())).toMatchObject({ name: 'ProviderUnavailableError' });
    host.behave(streamRaw([sseEvent(event), delta('a'), end]));
    const opened = await stream();
    expect(await drain(opened)).toMatchObject({ answer: 'a', failure: undefined });
    expect(opened.outcome.usage).toBeUndefined();
  });

  it('sends no event without a list of choices to clients', async () => {
    const usage = { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 };
    host.behave(streamRaw([delta('a'), sseEvent({ choices: null }), end, sseEvent({ choices: null, usage })]));
    const { events, text } = await drain(await stream());
    expect(text).toBe(delta('a') + end);
    expect(events.at(-1)).toEqual({
      parts: [{ type: 'usage', usage: { promptTokens: 5, completionTokens: 1 } }],
    });
  });

  it('keeps all parts of an answer that it streams although it should not', async () => {
    const piece = (fields: object) => sseEvent({ id: 'c', model: 'm', ...fields });
    const call = (fields: object) => ({ tool_calls: [{ index: 0, ...fields }] });
    host.behave(
      streamRaw([
        piece({ choices: [{ index: 1, delta: { content: 'second' } }] }),
        piece({ choices: [{ index: 0, delta: { reasoning_content: 'hm' } }] }),
        piece({ choices: [{ index: 0, delta: { refusal: 'no' } }] }),
        piece({ choices: [{ index: 0, delta: call({ id: 'c1', function: { name: 'f', arguments: '{"a"' } }) }] }),
        piece({ choices: [{ index: 0, delta: call({ function: { arguments: ':1}' } }) }] }),
        piece({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }),
        piece({ choices: [{ index: 1, delta: {}, finish_reason: 'length' }] }),
        'data: [DONE]\n\n',
      ]),
    );
    const { choices } = await complete();
    expect(choices).toMatchObject([
      {
        text: '',
        reasoning: 'hm',
        reasoningMustBeSentBack: true,
        refusal: 'no',
        toolCalls: [{ id: 'c1', name: 'f', arguments: '{"a":1}' }],
        finishReason: 'tool_calls',
      },
      { text: 'second', finishReason: 'length' },
    ]);
  });

  const url = 'data:image/webp;base64,AAAA';
  it.each([
    { images: [{ type: 'image_url', image_url: { url } }] },
    { images: [{ image_url: url }] },
    { images: [url] },
    { images: [{ url }] },
    { content: [{ type: 'image_url', image_url: { url } }] },
    { content: [{ type: 'output_image', image_url: url }] },
  ])('answers with an image: %j', async (message) => {
    host.behave(answerWith(message), streamDeltas([message]));
    expect((await complete()).choices[0]?.images).toEqual([url]);
    const { events } = await drain(await stream());
    expect(events[0]?.parts).toEqual([{ type: 'image', choice: 0, url }]);
  });

  it('answers with an image as base64 alone', async () => {
    host.behave(answerWith({ images: [{ b64_json: 'AAAA' }] }));
    expect((await complete()).choices[0]?.images).toEqual(['data:image/png;base64,AAAA']);
  });

  it.each([
    [{ code: 402, message: 'Insufficient credits' }, 402],
    [{ code: '402', message: 'Insufficient credits' }, 402],
    [{ type: 'billing_error', message: 'x' }, 402],
    [{ type: 'insufficient_quota', message: 'x' }, 402],
    [{ code: 'insufficient_credits', message: 'x' }, 402],
    [{ message: 'Insufficient Balance' }, 402],
    [{ type: 'rate_limit_exceeded', message: 'x' }, 429],
    [{ code: 'rate_limit_exceeded', message: 'x' }, 429],
    [{ type: 'overloaded_error', message: 'x' }, 529],
    [{ type: 'server_error', message: 'x' }, 500],
    [{ status: 'RESOURCE_EXHAUSTED', message: 'x' }, 429],
    [{ status: 'UNAVAILABLE', message: 'x' }, 503],
  ])('reports %j with the status %i, in a stream and with status 200', async (error, status) => {
    host.behave(streamRaw([delta('a'), sseEvent({ error })], { end: 'hang' }));
    expect((await drain(await stream())).failure).toMatchObject({ cause: { status } });
    host.behave(
      streamRaw([sseEvent({ error })]),
      answerJson(200, { error }),
      answerRaw(200, 'text/event-stream', JSON.stringify({ error })),
    );
    for (const open of [stream, complete, stream]) expect(await failureOf(open())).toMatchObject({ status });
  });
});
