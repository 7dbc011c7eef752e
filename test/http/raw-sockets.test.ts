import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerHello } from '../support/fake-provider.ts';
import { connectRaw, requestHead } from '../support/http-raw.ts';
import { type HttpService, MODEL, startHttpService } from '../support/http-service.ts';

const PATH = '/ai/openai/chat/completions';

let service: HttpService;
/** The same service with a short timeout for requests. */
let hasty: HttpService;
let body: string;
let head: (headers: Record<string, string>) => string;
beforeAll(async () => {
  service = await startHttpService({ limits: { bodyBytes: 100_000 } });
  hasty = await startHttpService({ limits: { headersTimeoutMs: 1000, requestTimeoutMs: 2000 } });
  body = JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'Hi ключ' }] });
  head = (headers) =>
    requestHead(`POST ${PATH}`, {
      authorization: `Bearer ${service.apiKey}`,
      'content-type': 'application/json',
      ...headers,
    });
});
afterAll(() => Promise.all([service.close(), hasty.close()]));

/** Returns status and error code of the answer at the end of `text`. */
function lastAnswer(text: string) {
  const answer = text.slice(text.lastIndexOf('HTTP/1.1 '));
  return {
    status: Number(answer.slice(9, 12)),
    code: /"code":"(\w+)"/.exec(answer)?.[1],
    isClosing: /\r\nconnection: close\r\n/i.test(answer),
  };
}

const lengthOf = (text: string) => ({ 'content-length': String(Buffer.byteLength(text)) });

