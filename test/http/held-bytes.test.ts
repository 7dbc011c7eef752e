import { randomFillSync } from 'node:crypto';
import { fastify } from 'fastify';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { installHolds } from '../../src/http/server/bodies/holds.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { HeldBytes } from '../../src/lib/http/held-bytes.ts';
import { connectRaw, type RawConnection, requestHead } from '../support/clients/http-raw.ts';
import { fieldPart, filePart, MULTIPART_TYPE, toMultipartBody } from '../support/clients/multipart-body.ts';
import { type HttpService, listRoutes, MODEL, startHttpService } from '../support/harness/http.ts';
import { type ConsoleService, startConsoleService } from '../support/harness/http-users.ts';
import { answerRaw } from '../support/hosts/fake-provider.ts';
import { createTestDatabase, type TestDatabase } from '../support/stores/test-database.ts';

const MIB = 1024 * 1024;

describe('while no more bytes may be held', () => {
  /** Less than the least that is reserved for a request. */
  const TINY = 100_000;
  /** Routes whose answers are streams, shared by all requests, or small whatever is stored. */
  const HOLD_NOTHING = [
    /^(GET|OPTIONS) \/(healthz|readyz|metrics|openapi\.json|docs.*|console.*)?$/,
    /^\w+ \/(upload|file|delete)\b/,
    /^(POST \/api\/sessions|PUT \/api\/me\/files.*)$/,
  ];
  let service: ConsoleService;
  let token: string;
  beforeAll(async () => {
    service = await startConsoleService({ maxHeldBytes: TINY });
    service.adminIds.push(7);
    ({ token } = await service.signIn(7));
  });
  afterAll(() => service.close());

  test('every route that answers whole refuses before a host is asked', async () => {
    const guarded: string[] = [];
    for (const [method, path] of listRoutes(service.printRoutes())) {
      const route = `${method} ${path}`;
      if (method === 'HEAD' || HOLD_NOTHING.some((pattern) => pattern.test(route))) continue;
      const response = await fetch(service.url + path.replaceAll(/:\w+/g, '1').replace('*', '/1'), {
        method,
        headers: {
          authorization: `Bearer ${path.startsWith('/ai') ? service.apiKey : token}`,
          ...(method === 'POST' || method === 'PATCH' || method === 'PUT'
            ? { 'content-type': path.includes('/audio/tr') ? MULTIPART_TYPE : 'application/json' }
            : {}),
        },
        ...(method === 'GET' || method === 'DELETE' ? {} : { body: '{}' }),
      });
      expect([route, response.status, response.headers.get('retry-after')]).toEqual([route, 503, '5']);
      expect(await response.text()).toContain('Too much data is being processed right now');
      guarded.push(route);
    }
    expect(guarded).toEqual(expect.arrayContaining(['POST /ai/v2', 'GET /api/users', 'GET /api/me', 'GET /share/:id']));
    expect(service.provider.requests).toHaveLength(0);
    expect(service.heldBytes.totalBytes).toBe(0);
  });
});

