import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { connectRaw, requestHead } from '../support/clients/http-raw.ts';
import { type HttpService, MODEL, startHttpService } from '../support/harness/http.ts';
import { answerHello, answerJson, hang, sseEvent, streamRaw } from '../support/hosts/fake-provider.ts';
import { createFakeClock, type FakeClock } from '../support/machine/fake-clock.ts';
import { startStopwatch } from '../support/machine/measure.ts';

interface Face {
  readonly path: string;
  readonly body: (stream: boolean) => unknown;
}
const OPENAI: Face = {
  path: '/ai/openai/chat/completions',
  body: (stream: boolean) => ({ model: MODEL, messages, stream }),
};
const RESPONSES: Face = {
  path: '/ai/openai/responses',
  body: (stream: boolean) => ({ model: MODEL, input: 'Hi', stream }),
};
const MESSAGES: Face = {
  path: '/ai/anthropic/messages',
  body: (stream: boolean) => ({ model: MODEL, max_tokens: 100, messages, stream }),
};
const NATIVE: Face = { path: '/ai/v2', body: (stream: boolean) => ({ model: MODEL, request: { messages, stream } }) };
const messages = [{ role: 'user', content: 'Hi' }];
const delta = (content: string) =>
  sseEvent({ id: 'x', choices: [{ index: 0, delta: { content }, finish_reason: null }] });

let clock: FakeClock;
let service: HttpService;
beforeAll(async () => {
  clock = createFakeClock();
  service = await startHttpService({ clock });
});
afterEach(() => service.provider.behaveUsually(answerHello()));
afterAll(() => service.close());

/** A streamed answer that can be read chunk by chunk. */
async function openStream(face: Face) {
  const response = await service.post(face.path, face.body(true));
  if (!response.body) throw new Error('no body');
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  return { response, next: async () => (await reader.read()).value, cancel: () => reader.cancel() };
}

describe.each([
  ['OpenAI', OPENAI],
  ['Responses', RESPONSES],
  ['Messages', MESSAGES],
  ['native', NATIVE],
])('a client that disconnects (%s)', (_name, face) => {
  test.each([
    ['before the first byte of a stream', true],
    ['before an answer without streaming', false],
  ])('%s aborts the provider request within 100 ms', async (_when, stream) => {
    service.provider.behave(hang());
    const leaving = new AbortController();
    const number = service.provider.chatRequests.length;
    const answer = service.post(face.path, face.body(stream), { signal: leaving.signal }).catch(() => undefined);
    const upstream = await service.provider.chatRequest(number);
    const elapsedMs = startStopwatch();
    leaving.abort();
    await upstream.closed;
    expect(elapsedMs()).toBeLessThan(100);
    expect(await answer).toBeUndefined();
  });

  test('in the middle of a stream aborts the provider request within 100 ms', async () => {
    service.provider.behave(streamRaw([delta('one')], { end: 'hang' }));
    const number = service.provider.chatRequests.length;
    const stream = await openStream(face);
    expect(await stream.next()).toContain('one');
    const upstream = await service.provider.chatRequest(number);
    const elapsedMs = startStopwatch();
    await stream.cancel();
    await upstream.closed;
    expect(elapsedMs()).toBeLessThan(100);
    expect(upstream.wasAnswered()).toBe(false);
  });
});

