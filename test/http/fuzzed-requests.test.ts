import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectRaw } from '../support/clients/http-raw.ts';
import { type HttpService, MODEL, startHttpService } from '../support/harness/http.ts';
import { createTestDatabase, type TestDatabase } from '../support/stores/test-database.ts';

const RUNS = 400;
const SEED = 20;
/** Far above the time of a run, and far below the timeout of one hanging request. */
const MAX_MS = 120_000;
const MAX_HEAP_BYTES = 150 * 1024 * 1024;

let database: TestDatabase;
let service: HttpService;
let fileId: string;
beforeAll(async () => {
  database = await createTestDatabase();
  service = await startHttpService({ database, corsOrigins: ['https://chat.example.com'] });
  const answer = await fetch(`${service.url}/upload/a.txt`, { method: 'PUT', body: 'twelve bytes' });
  fileId = ((await answer.json()) as { id: string }).id;
});
afterAll(async () => {
  await service.close();
  await database.close();
});

/** Fragments that parsers of paths, headers, forms and JSON treat specially. */
const fragment = fc.constantFrom(
  ...[
    '',
    'a',
    '"',
    "'",
    ';',
    ',',
    '=',
    '*',
    '\\',
    '%',
    '%00',
    '%0d%0ax-injected: 1',
    '%2e%2e%2f',
    '%ff',
    '..',
    '//',
    '-1',
  ],
  ...[
    '0',
    '99999999999999999999',
    '1e999',
    '\t',
    '\x01',
    '\x7f',
    '\xff\xfe',
    '__proto__',
    'constructor',
    'x'.repeat(300),
  ],
  ...[
    "UTF-8''%e2%82%ac",
    "utf-16le''%00%d8",
    'bytes=0-,-1',
    'bytes=',
    'W/"x"',
    'null',
    'Sun, 06 Nov 1994 08:49:37 GMT',
  ],
);
const text = fc.array(fragment, { maxLength: 4 }).map((parts) => parts.join(''));
/** Such fragments in characters that a header or a request line can contain. */
const lineText = text.map((value) => value.replace(/\p{Cc}/gu, '').trim());

const path = fc.oneof(
  fc
    .tuple(fc.constantFrom('/file/', '/share/', '/delete/', '/upload/', '/ai/openai/models/', '/docs/', '/'), lineText)
    .map(([start, rest]) => start + rest.replace(/[\s#]/g, '')),
  fc.constantFrom('/upload', '/ai/v2', '/ai/imagen', '/ai/openai/chat/completions', '/ai/openai/images/generations'),
  fc.constantFrom('', '/view', '/name').map((end) => `/file/$ID${end}`),
);
const readers = fc.constantFrom(
  ...['/upload', '/upload', '/upload', '/file/$ID', '/ai/v2', '/ai/imagen', '/ai/openai/chat/completions'],
);
const header = fc.tuple(
  fc.constantFrom(
    ...[
      'range',
      'if-range',
      'if-match',
      'if-none-match',
      'if-modified-since',
      'if-unmodified-since',
      'accept',
      'origin',
    ],
    ...['x-password', 'x-expires-in', 'x-max-downloads', 'x-inline', 'x-forwarded-for', 'x-request-id', 'cookie'],
    ...[
      'content-type',
      'content-encoding',
      'authorization',
      'access-control-request-method',
      'sec-fetch-dest',
      'purpose',
    ],
  ),
  lineText,
);
const part = fc
  .record({
    name: fc.option(fc.oneof(fc.constantFrom('file', 'inline', 'password', 'expires_in'), text), {
      nil: undefined,
      freq: 1,
    }),
    fileName: fc.option(text, { nil: undefined, freq: 1 }),
    extended: fc.option(lineText, { nil: undefined, freq: 1 }),
    header: fc.option(lineText, { nil: undefined, freq: 1 }),
    body: text,
  })
  .map(({ name, fileName, extended, header: more, body }) =>
    [
      '--x\r\ncontent-disposition: form-data',
      name === undefined ? '' : `; name="${name}"`,
      fileName === undefined ? '' : `; filename="${fileName}"`,
      extended === undefined ? '' : `; filename*=${extended}`,
      more === undefined ? '' : `\r\ncontent-type: ${more}`,
      `\r\n\r\n${body}\r\n`,
    ].join(''),
  );
const body = fc.oneof(
  fc.record({
    type: fc.constantFrom('multipart/form-data; boundary=x', 'multipart/form-data; boundary="x"'),
    bytes: fc
      .tuple(fc.array(part, { maxLength: 4 }), fc.constantFrom('--x--', '--x', ''))
      .map(([parts, end]) => parts.join('') + end),
  }),
  fc.record({
    type: fc.constantFrom('application/json', 'application/json; charset=utf-16'),
    bytes: fc.oneof(
      fc.json(),
      fc.json().map((value) => `{"model":"${MODEL}","prompt":"a","messages":${value},"request":${value}}`),
      text,
    ),
  }),
  fc.record({
    type: fc.constant('application/x-www-form-urlencoded'),
    bytes: text.map((value) => `password=${value}`),
  }),
);
const framing = { headers: fc.array(header, { maxLength: 4 }), isChunked: fc.boolean(), hasKey: fc.boolean() };
/** Half of the requests go to routes that read a body. */
const request = fc.oneof(
  fc.record({
    ...framing,
    method: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'),
    path,
    body: fc.option(body, { nil: undefined, freq: 1 }),
  }),
  fc.record({ ...framing, headers: fc.constant([]), method: fc.constant('POST'), path: readers, body }),
);

/** One chunk of a chunked body; an empty one ends the body. */
function toChunk(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
}

test('no malformed request is a 5xx, hangs, or reveals internal details', async () => {
  const startedAt = Date.now();
  const heapBefore = process.memoryUsage().heapUsed;
  await fc.assert(
    fc.asyncProperty(request, async ({ method, path: target, headers, body: sent, isChunked, hasKey }) => {
      const bytes = Buffer.from(sent?.bytes ?? '', 'latin1');
      const payload = isChunked
        ? Buffer.concat([toChunk(bytes), bytes.length > 0 ? toChunk(Buffer.alloc(0)) : Buffer.alloc(0)])
        : bytes;
      const fields = [
        ['host', 'localhost'],
        ['connection', 'close'],
        ...(sent ? [['content-type', sent.type]] : []),
        ...(hasKey ? [['authorization', `Bearer ${service.apiKey}`]] : []),
        isChunked ? ['transfer-encoding', 'chunked'] : ['content-length', String(bytes.length)],
        ...headers,
      ];
      const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      const head = `${method} ${target.replace('$ID', fileId)} HTTP/1.1\r\n${lines}\r\n`;
      const connection = await connectRaw(service.port);
      connection.send(Buffer.concat([Buffer.from(head, 'latin1'), payload]));
      const answer = await connection.ended();
      expect(answer).toMatch(/^HTTP\/1\.1 [234]\d\d /);
      expect(answer).not.toMatch(/\r\nx-injected:/i);
      expect(answer).not.toMatch(/node_modules|file:\/\/\/|\.ts:\d+/);
    }),
    { seed: SEED, numRuns: RUNS, endOnFailure: true },
  );
  expect(Date.now() - startedAt).toBeLessThan(MAX_MS);
  expect(process.memoryUsage().heapUsed - heapBefore).toBeLessThan(MAX_HEAP_BYTES);
  expect(service.logLines().filter(({ level }) => Number(level) >= 50)).toEqual([]);
  expect((await fetch(`${service.url}/file/${fileId}`)).status).toBe(200);
});
