import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectRaw, requestHead } from '../support/clients/http-raw.ts';
import { type HttpService, MODEL, startHttpService } from '../support/harness/http.ts';
import { answerHello } from '../support/hosts/fake-provider.ts';
import { createFastClock } from '../support/machine/fast-clock.ts';

const PATH = '/ai/openai/chat/completions';

let service: HttpService;
/** The same service with a short timeout for requests. */
let hasty: HttpService;
let body: string;
let head: (headers: Record<string, string>) => string;
beforeAll(async () => {
  service = await startHttpService();
  hasty = await startHttpService({ clock: createFastClock(300) });
  hasty.server.headersTimeout = 300;
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
  const head = answer.split('\r\n\r\n', 1)[0] ?? '';
  const read = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim();
  return {
    status: Number(answer.slice(9, 12)),
    code: /"code":"(\w+)"/.exec(answer)?.[1],
    isClosing: read('connection') === 'close',
    keepAlive: read('keep-alive'),
    date: read('date'),
    requestId: read('x-request-id'),
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
    ['two Hosts', 'GET /healthz HTTP/1.1\r\nhost: a\r\nHost: b\r\n\r\n', 400],
    ['two equal Hosts', 'GET /healthz HTTP/1.1\r\nHOST: a\r\nx: y\r\nhost: a\r\n\r\n', 400],
    ['two Hosts of HTTP/1.0', 'GET /healthz HTTP/1.0\r\nhost: a\r\nhost: a\r\n\r\n', 400],
    ['two Hosts at an unknown address', 'GET /nope HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n', 400],
    ['another version', 'GET /healthz HTTP/2.0\r\nhost: x\r\n\r\n', 505],
    ['an unknown method', 'BREW /healthz HTTP/1.1\r\nhost: x\r\n\r\n', 501],
    ['a known method in lower case', 'get /healthz HTTP/1.1\r\nhost: x\r\n\r\n', 501],
    ['a longer method', 'GETTING /healthz HTTP/1.1\r\nhost: x\r\n\r\n', 501],
    ['a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n', 501],
    ['an endless path', `GET /${'x'.repeat(40_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, 431],
  ])('%s are answered, and the connection is closed', async (_what, bytes, status) => {
    const connection = await connectRaw(service.port);
    connection.send(bytes);
    const answer = lastAnswer(await connection.ended());
    expect(answer).toMatchObject({ status, isClosing: true, keepAlive: undefined });
    expect(answer.requestId).toMatch(/^req_[\w-]{22}$/);
    expect(Math.abs(Date.parse(answer.date ?? '') - Date.now())).toBeLessThan(60_000);
  });

  test.each([
    'a b',
    'http://x',
    'x/y',
    'x@y',
    'a,b',
    'x:port',
    'x:99999',
    '[::1',
    '::1',
    'é',
    'x\\y',
    '<x>',
    '"x"',
    '?x',
  ])('a Host of %s is a 400', async (host) => {
    const connection = await connectRaw(service.port);
    connection.send(Buffer.from(`GET /healthz HTTP/1.1\r\nhost: ${host}\r\n\r\n`));
    expect(lastAnswer(await connection.ended())).toMatchObject({ status: 400, isClosing: true });
  });

  test.each([
    '',
    'x',
    'X.example',
    'x:',
    'x:80',
    'x:65535',
    '127.0.0.1:8080',
    '[::1]',
    '[2001:db8::1]:443',
    'a_b-c~d',
    '%41',
  ])('a Host of "%s" is valid', async (host) => {
    const connection = await connectRaw(service.port);
    connection.send(`GET /healthz HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
    expect(lastAnswer(await connection.ended()).status).toBe(200);
  });

  test.each(['PROPFIND', 'TRACE', 'LINK', 'M-SEARCH', 'QUERY'])(
    'the method %s of no route is a 501',
    async (method) => {
      const connection = await connectRaw(service.port);
      for (const path of ['/healthz', '/nope', PATH]) {
        connection.send(requestHead(`${method} ${path}`, { 'x-request-id': `probe${path}` }));
        const text = await connection.receive((all) => all.endsWith('}') && all.includes(`probe${path}`));
        expect(lastAnswer(text)).toMatchObject({ status: 501, code: 'method_not_implemented', isClosing: false });
      }
      connection.socket.destroy();
    },
  );

  test('OPTIONS of the whole service lists every method', async () => {
    const connection = await connectRaw(service.port);
    connection.send(requestHead('OPTIONS *', { connection: 'close' }));
    expect(await connection.ended()).toMatch(/^HTTP\/1\.1 204 .*\r\nallow: DELETE, GET, HEAD, .*OPTIONS\r\n/is);
  });

  test('after a complete request do not take its answer', async () => {
    service.provider.behave(async (exchange) => {
      await exchange.wait(100);
      await answerHello({ pieces: ['the answer'] })(exchange);
    });
    const connection = await connectRaw(service.port);
    connection.send(`${head(lengthOf(body))}${body}BREW / HTTP/1.1\r\n\r\n`);
    const text = await connection.ended();
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
    expect(text).toContain('the answer');
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

describe('the connection of an answer is kept or closed as its headers say', () => {
  const big = 'x'.repeat(21 * 2 ** 20);
  const requests: readonly (readonly [string, string, Readonly<Record<string, string>>, string, number])[] = [
    ['success', 'GET /healthz', {}, '', 200],
    ['an unknown address', 'GET /nope', {}, '', 404],
    ['an unknown address with HEAD', 'HEAD /nope', {}, '', 404],
    ['a wrong method', 'DELETE /healthz', {}, '', 405],
    ['an unknown method', 'PROPFIND /healthz', {}, '', 501],
    ['a bad address', 'GET /%zz', {}, '', 400],
    ['a missing key', `POST ${PATH}`, lengthOf('{}'), '{}', 401],
    ['a missing file', 'GET /file/nope', {}, '', 404],
    ['another content type', `POST ${PATH}`, { ...lengthOf('{}'), 'content-type': 'text/plain' }, '{}', 415],
    ['a body that is no JSON', `POST ${PATH}`, { ...lengthOf('{'), 'content-type': 'application/json' }, '{', 400],
    ['a large body', `POST ${PATH}`, { ...lengthOf(big), 'content-type': 'application/json' }, big, 413],
    ['a body without end', `POST ${PATH}`, { 'content-length': '99999999999' }, '', 413],
    ['another expectation', 'GET /healthz', { expect: '200-ok' }, '', 417],
  ];
  const CLIENTS = {
    'HTTP/1.1': [{}, true],
    'HTTP/1.1 with close': [{ connection: 'close' }, false],
    'HTTP/1.0': [{}, false],
    'HTTP/1.0 with keep-alive': [{ connection: 'keep-alive' }, true],
  } as const;
  const cases = Object.entries(CLIENTS).flatMap(([client, [headers, wantsKeptAlive]]) =>
    requests.map((request) => [client, request[0], { request, headers, wantsKeptAlive }] as const),
  );
  const isWhole = (text: string) => {
    const [head = '', ...rest] = text.split('\r\n\r\n');
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
    return rest.length > 0 && Buffer.byteLength(rest.join('\r\n\r\n')) >= length;
  };

  test.each(cases)('%s, %s', async (client, _what, { request, headers, wantsKeptAlive }) => {
    const [, line, own, sentBody, status] = request;
    const version = client.slice(0, 8);
    const auth = status === 401 ? {} : { authorization: `Bearer ${service.apiKey}` };
    const connection = await connectRaw(service.port);
    connection.send(requestHead(line, { ...auth, ...own, ...headers }).replace('HTTP/1.1', version) + sentBody);
    const isHead = line.startsWith('HEAD');
    const first = await connection.receive((text) => (isHead ? text.includes('\r\n\r\n') : isWhole(text)));
    const answer = lastAnswer(first);
    expect(answer.status).toBe(status);
    const isKept = wantsKeptAlive && own['content-length'] !== '99999999999';
    expect([answer.isClosing, answer.keepAlive]).toEqual(isKept ? [false, 'timeout=72'] : [true, undefined]);
    if (isKept) {
      connection.send(requestHead('GET /readyz', { connection: 'close' }));
      expect((await connection.ended()).slice(first.length)).toMatch(/^HTTP\/1\.1 200 /);
    } else expect(await connection.ended()).toBe(first);
  });
});

describe('a body over the limit', () => {
  test('is refused by its declared length, and the client can finish sending and read why', async () => {
    const connection = await connectRaw(service.port);
    const big = 'x'.repeat(21 * 2 ** 20);
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
    const piece = 'x'.repeat(7 * 2 ** 20);
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