describe('bytes that are no request', () => {
  test.each<[string, string | Buffer, number]>([
    ['plain text', 'hello, is anybody there?\r\n\r\n', 400],
    ['noise', Buffer.from(Array.from({ length: 300 }, (_, at) => (at * 37) % 256)), 400],
    ['a TLS hello', Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]), 400],
    ['a header without name', 'GET / HTTP/1.1\r\nhost: x\r\n: y\r\n\r\n', 400],
    ['no Host', 'GET /healthz HTTP/1.1\r\n\r\n', 400],
    ['a length that is no number', requestHead(`POST ${PATH}`, { 'content-length': 'many' }), 400],
    [
      'two contradictory lengths',
      requestHead(`POST ${PATH}`, { 'content-length': '5', 'transfer-encoding': 'chunked' }),
      400,
    ],
    ['a chunk without size', `${requestHead(`POST ${PATH}`, { 'transfer-encoding': 'chunked' })}zz\r\n`, 400],
    ['huge headers', requestHead('GET /healthz', { 'x-long': 'x'.repeat(40_000) }), 431],
    [
      'very many headers',
      requestHead('GET /healthz', Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`x-${at}`, 'value']))),
      431,
    ],
    ['an endless path', `GET /${'x'.repeat(40_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, 431],
  ])('%s are answered, and the connection is closed', async (_what, bytes, status) => {
    const connection = await connectRaw(service.port);
    connection.send(bytes);
    expect(lastAnswer(await connection.ended())).toMatchObject({ status, isClosing: true });
  });

  test('leave the service running', async () => {
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  });
});

describe.concurrent('an incomplete request', () => {
  test.each([
    ['headers that never end', 'GET /healthz HTTP/1.1\r\nhost: x\r\n'],
    ['a body that never comes', `POST ${PATH} HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n`],
  ])('with %s is a 408', async (_what, bytes) => {
    const connection = await connectRaw(hasty.port);
    connection.send(bytes);
    expect(lastAnswer(await connection.ended())).toMatchObject({ status: 408, code: 'request_timeout' });
  });

  test('with a body that stops in the middle is a 408', async () => {
    const connection = await connectRaw(hasty.port);
    connection.send(`${head({ 'content-length': '1000' })}{"model"`);
    expect(lastAnswer(await connection.ended())).toMatchObject({ status: 408 });
  });

  test('of a client that disconnects in its body is not sent to a provider', async () => {
    const asked = service.provider.requests.length;
    const connection = await connectRaw(service.port);
    connection.send(`${head({ 'content-length': '1000' })}{"model"`);
    await fetch(`${service.url}/healthz`);
    connection.socket.destroy();
    await fetch(`${service.url}/healthz`);
    expect(service.provider.requests.length).toBe(asked);
  });
});

describe('unusual but valid requests', () => {
  test('have a chunked body, split inside characters', async () => {
    const connection = await connectRaw(service.port);
    connection.send(head({ 'transfer-encoding': 'chunked' }));
    for (const byte of Buffer.from(body)) {
      connection.send(Buffer.concat([Buffer.from('1\r\n'), Buffer.from([byte]), Buffer.from('\r\n')]));
    }
    connection.send('0\r\n\r\n');
    expect(lastAnswer(await connection.receive((text) => text.endsWith('}'))).status).toBe(200);
    expect(service.provider.chatRequests.at(-1)?.body.messages).toEqual([{ role: 'user', content: 'Hi ключ' }]);
    connection.socket.destroy();
  });

  test('are pipelined and answered in order', async () => {
    service.provider.behave(
      async (exchange) => {
        await exchange.wait(100);
        await answerHello({ pieces: ['first'] })(exchange);
      },
      answerHello({ pieces: ['second'] }),
    );
    const request = `${head(lengthOf(body))}${body}`;
    const connection = await connectRaw(service.port);
    connection.send(`${request}${request}${requestHead('GET /healthz', { connection: 'close' })}`);
    const text = await connection.ended();
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 200']);
    expect(text.indexOf('first')).toBeLessThan(text.indexOf('second'));
    expect(text.indexOf('second')).toBeLessThan(text.indexOf('"ok"'));
  });

  test('are followed by junk, which does not get into the answer', async () => {
    service.provider.behave(answerHello({ pieces: Array(100).fill('word '), everyMs: 50 }));
    const streamed = body.replace('{', '{"stream":true,');
    const connection = await connectRaw(service.port);
    connection.send(`${head(lengthOf(streamed))}${streamed}`);
    await connection.receive((text) => text.includes('word'));
    connection.send('junk junk\r\n\r\n');
    expect((await connection.ended()).match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  test('have Expect: 100-continue, which is answered before the body', async () => {
    const connection = await connectRaw(service.port);
    connection.send(head({ ...lengthOf(body), expect: '100-continue' }));
    await connection.receive((text) => text.startsWith('HTTP/1.1 100 Continue\r\n\r\n'));
    connection.send(body);
    expect(lastAnswer(await connection.receive((text) => text.endsWith('}'))).status).toBe(200);
    connection.socket.destroy();
  });

  test('ask for an upgrade that is not offered, and are answered without it', async () => {
    const connection = await connectRaw(service.port);
    connection.send(requestHead('GET /healthz', { connection: 'Upgrade, close', upgrade: 'websocket' }));
    expect(lastAnswer(await connection.ended()).status).toBe(200);
  });

  test('have HTTP/1.0 and get a stream until the connection closes', async () => {
    const connection = await connectRaw(service.port);
    const streamed = body.replace('{', '{"stream":true,');
    connection.send(`${head(lengthOf(streamed)).replace('HTTP/1.1', 'HTTP/1.0')}${streamed}`);
    const text = await connection.ended();
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(text.toLowerCase()).not.toContain('transfer-encoding');
  });
});

describe('a body over the limit', () => {
  test('is refused by its declared length, and the client can finish sending and read why', async () => {
    const connection = await connectRaw(service.port);
    const big = 'x'.repeat(200_000);
    connection.send(head(lengthOf(big)));
    expect(lastAnswer(await connection.receive((text) => text.endsWith('}')))).toMatchObject({
      status: 413,
      code: 'request_too_large',
    });
    connection.send(big);
    connection.send(requestHead('GET /healthz', { connection: 'close' }));
    expect(lastAnswer(await connection.ended()).status).toBe(200);
  });

  test('in chunks without a declared length is refused when it exceeds the limit', async () => {
    const connection = await connectRaw(service.port);
    connection.send(head({ 'transfer-encoding': 'chunked' }));
    const piece = 'x'.repeat(50_000);
    for (let sent = 0; sent < 3; sent++) connection.send(`${piece.length.toString(16)}\r\n${piece}\r\n`);
    expect(lastAnswer(await connection.ended())).toMatchObject({
      status: 413,
      code: 'request_too_large',
      isClosing: true,
    });
  });

  test('that claims to be endless closes the connection', async () => {
    const connection = await connectRaw(service.port);
    connection.send(head({ 'content-length': '99999999999' }));
    expect(lastAnswer(await connection.ended())).toMatchObject({ status: 413, isClosing: true });
  });
});