describe('of answers that clients leave unread', () => {
  const MAX = 64 * MIB;
  /** More than sockets take in. */
  const LONG = 'x'.repeat(6 * MIB);
  const messages = [{ role: 'user', content: 'Hi' }];
  const inputs = Array.from({ length: 200 }, (_, at) => `text ${at}`);
  const vector = `[${Array.from({ length: 1536 }, () => '0.12345678901234567').join(',')}]`;
  const vectors = inputs.map((_, index) => `{"object":"embedding","index":${index},"embedding":${vector}}`);
  const audio = toMultipartBody([fieldPart('model', 'voice'), filePart('; filename="a.ogg"', 'OggS')]);
  let image: string;

  interface Scenario {
    readonly body: object | Buffer;
    /** What the host answers. */
    readonly host: () => string;
  }
  const completion = () =>
    JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', content: LONG }, finish_reason: 'stop' }] });
  const imageAnswer = () => JSON.stringify({ created: 1, data: [{ b64_json: image }] });
  const UNREAD: Readonly<Record<string, Scenario>> = {
    '/ai/openai/chat/completions': { body: { model: MODEL, messages }, host: completion },
    '/ai/v2': { body: { model: MODEL, request: { messages } }, host: completion },
    '/ai/openai/responses': { body: { model: MODEL, input: 'Hi' }, host: completion },
    '/ai/anthropic/messages': { body: { model: MODEL, max_tokens: 10, messages }, host: completion },
    '/ai/openai/completions': {
      body: { model: MODEL, prompt: 'Hi' },
      host: () => JSON.stringify({ choices: [{ index: 0, text: LONG, finish_reason: 'stop' }] }),
    },
    '/ai/openai/embeddings': {
      body: { model: 'vectors', input: inputs },
      host: () => `{"object":"list","data":[${vectors.join(',')}],"usage":{"prompt_tokens":1,"total_tokens":1}}`,
    },
    '/ai/openai/moderations': {
      body: { model: 'judge', input: 'Hi' },
      host: () => JSON.stringify({ id: 'm', model: 'm', more: LONG, results: [{ flagged: false, categories: {} }] }),
    },
    '/ai/openai/rerank': {
      body: { model: 'order', query: 'Hi', documents: ['a'], return_documents: true },
      host: () => JSON.stringify({ results: [{ index: 0, relevance_score: 1, document: { text: LONG } }] }),
    },
    '/ai/openai/audio/transcriptions': { body: audio, host: () => JSON.stringify({ text: LONG }) },
    '/ai/openai/audio/translations': { body: audio, host: () => JSON.stringify({ text: LONG }) },
    '/ai/openai/images/generations': {
      body: { model: 'painter', prompt: 'fox', size: '1500x1500' },
      host: imageAnswer,
    },
    '/ai/imagen': { body: { model: 'painter', prompt: 'fox' }, host: imageAnswer },
    '/ai/openai/images/edits': {
      body: { model: 'painter', prompt: 'fox', images: [{ image_url: '' }] },
      host: imageAnswer,
    },
  };
  /** Streams, and answers that are small whatever the host sends. */
  const NOT_WHOLE = new Set([
    '/ai/openai/audio/speech',
    '/ai/anthropic/messages/count_tokens',
    '/ai/openai/responses/:id/cancel',
    '/ai/openai/responses/input_tokens',
    '/ai/feedback',
  ]);

  let service: HttpService;
  beforeAll(async () => {
    const noise = randomFillSync(Buffer.alloc(1500 * 1500 * 3));
    const raw = { width: 1500, height: 1500, channels: 3 } as const;
    image = (await sharp(noise, { raw }).png({ compressionLevel: 0 }).toBuffer()).toString('base64');
    const small = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    const url = `data:image/png;base64,${small.toString('base64')}`;
    Object.assign(UNREAD['/ai/openai/images/edits']?.body ?? {}, { images: [{ image_url: url }] });
    service = await startHttpService({
      maxHeldBytes: MAX,
      otherModels: [
        { id: 'vectors', type: 'embedding' },
        { id: 'judge', type: 'moderation' },
        { id: 'order', type: 'rerank' },
        { id: 'voice', type: 'transcription' },
        { id: 'painter', type: 'image', acceptsImages: true },
      ],
    });
  });
  afterAll(() => service.close());

  test('every route of the server is tested', () => {
    const routes = listRoutes(service.printRoutes()).flatMap(([method, path]) =>
      method === 'POST' && path.startsWith('/ai/') && !NOT_WHOLE.has(path) ? [path] : [],
    );
    expect(routes.sort()).toEqual(Object.keys(UNREAD).sort());
  });

  const open = async (path: string, body: object | Buffer): Promise<RawConnection> => {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
    const connection = await connectRaw(service.port);
    connection.send(
      requestHead(`POST ${path}`, {
        authorization: `Bearer ${service.apiKey}`,
        'content-type': Buffer.isBuffer(body) ? MULTIPART_TYPE : 'application/json',
        'content-length': String(bytes.length),
      }),
    );
    connection.send(bytes);
    await connection.receive((text) => text.includes('\r\n\r\n'));
    connection.socket.pause();
    return connection;
  };

  test.each(Object.entries(UNREAD))('the bytes are bounded at %s', async (path, { body, host }) => {
    const answer = answerRaw(200, 'application/json', host());
    service.provider.behaveUsually(answer);
    service.provider.behaveElsewhere(answer);
    const before = service.provider.requests.length;
    const connections: RawConnection[] = [];
    for (let count = 0; count < 8; count += 1) {
      connections.push(await open(path, body));
      expect(service.heldBytes.totalBytes).toBeLessThanOrEqual(MAX / 2);
    }
    const statuses = connections.map((connection) => Number(connection.received().slice(9, 12)));
    const servedCount = statuses.lastIndexOf(200) + 1;
    expect(servedCount).toBeGreaterThan(0);
    expect(statuses).toEqual(statuses.map((_, at) => (at < servedCount ? 200 : 503)));
    expect(connections.at(-1)?.received()).toMatch(/\r\nretry-after: 5\r\n/i);
    // At most one answer can turn out to be larger than what was left.
    expect(service.provider.requests.length - before).toBeLessThanOrEqual(servedCount + 1);
    for (const { socket } of connections) socket.destroy();
    await expect.poll(() => service.heldBytes.totalBytes).toBe(0);
  });
});

