import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findNginx, type Nginx, startNginx } from '../support/clients/nginx.ts';
import { readUploadAnswer } from '../support/harness/files.ts';
import { type HttpService, startHttpService } from '../support/harness/http.ts';

const FILES = {
  long: Buffer.from(Array.from({ length: 1000 }, (_, index) => (index * 7 + (index >> 3)) % 256)),
  one: Buffer.from('x'),
  empty: Buffer.alloc(0),
} as const;

type FileName = keyof typeof FILES;

interface Case {
  readonly file?: FileName;
  readonly method?: 'GET' | 'HEAD';
  /** `{etag}`, `{modified}`, `{earlier}` and `{later}` are replaced by the values that the server under test reports. */
  readonly headers: Readonly<Record<string, string>>;
}

const range = (value: string, file: FileName = 'long'): Case => ({ file, headers: { range: value } });

const RANGES: readonly Case[] = [
  'bytes=0-0',
  'bytes=0-',
  'bytes=0-999',
  'bytes=0-1000',
  'bytes=0-99999999',
  'bytes=999-',
  'bytes=999-999',
  'bytes=998-1200',
  'bytes=500-499',
  'bytes=1000-',
  'bytes=1000-1001',
  'bytes=5000-6000',
  'bytes=-1',
  'bytes=-999',
  'bytes=-1000',
  'bytes=-1001',
  'bytes=-0',
  'bytes=-',
  'bytes=',
  'bytes=a',
  'bytes=1',
  'bytes=1-a',
  'bytes=a-1',
  'bytes=-a',
  'bytes=--1',
  'bytes=0--1',
  'bytes=1-2-3',
  'bytes=1-2;',
  'bytes=0x0-0x5',
  'bytes=1.5-2',
  'BYTES=0-5',
  'Bytes=5-',
  'bytes= 1 - 5 ',
  'bytes=1 -5',
  'bytes=- 5',
  'bytes =1-5',
  'bites=0-5',
  'items=0-5',
  '0-5',
  'bytes=00000-00005',
  'bytes=9223372036854775807-',
  'bytes=9223372036854775808-',
  'bytes=0-9223372036854775807',
  'bytes=0-9223372036854775808',
  'bytes=-9223372036854775807',
  'bytes=-99999999999999999999',
  'bytes=0-1,3-4',
  'bytes=0-1, 500-501, -3',
  'bytes=0-1,5000-6000',
  'bytes=5000-6000,0-1',
  'bytes=5000-6000,7000-',
  'bytes=0-1,',
  'bytes=,0-1',
  'bytes=0-1,a',
  'bytes=0-999,0-999',
  'bytes=5-4,0-1',
].map((value) => range(value));

const SMALL: readonly Case[] = (['one', 'empty'] as const).flatMap((file) =>
  ['bytes=0-', 'bytes=0-0', 'bytes=1-', 'bytes=-1', 'bytes=-0', 'bytes=0-5', 'bytes=a'].map((value) =>
    range(value, file),
  ),
);

const CONDITIONS: readonly Case[] = [
  {},
  { 'if-none-match': '{etag}' },
  { 'if-none-match': 'W/{etag}' },
  { 'if-none-match': '"other"' },
  { 'if-none-match': '*' },
  { 'if-none-match': '"other", {etag}' },
  { 'if-none-match': '"other",W/{etag} , "more"' },
  { 'if-none-match': '{etag}x' },
  { 'if-none-match': '' },
  { 'if-none-match': '"unclosed' },
  { 'if-modified-since': '{modified}' },
  { 'if-modified-since': '{earlier}' },
  { 'if-modified-since': '{later}' },
  { 'if-modified-since': 'yesterday' },
  { 'if-modified-since': 'Sunday, 06-Nov-94 08:49:37 GMT' },
  { 'if-modified-since': 'Sun Nov  6 08:49:37 1994' },
  { 'if-none-match': '{etag}', 'if-modified-since': '{modified}' },
  { 'if-none-match': '{etag}', 'if-modified-since': '{earlier}' },
  { 'if-none-match': '"other"', 'if-modified-since': '{later}' },
  { 'if-match': '{etag}' },
  { 'if-match': 'W/{etag}' },
  { 'if-match': '"other"' },
  { 'if-match': '*' },
  { 'if-match': '"other", {etag}' },
  { 'if-unmodified-since': '{modified}' },
  { 'if-unmodified-since': '{earlier}' },
  { 'if-unmodified-since': '{later}' },
  { 'if-unmodified-since': 'tomorrow' },
  { 'if-match': '{etag}', 'if-unmodified-since': '{earlier}' },
  { 'if-match': '{etag}', 'if-none-match': '{etag}' },
  { 'if-match': '"other"', 'if-none-match': '{etag}' },
  { range: 'bytes=0-9', 'if-range': '{etag}' },
  { range: 'bytes=0-9', 'if-range': 'W/{etag}' },
  { range: 'bytes=0-9', 'if-range': '"other"' },
  { range: 'bytes=0-9', 'if-range': '{modified}' },
  { range: 'bytes=0-9', 'if-range': '{earlier}' },
  { range: 'bytes=0-9', 'if-range': '{later}' },
  { range: 'bytes=0-9', 'if-range': 'nonsense' },
  { range: 'bytes=5000-', 'if-range': '"other"' },
  { range: 'bytes=5000-', 'if-range': '{etag}' },
  { range: 'bytes=0-9', 'if-none-match': '{etag}' },
  { range: 'bytes=5000-', 'if-none-match': '{etag}' },
  { range: 'bytes=0-9', 'if-match': '"other"' },
  { range: 'bytes=0-9', 'if-match': '{etag}' },
  { range: 'bytes=0-9', 'if-modified-since': '{modified}' },
].map((headers) => ({ headers }));

