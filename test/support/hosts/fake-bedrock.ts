import { createHash, createHmac } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { type Behaviour, type FakeProvider, type FakeRequest, startFakeProvider } from './fake-provider.ts';

/** Credentials of the tests. */
export const AWS = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'AKIDEXAMPLEOFTESTS', secretAccessKey: 'secret-access-key-of-tests' },
};

/** Starts a loopback server that behaves as AWS documents the Converse API; it answers `Hello, world!`. */
export async function startFakeBedrock(): Promise<FakeProvider> {
  const host = await startFakeProvider({ chatPath: '/converse-stream', encoding: 'latin1' });
  host.behaveUsually(answerEvents(textEvents()));
  return host;
}

export const CLAUDE = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';
export const NOVA = 'amazon.nova-lite-v1:0';

/** An event of ConverseStream: its type and its payload. */
export type ConverseEvent = readonly [type: string, payload: JsonObject];

/** Events of an answer in words. */
export function textEvents(pieces: readonly string[] = ['Hello', ', ', 'world', '!'], stopReason = 'end_turn') {
  return [
    ['messageStart', { role: 'assistant', p: 'abcdefgh' }],
    ...pieces.map((text): ConverseEvent => ['contentBlockDelta', { contentBlockIndex: 0, delta: { text }, p: 'abc' }]),
    ['contentBlockStop', { contentBlockIndex: 0 }],
    ...endEvents(stopReason),
  ] as const satisfies readonly ConverseEvent[];
}

/** Events after the content of an answer. */
export function endEvents(stopReason: string, usage: JsonObject = {}): readonly ConverseEvent[] {
  const counts = { inputTokens: 5, outputTokens: 4, totalTokens: 9, ...usage };
  return [
    ['messageStop', { stopReason }],
    ['metadata', { usage: counts, metrics: { latencyMs: 10 } }],
  ];
}

/** Answers with events in AWS's event stream encoding; `everyMs` before each. */
export function answerEvents(events: readonly ConverseEvent[], options: { readonly everyMs?: number } = {}): Behaviour {
  return async (exchange) => {
    exchange.response.writeHead(200, EVENT_STREAM);
    for (const [type, payload] of events) {
      if (options.everyMs) await exchange.wait(options.everyMs);
      if (exchange.gone.aborted) return;
      exchange.response.write(encodeEvent({ ':message-type': 'event', ':event-type': type }, payload));
    }
    exchange.response.end();
  };
}

export const EVENT_STREAM = {
  'content-type': 'application/vnd.amazon.eventstream',
  'x-amzn-requestid': 'c0ffee00-0000-4000-8000-000000000000',
};

/** Returns an exception in the stream. */
export function encodeException(type: string, message: string): Buffer {
  return encodeEvent({ ':message-type': 'exception', ':exception-type': type }, { message });
}

/**
 * Encodes a message: https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html describes the same
 * format.
 */
export function encodeEvent(headers: Readonly<Record<string, string>>, payload: JsonObject): Buffer {
  const fields = Object.entries({ ...headers, ':content-type': 'application/json' }).map(([name, value]) => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(Buffer.byteLength(value));
    // 7 is the type of strings.
    return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([7]), length, Buffer.from(value)]);
  });
  const header = Buffer.concat(fields);
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(16 + header.length + body.length, 0);
  prelude.writeUInt32BE(header.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const message = Buffer.concat([prelude, header, body]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(message));
  return Buffer.concat([message, checksum]);
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([\w-]+)\/(\w+)\/aws4_request, SignedHeaders=([\w;-]+), Signature=([\da-f]{64})$/;

/**
 * Computes the signature of a request as AWS does, and returns why AWS would refuse it, or undefined.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function findSignatureFault({ method, url, headers, rawBody }: FakeRequest): string | undefined {
  const fields = AUTHORIZATION.exec(headers.authorization ?? '');
  if (!fields) return `no signature: ${headers.authorization}`;
  const [, accessKeyId, date, region, service, signedHeaders = '', signature] = fields;
  if (accessKeyId !== AWS.credentials.accessKeyId || region !== AWS.region || service !== 'bedrock')
    return `wrong scope: ${fields[0]}`;
  for (const name of ['host', 'x-amz-date'])
    if (!signedHeaders.split(';').includes(name)) return `${name} is not signed`;
  const { pathname, searchParams } = new URL(url, 'http://host');
  searchParams.sort();
  const hash = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');
  const canonical = [
    method,
    // Every service but S3 encodes the path twice.
    pathname.split('/').map(encodeURIComponent).join('/'),
    searchParams.toString(),
    ...signedHeaders.split(';').map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    signedHeaders,
    hash(rawBody),
  ].join('\n');
  const scope = `${date}/${region}/${service}/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, hash(canonical)].join('\n');
  const sign = (key: string | Buffer, part: string) => createHmac('sha256', key).update(part).digest();
  const key = [date, region, service, 'aws4_request'].reduce<string | Buffer>(
    (last, part) => sign(last, part ?? ''),
    `AWS4${AWS.credentials.secretAccessKey}`,
  );
  return sign(key, text).toString('hex') === signature ? undefined : `the signature does not match:\n${canonical}`;
}