test('a broken connection aborts the provider request of a pipelined request as well', async () => {
  service.provider.behave(hang(), hang());
  const number = service.provider.chatRequests.length;
  const body = JSON.stringify(OPENAI.body(false));
  const head = requestHead(`POST ${OPENAI.path}`, {
    authorization: `Bearer ${service.apiKey}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  });
  const connection = await connectRaw(service.port);
  connection.send(`${head}${body}${head}${body}`);
  const upstreams = await Promise.all([service.provider.chatRequest(number), service.provider.chatRequest(number + 1)]);
  connection.socket.destroy();
  await Promise.all(upstreams.map((upstream) => upstream.closed));
});

test('the first chunk arrives before the provider sends the second', async () => {
  service.provider.behave(streamRaw([delta('one'), delta('two')], { everyMs: 30_000 }));
  const stream = await openStream(OPENAI);
  expect(await stream.next()).toBe(delta('one'));
  await stream.cancel();
});

test('headers are sent with the first event, so that an earlier failure has its own status', async () => {
  service.provider.behaveUsually(async (exchange) => {
    await exchange.wait(50);
    await answerJson(500, {})(exchange);
  });
  const response = await service.post(OPENAI.path, OPENAI.body(true));
  expect(response.status).toBe(502);
});

describe('a late first event', () => {
  const openSlowly = async (behaviour: Parameters<typeof service.provider.behaveUsually>[0]) => {
    const { promise: maySpeak, resolve: speak } = Promise.withResolvers<void>();
    service.provider.behaveUsually(async (exchange) => {
      await maySpeak;
      await behaviour(exchange);
    });
    const number = service.provider.chatRequests.length;
    const response = service.post(OPENAI.path, OPENAI.body(true));
    await service.provider.chatRequest(number);
    await clock.advance(15_000);
    return { response: await response, speak };
  };

  test('is preceded by status and pings after 15 seconds', async () => {
    const { response, speak } = await openSlowly(answerHello());
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    await clock.advance(15_000);
    speak();
    const text = await response.text();
    expect(text).toMatch(/^: ping\n\n: ping\n\ndata: \{/);
    expect(text).toMatch(/data: \[DONE\]\n\n$/);
  });

  test('may be a failure, which is reported inside the stream', async () => {
    const { response, speak } = await openSlowly(answerJson(500, {}));
    speak();
    expect(await response.text()).toMatch(/^: ping\n\ndata: \{"error":\{.*"code":"upstream_error".*\}\}\n\n$/);
    await expect.poll(() => clock.pending).toBe(0);
  });
});

describe('a silent provider', () => {
  test('causes a ping every 15 seconds, from the first event on', async () => {
    service.provider.behave(streamRaw([delta('one')], { end: 'hang' }));
    const stream = await openStream(OPENAI);
    expect(await stream.next()).toBe(delta('one'));
    await clock.advance(14_999);
    await clock.advance(1);
    expect(await stream.next()).toBe(': ping\n\n');
    await clock.advance(15_000);
    expect(await stream.next()).toBe(': ping\n\n');
    await stream.cancel();
  });

  test('causes a ping only after 15 seconds without any chunk', async () => {
    let sayMore = () => {};
    service.provider.behave(async ({ response }) => {
      const more = new Promise<void>((resolve) => {
        sayMore = resolve;
      });
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(delta('one'));
      await more;
      response.write(delta('two'));
    });
    const stream = await openStream(OPENAI);
    expect(await stream.next()).toBe(delta('one'));
    await clock.advance(10_000);
    sayMore();
    expect(await stream.next()).toBe(delta('two'));
    await clock.advance(14_000);
    const next = stream.next();
    await clock.advance(1000);
    expect(await next).toBe(': ping\n\n');
    await stream.cancel();
  });

  test('leaves no timer when the stream is over', async () => {
    const response = await service.post(OPENAI.path, OPENAI.body(true));
    await response.text();
    await expect.poll(() => clock.pending).toBe(0);
  });

  test('causes no pings in the native stream', async () => {
    service.provider.behave(streamRaw([delta('one')], { end: 'hang' }));
    const stream = await openStream(NATIVE);
    await stream.next();
    expect(clock.pending).toBe(0);
    await stream.cancel();
  });
});

describe('a stream that breaks', () => {
  test.each([
    ['is cut off', streamRaw([delta('one')], { end: 'cut' })],
    ['ends without finish reason', streamRaw([delta('one')], { end: 'clean' })],
    ['sends an error', streamRaw([delta('one'), sseEvent({ error: { message: 'overloaded at http://10.0.0.1' } })])],
  ])('ends with an error and without [DONE] when it %s', async (_how, behaviour) => {
    service.provider.behave(behaviour);
    const response = await service.post(OPENAI.path, OPENAI.body(true));
    const text = await response.text();
    expect(text.startsWith(delta('one'))).toBe(true);
    const last = text.slice(delta('one').length);
    expect(last).toMatch(/^data: \{"error":.*\}\n\n$/);
    expect(JSON.parse(last.slice('data: '.length))).toEqual({
      error: {
        message: expect.any(String),
        type: 'server_error',
        param: null,
        code: 'stream_interrupted',
      },
    });
    expect(last).not.toMatch(/10\.0\.0\.1|127\.0\.0\.1/);
  });
});

test('a slow client slows the provider down instead of filling the memory', async () => {
  const piece = delta('x'.repeat(64 * 1024));
  let written = 0;
  service.provider.behave(async ({ response, gone }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    while (!gone.aborted && written < 2000) {
      written++;
      if (!response.write(piece))
        await new Promise<void>((resolve) => {
          response.once('drain', resolve);
          gone.addEventListener('abort', () => resolve(), { once: true });
        });
    }
  });
  const body = JSON.stringify(OPENAI.body(true));
  const connection = await connectRaw(service.port);
  connection.socket.pause();
  connection.send(
    `${requestHead(`POST ${OPENAI.path}`, {
      authorization: `Bearer ${service.apiKey}`,
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    })}${body}`,
  );
  // 2000 chunks are 128 MiB: the two sockets' buffers hold a small part of that.
  let before = -1;
  await expect
    .poll(
      () => {
        const hasStopped = written > 0 && written === before;
        before = written;
        return hasStopped;
      },
      { interval: 200, timeout: 20_000 },
    )
    .toBe(true);
  expect(written).toBeLessThan(1000);

  // A client that reads nothing within a minute counts as gone.
  await clock.advance(60_000);
  connection.socket.resume();
  await connection.ended();
});