const EMPTY: readonly Case[] = [
  { file: 'empty', headers: {} },
  { file: 'empty', headers: { 'if-none-match': '{etag}' } },
  { file: 'empty', headers: { 'if-match': '"other"' } },
];

const GETS = [...RANGES, ...SMALL, ...CONDITIONS, ...EMPTY];
const HEADS = [...RANGES.filter((_, index) => index % 5 === 0), ...CONDITIONS, ...EMPTY].map((one) => ({
  ...one,
  method: 'HEAD' as const,
}));

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

describe.skipIf(findNginx() === undefined)('ranges and conditions, compared with nginx serving the same bytes', () => {
  let service: HttpService;
  let nginx: Nginx;
  const ours: Partial<Record<FileName, string>> = {};

  beforeAll(async () => {
    service = await startHttpService();
    nginx = await startNginx('max_ranges 1; if_modified_since before; default_type application/octet-stream;');
    for (const [name, bytes] of Object.entries(FILES)) {
      const { url } = await readUploadAnswer(fetch(`${service.url}/upload/${name}`, { method: 'PUT', body: bytes }));
      ours[name as FileName] = url;
      const { headers } = await ask(url, {});
      await nginx.write(name, bytes, new Date(String(headers['last-modified'])));
    }
  });
  afterAll(async () => {
    await nginx?.close();
    await service?.close();
  });

  test.each([...GETS, ...HEADS].map((one) => [describeCase(one), one] as const))('%s', async (_title, one) => {
    const { file = 'long', method = 'GET' } = one;
    const [expected, actual] = await Promise.all(
      [`${nginx.url}/${file}`, ours[file] ?? ''].map(async (url) => {
        const known = await ask(url, {});
        return toComparable(await ask(url, fillIn(one.headers, known), method), known);
      }),
    );
    expect(actual).toEqual(expected);
  });

  test('returns every possible range', async () => {
    const file = FILES.long.subarray(0, 12);
    const { url } = await readUploadAnswer(fetch(`${service.url}/upload/x`, { method: 'PUT', body: file }));
    for (let start = 0; start < file.length; start++) {
      for (let end = start; end < file.length; end++) {
        const { status, body } = await ask(url, { range: `bytes=${start}-${end}` });
        expect([status, body]).toEqual([206, file.subarray(start, end + 1)]);
      }
    }
  });
});

function describeCase({ file = 'long', method = 'GET', headers }: Case): string {
  const told = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `${method} of the ${file} file, ${told.join(', ') || 'no conditions'}`;
}

function fillIn(headers: Case['headers'], known: Answer): Record<string, string> {
  const modified = new Date(String(known.headers['last-modified']));
  const shifted = (seconds: number) => new Date(modified.getTime() + seconds * 1000).toUTCString();
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      value
        .replace('{etag}', String(known.headers['etag']))
        .replace('{modified}', modified.toUTCString())
        .replace('{earlier}', shifted(-1))
        .replace('{later}', shifted(1)),
    ]),
  );
}

/** The properties on which both must agree. Error pages and entity tags differ. */
function toComparable({ status, headers, body }: Answer, known: Answer) {
  const common = { status, range: headers['content-range'] };
  if (status >= 400) return common;
  return {
    ...common,
    type: headers['content-type'],
    length: headers['content-length'],
    acceptRanges: headers['accept-ranges'],
    modified: headers['last-modified'],
    hasItsTag: headers['etag'] === known.headers['etag'],
    body: body.toString('hex'),
  };
}

function ask(url: string, headers: Readonly<Record<string, string>>, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false, timeout: 10_000 }, async (answer) => {
      const pieces: Buffer[] = [];
      for await (const piece of answer) pieces.push(piece);
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(pieces) });
    });
    sent.once('timeout', () => sent.destroy(new Error('no answer')));
    sent.once('error', reject);
    sent.end();
  });
}