describe('what a request brings along', () => {
  const MAX = 4 * MIB;
  const PATH = '/ai/openai/responses';
  let database: TestDatabase;
  let service: HttpService;
  beforeAll(async () => {
    database = await createTestDatabase();
    service = await startHttpService({ database, maxHeldBytes: MAX });
  });
  afterAll(async () => {
    await service.close();
    await database.close();
  });
  const head = (headers: Readonly<Record<string, string>>) =>
    requestHead(`POST ${PATH}`, {
      authorization: `Bearer ${service.apiKey}`,
      'content-type': 'application/json',
      ...headers,
    });

  test('counts before a body of declared size is read', async () => {
    const connection = await connectRaw(service.port);
    connection.send(head({ 'content-length': String(3 * MIB), expect: '100-continue' }));
    expect(await connection.receive((text) => text.endsWith('}'))).toMatch(
      /^HTTP\/1\.1 503 .*\r\nretry-after: 5\r\n/is,
    );
    connection.socket.destroy();
    await expect.poll(() => service.heldBytes.totalBytes).toBe(0);
  });

  test('counts while a body without declared size arrives', async () => {
    const connection = await connectRaw(service.port);
    connection.send(head({ 'transfer-encoding': 'chunked' }));
    const chunk = Buffer.from(`${MIB.toString(16)}\r\n${'x'.repeat(MIB)}\r\n`);
    connection.send(chunk);
    await expect.poll(() => service.heldBytes.totalBytes).toBeGreaterThan(MIB);
    connection.send(chunk);
    expect(await connection.receive((text) => text.endsWith('}'))).toMatch(/^HTTP\/1\.1 503 /);
    connection.socket.destroy();
    await expect.poll(() => service.heldBytes.totalBytes).toBe(0);
  });

  test('counts with the stored conversation that it continues', async () => {
    const ask = (fields: object) => service.post(PATH, { model: MODEL, input: 'x'.repeat(MIB / 2), ...fields });
    const first = z.object({ id: z.string(), store: z.literal(true) }).parse(await (await ask({})).json());
    expect((await ask({ previous_response_id: first.id })).status).toBe(200);
    const narrow = await startHttpService({ database, maxHeldBytes: MIB });
    const headers = { authorization: `Bearer ${narrow.apiKey}` };
    const refused = await narrow.post(PATH, { model: MODEL, input: 'Hi', previous_response_id: first.id }, { headers });
    expect(refused.status).toBe(503);
    expect(narrow.provider.chatRequests).toHaveLength(0);
    expect((await narrow.post(PATH, { model: MODEL, input: 'Hi' }, { headers })).status).toBe(200);
    await narrow.close();
  });
});

test('the reading of a body without declared size ends when its client leaves', async () => {
  const heldBytes = new HeldBytes(MIB);
  const server = fastify();
  installHolds(server, { heldBytes, clock: systemClock }, () => 1);
  const { promise: failed, resolve } = Promise.withResolvers<Error>();
  server.addHook('onError', async (_request, _reply, error) => resolve(error));
  server.post('/', () => 'answered');
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = z.object({ port: z.number() }).parse(server.server.address());
  const connection = await connectRaw(port);
  const chunked = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
  connection.send(`${requestHead('POST /', chunked)}3\r\n{"a\r\n`);
  await expect.poll(() => heldBytes.totalBytes).toBeGreaterThan(0);
  connection.socket.destroy();
  await expect(failed).resolves.toMatchObject({ code: 'ECONNRESET' });
  await expect.poll(() => heldBytes.totalBytes).toBe(0);
  await server.close();
});
