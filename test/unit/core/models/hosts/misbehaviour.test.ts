import { createServer } from 'node:net';
import { errors, MockAgent } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProviderTimeouts } from '../../../../../src/core/models/hosts/endpoint/endpoint.ts';
import { createOpenAiCompatibleProvider } from '../../../../../src/core/models/hosts/openai-compatible/openai-compatible-provider.ts';
import {
  ProviderRejectedError,
  ProviderStreamError,
  ProviderTimeoutError,
  ProviderUnavailableError,
} from '../../../../../src/core/models/index.ts';
import { systemClock } from '../../../../../src/lib/clock.ts';
import { createLogger } from '../../../../../src/lib/log/logger.ts';
import { EVENT_STREAM_HOSTS } from '../../../../support/hosts/chat-hosts.ts';
import {
  answerJson,
  answerRaw,
  type Behaviour,
  die,
  hang,
  hangAfterHeaders,
  reset,
  sseEvent,
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

const PAGE = '<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>';

describe.each(EVENT_STREAM_HOSTS)('a host that misbehaves ($protocol)', (chatHost) => {
  const { start, answerHello, opening, text, finish } = chatHost;
  const first = opening + text('a');
  let host: ProviderUnderTest['host'];
  let provider: ProviderUnderTest['provider'];
  let close: ProviderUnderTest['close'];
  beforeEach(async () => {
    ({ host, provider, close } = await start());
  });
  afterEach(() => close());
  /** The same host with shorter timeouts. */
  const waitOnly = async (timeouts: Partial<ProviderTimeouts>) => {
    await close();
    ({ host, provider, close } = await start({ timeouts }));
  };
  const stream = () => provider.chat.stream(helloRequest(), noAbort());
  const complete = () => provider.chat.complete(helloRequest(), noAbort());

  const useless: readonly [string, Behaviour][] = [
    ['dies', die()],
    ['sends a web page', answerRaw(200, 'text/html', PAGE)],
    ['sends a web page and calls it an event stream', answerRaw(200, 'text/event-stream', PAGE)],
    ['sends half a JSON document', answerRaw(200, 'application/json', '{"choices": [{"mess')],
    ['sends nothing', answerRaw(200, 'text/event-stream', '')],
    ['sends an empty JSON body', answerRaw(200, 'application/json', '')],
    ['sends JSON of another kind', answerJson(200, { detail: 'ok' })],
    ['sends an answer without content', answerJson(200, { id: 'x', choices: [], type: 'message' })],
    ['sends a choice without a message', answerJson(200, { id: 'x', choices: [{ index: 0 }] })],
    ['redirects', ({ response }) => void response.writeHead(302, { location: '/elsewhere' }).end()],
  ];
  it.each(useless)('that %s is unavailable, for streams and completions', async (_, behaviour) => {
    host.behaveUsually(behaviour);
    expect(await failureOf(complete())).toBeInstanceOf(ProviderUnavailableError);
    expect(await failureOf(stream())).toBeInstanceOf(ProviderUnavailableError);
  });

  it.each([
    ['[DONE] alone', ['data: [DONE]\n\n']],
    ['comments alone', [': a\n\n', ': b\n\n']],
    ['events that are no JSON', ['data: hello\n\n']],
    ['events of another kind', [sseEvent({ type: 'ping' })]],
  ])('that streams %s is unavailable', async (_, writes) => {
    host.behave(streamRaw(writes));
    expect(await failureOf(stream())).toBeInstanceOf(ProviderUnavailableError);
  });

  it('whose address refuses connections is unavailable', async () => {
    await host.close();
    const error = await failureOf(stream());
    expect(error).toBeInstanceOf(ProviderUnavailableError);
    expect(error).toMatchObject({ message: 'host could not be reached (ECONNREFUSED)', status: undefined });
  });

  it('that does not speak HTTP is unavailable', async () => {
    const server = createServer((socket) =>
      socket
        .on('error', () => {})
        .resume()
        .end('SSH-2.0-OpenSSH_9.6\r\n'),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const other = await start({ baseUrl: `http://127.0.0.1:${port}/v1` });
    expect(await failureOf(other.provider.chat.stream(helloRequest(), noAbort()))).toBeInstanceOf(
      ProviderUnavailableError,
    );
    await other.close();
    await new Promise((resolve) => server.close(resolve));
  });

  it.each([
    ['stays silent', hang()],
    ['sends headers and nothing else', hangAfterHeaders()],
    ['sends comments and nothing else', streamRaw(Array(40).fill(': wait\n\n'), { everyMs: 20, end: 'hang' })],
    ['sends one byte now and then', streamRaw([...first], { everyMs: 60, end: 'hang' })],
  ])('that %s runs into the timeout of the first token', async (_, behaviour) => {
    await waitOnly({ firstTokenMs: 400 });
    host.behave(behaviour);
    const error = await failureOf(stream());
    expect(error).toBeInstanceOf(ProviderTimeoutError);
    expect(error).toMatchObject({ phase: 'first-token', provider: 'host' });
    await host.chatRequests[0]?.closed;
  });

  it('that stalls in the middle aborts the stream after the delivered text', async () => {
    await waitOnly({ idleMs: 1000 });
    host.behave(streamRaw([first, text('b')], { end: 'hang' }));
    const opened = await stream();
    const { answer, failure } = await drain(opened);
    expect(answer).toBe('ab');
    expect(failure).toBeInstanceOf(ProviderStreamError);
    expect(failure).toMatchObject({ cause: { phase: 'idle' } });
    expect(opened.outcome).toMatchObject({ finishReason: undefined, deltaCount: 2 });
    await host.chatRequests[0]?.closed;
  });

  it('that sends slowly without end runs into the total timeout', async () => {
    await waitOnly({ totalMs: 1500 });
    host.behave(streamRaw([first, ...Array(200).fill(text('drip'))], { everyMs: 30, end: 'hang' }));
    expect((await drain(await stream())).failure).toMatchObject({
      name: 'ProviderStreamError',
      cause: { phase: 'total' },
    });
  });

  it('is not blamed for a slow reader', async () => {
    await waitOnly({ idleMs: 800 });
    host.behave(streamRaw([first, text('b'), finish]));
    const opened = await stream();
    let items = 0;
    for await (const _ of opened) {
      items += 1;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    expect(items).toBeGreaterThan(0);
    expect(opened.outcome.finishReason).toBe('stop');
  });

  it('has the whole time for a completion without streaming', async () => {
    await waitOnly({ firstTokenMs: 100, idleMs: 100 });
    host.behave(async (exchange) => {
      await exchange.wait(600);
      return answerHello()(exchange);
    });
    expect((await complete()).outcome.finishReason).toBe('stop');
    await waitOnly({ totalMs: 300 });
    host.behave(hang());
    expect(await failureOf(complete())).toMatchObject({ name: 'ProviderTimeoutError', phase: 'total' });
  });

  it.each([
    ['cuts the connection', streamRaw([first], { end: 'cut' })],
    ['ends without a finish reason', streamRaw([first])],
    ['ends inside an event', streamRaw([first, text('b').slice(0, -12)])],
    ['sends an event that is no JSON', streamRaw([first, 'data: oops\n\n', text('b')], { end: 'hang' })],
    ['sends an error event', streamRaw([first, chatHost.errorEvent('overloaded')], { end: 'hang' })],
  ])('that %s in the middle aborts the stream', async (_, behaviour) => {
    host.behave(behaviour);
    const { answer, failure } = await drain(await stream());
    expect(answer).toBe('a');
    expect(failure).toBeInstanceOf(ProviderStreamError);
    await host.chatRequests[0]?.closed;
  });

  it('that sends an error together with text has the text delivered first', async () => {
    host.behave(streamRaw([first + text('b') + chatHost.errorEvent('overloaded')]));
    const { answer, failure } = await drain(await stream());
    expect(answer).toBe('ab');
    expect(failure).toMatchObject({ name: 'ProviderStreamError', message: expect.stringContaining('overloaded') });
  });

  it('that sends an endless event is aborted at the size of a whole answer', async () => {
    const piece = 'x'.repeat(4 * 1024 * 1024);
    host.behave(streamRaw([first, 'data: ', ...Array<string>(17).fill(piece)], { everyMs: 0, end: 'hang' }));
    const { failure } = await drain(await stream());
    expect(failure).toMatchObject({ name: 'ProviderStreamError', message: expect.stringContaining('too large') });
    await host.chatRequests[0]?.closed;
  });

  it('that sends an event of millions of lines is aborted early', async () => {
    const lines = 'data: 1\n'.repeat(500_000);
    host.behave(streamRaw([first, ...Array<string>(4).fill(lines)], { everyMs: 0, end: 'hang' }));
    const { failure } = await drain(await stream());
    expect(failure).toMatchObject({ name: 'ProviderStreamError', message: expect.stringContaining('too large') });
    await host.chatRequests[0]?.closed;
  });

  it.each([
    ['closed', die()],
    ['reset', reset()],
  ])('that %s a kept connection is asked once more on a new one', async (_way, behaviour) => {
    await complete();
    // The connection is free for the next request one turn of the event loop later.
    await new Promise((resolve) => setTimeout(resolve, 10));
    host.behave(behaviour, answerHello());
    expect((await complete()).outcome.finishReason).toBe('stop');
    expect(host.chatRequests).toHaveLength(3);
  });

  it('that refuses with a web page is reported in one line without markup', async () => {
    host.behave(answerRaw(502, 'text/html', PAGE));
    expect(await failureOf(complete())).toMatchObject({ message: 'host answered 502', status: 502 });
    host.behave(answerJson(400, chatHost.error(`bad\n\n${'very '.repeat(500)}long`)));
    const error = await failureOf(complete());
    expect(error).toBeInstanceOf(ProviderRejectedError);
    expect(error instanceof Error && error.message.length).toBeLessThanOrEqual(400);
    expect(error).toMatchObject({ message: expect.not.stringContaining('\n') });
  });
});

describe('a host of OpenAI’s protocol that misbehaves', () => {
  let host: ProviderUnderTest['host'];
  let provider: ProviderUnderTest['provider'];
  let close: ProviderUnderTest['close'];
  beforeEach(async () => {
    ({ host, provider, close } = await startProviderUnderTest());
  });
  afterEach(() => close());
  const stream = () => provider.chat.stream(helloRequest(), noAbort());
  const complete = () => provider.chat.complete(helloRequest(), noAbort());

  it('to which no connection can be opened runs into the connect timeout', async () => {
    // The error of the pool when packets vanish, which loopback can't show.
    const dispatcher = new MockAgent();
    const intercepted = dispatcher
      .get('http://far.example')
      .intercept({ path: '/v1/chat/completions', method: 'POST' });
    intercepted.replyWithError(new errors.ConnectTimeoutError());
    const config = {
      kind: 'openai-compatible',
      name: 'far',
      baseUrl: 'http://far.example/v1',
      apiKeys: [],
      timeouts: { connectMs: 7 },
    } as const;
    const far = createOpenAiCompatibleProvider(
      { clock: systemClock, logger: createLogger({ level: 'silent' }), dispatcher },
      config,
    );
    expect(await failureOf(far.chat.stream(helloRequest(), noAbort()))).toMatchObject({
      name: 'ProviderTimeoutError',
      phase: 'connect',
      message: 'far gave no answer in time (connect timeout, 7 ms)',
    });
    await dispatcher.close();
  });

  it('that begins with an error event has not started: another may be asked', async () => {
    host.behave(streamRaw([sseEvent({ error: { message: 'queue full', code: 429 } })]));
    expect(await failureOf(stream())).toMatchObject({ name: 'ProviderUnavailableError', status: 429 });
    host.behave(streamRaw([sseEvent({ error: { message: 'too long', code: 'context_length_exceeded' } })]));
    expect(await failureOf(stream())).toBeInstanceOf(ProviderRejectedError);
  });

  it('that answers 200 with an error has failed', async () => {
    host.behaveUsually(answerJson(200, { error: { message: 'provider returned error', code: 503 } }));
    expect(await failureOf(complete())).toMatchObject({ name: 'ProviderUnavailableError', status: 503 });
    expect(await failureOf(stream())).toMatchObject({ name: 'ProviderUnavailableError', status: 503 });
    host.behave(
      answerJson(200, { choices: [{ index: 0, error: { code: 502, message: 'upstream' }, message: { content: '' } }] }),
    );
    expect(await failureOf(complete())).toMatchObject({ name: 'ProviderUnavailableError', status: 502 });
  });
});
