import { randomBytes } from 'node:crypto';
import dns from 'node:dns';
import { createServer, type RequestListener } from 'node:http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  BlobMissingError,
  BlobOutcomeUnknownError,
  BlobRefusedError,
  type BucketSettings,
  createS3BlobStore,
} from '../../src/core/storage/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import {
  findS3Engine,
  S3_ENGINES,
  type S3EngineName,
  startS3Engine,
  VIRTUAL_DOMAIN,
} from '../support/clients/s3-engine.ts';
import { collect } from '../support/harness/storage.ts';
import { failureOf } from '../support/hosts/provider-under-test.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';
import { describeBlobStore, describeExactBlobStore } from './blob-store-contract.ts';

const { signal } = new AbortController();
const MIB = 1024 * 1024;
const deps = { clock: systemClock };
const openStore = (bucket: BucketSettings) => {
  const store = createS3BlobStore(deps, bucket);
  onTestFinished(() => store.close());
  return store;
};
const nextName = () => randomBytes(16).toString('base64url');

describe.each(Object.keys(S3_ENGINES) as S3EngineName[])('S3 of %s', (name) => {
  describe.skipIf(findS3Engine(name) === undefined)(name, () => {
    const engine = startBeforeAll(() => startS3Engine(name));
    const create = async () => {
      const store = createS3BlobStore(deps, engine.bucket);
      return { store, close: () => store.close() };
    };
    describeBlobStore(name, create);
    describeExactBlobStore(name, create);

    it('keeps blobs below a prefix, whatever characters it has', async () => {
      const store = openStore({ ...engine.bucket, url: `${engine.bucket.url}/a%20folder/(b)+c/%C3%BC` });
      const locator = await store.put({ name: nextName(), bytes: Buffer.from('here') }, signal);
      expect(String(await collect(await store.open(locator, { offset: 1, length: 2 }, signal)))).toBe('er');
      await store.delete(locator, signal);
      expect(await failureOf(store.open(locator, { offset: 0, length: 1 }, signal))).toBeInstanceOf(BlobMissingError);
    });

    it('takes a missing bucket as an outage', async () => {
      const store = openStore({ ...engine.bucket, url: `${engine.bucket.url}-gone` });
      const failure = await failureOf(store.put({ name: nextName(), bytes: Buffer.from('x') }, signal));
      expect(failure).toMatchObject({ isOutage: true, message: 'the bucket answered 404 NoSuchBucket' });
      expect(await store.findOutage?.()).toBe('the bucket answered 404 NoSuchBucket');
      for (const action of [
        () => store.open({ name: nextName() }, { offset: 0, length: 1 }, signal),
        () => store.delete({ name: nextName() }, signal),
      ])
        expect(await failureOf(action())).toBeInstanceOf(BlobRefusedError);
    });

    it('reports a blob as missing that is shorter than the range', async () => {
      const store = openStore(engine.bucket);
      const locator = await store.put({ name: nextName(), bytes: Buffer.from('0123456789') }, signal);
      expect(await failureOf(store.open(locator, { offset: 10, length: 5 }, signal))).toBeInstanceOf(BlobMissingError);
    });
  });
});

describe.skipIf(findS3Engine('versitygw') === undefined)('S3 that checks signatures', () => {
  const engine = startBeforeAll(() => startS3Engine('versitygw'));

  it('takes a wrong key as an outage, and stores again once it is right', async () => {
    const store = openStore({ ...engine.bucket, secretAccessKey: 'another' });
    const failure = await failureOf(store.put({ name: nextName(), bytes: Buffer.from('x') }, signal));
    expect(failure).toMatchObject({ isOutage: true, message: 'the bucket answered 403 SignatureDoesNotMatch' });
    expect(String(failure)).not.toContain('another');
  });

  it('refuses nothing unclear: what was cut is not stored, what was stored is found by its name', async () => {
    const store = openStore(engine.bucket);
    const leaving = new AbortController();
    const name = nextName();
    const putting = store.put({ name, bytes: randomBytes(32 * MIB) }, leaving.signal);
    setTimeout(() => leaving.abort(new Error('enough')), 5);
    expect(await failureOf(putting)).toMatchObject({ message: 'enough' });
    await store.deleteByName?.(name, signal);
    expect(await failureOf(store.open({ name }, { offset: 0, length: 1 }, signal))).toBeInstanceOf(BlobMissingError);
  });

  it('survives kill -9 of the engine at any time of 20 puts', async () => {
    const store = openStore(engine.bucket);
    for (let round = 0; round < 20; round++) {
      const name = nextName();
      const bytes = randomBytes(MIB);
      const putting = store.put({ name, bytes: Buffer.from(bytes) }, signal).catch((error: unknown) => error);
      await new Promise((resolve) => setTimeout(resolve, round));
      await engine.kill();
      const outcome = await putting;
      await engine.restart();
      if (!(outcome instanceof Error)) {
        const stored = await collect(await store.open({ name }, { offset: 0, length: MIB }, signal));
        expect(stored.equals(bytes)).toBe(true);
      } else {
        const isKnown = outcome instanceof BlobOutcomeUnknownError || outcome instanceof BlobRefusedError;
        expect(isKnown, String(outcome)).toBe(true);
        await store.deleteByName?.(name, signal);
        expect(await failureOf(store.open({ name }, { offset: 0, length: 1 }, signal))).toBeInstanceOf(
          BlobMissingError,
        );
      }
    }
  });

  it('asks a bucket by the name of its host', async () => {
    const { port } = new URL(engine.bucket.url);
    const lookup = vi
      .spyOn(dns, 'lookup')
      .mockImplementation(((_host: string, options: object, done: (...result: unknown[]) => void) =>
        'all' in options ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4)) as never);
    onTestFinished(() => lookup.mockRestore());
    const store = openStore({ ...engine.bucket, url: `http://files.${VIRTUAL_DOMAIN}:${port}` });
    const locator = await store.put({ name: nextName(), bytes: Buffer.from('x') }, signal);
    await store.delete(locator, signal);
  });
});

describe('S3 with faults', () => {
  const toBucket = (origin: string) => ({
    url: `${origin}/files`,
    region: 'auto',
    accessKeyId: 'a',
    secretAccessKey: 'b',
  });
  /** Store in front of a server that answers as told. */
  const startStore = async (listener: RequestListener) => {
    const server = createServer(listener).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    onTestFinished(() => void server.close().closeAllConnections());
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    return openStore(toBucket(`http://127.0.0.1:${port}`));
  };
  const blob = () => ({ name: nextName(), bytes: Buffer.from('x') });
  const answering =
    (status: number, body = '', headers: Record<string, string> = {}): RequestListener =>
    (request, response) => {
      request.resume();
      response.writeHead(status, headers).end(body);
    };
  const error = (code: string) => `<?xml version="1.0"?><Error><Code>${code}</Code><Message>m</Message></Error>`;

  it.each([
    { status: 503, code: 'SlowDown', isKnown: true, retryAfterMs: 5000, isOutage: false },
    { status: 503, code: undefined, isKnown: false },
    { status: 500, code: 'InternalError', isKnown: false },
    { status: 502, code: undefined, isKnown: false },
    { status: 429, code: 'TooManyRequests', isKnown: true, retryAfterMs: 5000, isOutage: false },
    { status: 409, code: 'OperationAborted', isKnown: true, retryAfterMs: 5000, isOutage: false },
    { status: 403, code: 'RequestTimeTooSkewed', isKnown: true, retryAfterMs: 5000, isOutage: true },
    { status: 400, code: 'BadDigest', isKnown: true, retryAfterMs: undefined, isOutage: false },
    { status: 301, code: 'PermanentRedirect', isKnown: true, retryAfterMs: 5000, isOutage: true },
    { status: 507, code: 'XMinioStorageFull', isKnown: true, retryAfterMs: 5000, isOutage: true },
  ])('knows what $status $code means', async ({ status, code, isKnown, ...facts }) => {
    const store = await startStore(answering(status, code && error(code)));
    const failure = await failureOf(store.put(blob(), signal));
    expect(failure).toBeInstanceOf(isKnown ? BlobRefusedError : BlobOutcomeUnknownError);
    expect(failure).toMatchObject(isKnown ? facts : {});
    expect(await failureOf(store.open({ name: nextName() }, { offset: 0, length: 1 }, signal))).toBeInstanceOf(
      BlobRefusedError,
    );
    expect(await failureOf(store.delete({ name: nextName() }, signal))).toBeInstanceOf(BlobRefusedError);
  });

  it('waits as long as the service asks', async () => {
    const store = await startStore(answering(503, error('SlowDown'), { 'retry-after': '7' }));
    expect(await failureOf(store.put(blob(), signal))).toMatchObject({ retryAfterMs: 7000 });
  });

  it.each([
    ['a closed connection', (_request, response) => void response.destroy()],
    ['half an answer to a range', answering(206, 'ab', { 'content-range': 'bytes 0-9/10', 'content-length': '10' })],
    ['another range', answering(206, 'ab', { 'content-range': 'bytes 5-6/10' })],
    ['the whole object', answering(200, '0123456789')],
    ['an error without end', (_request, response) => void response.writeHead(500).write('<'.repeat(1000))],
  ] satisfies [string, RequestListener][])('throws when the answer is %s', async (_title, listener) => {
    const store = await startStore((request, response) => {
      listener(request, response);
      setTimeout(() => request.socket.destroy(), 50);
    });
    const read = async () => {
      for await (const _ of await store.open({ name: nextName() }, { offset: 0, length: 10 }, signal));
    };
    expect(await failureOf(read())).toBeInstanceOf(Error);
    expect(await store.delete({ name: nextName() }, signal).catch((error: unknown) => error)).toSatisfy(
      (failure) => failure === undefined || failure instanceof BlobRefusedError,
    );
  });

  it.each([404, 410])(
    'takes no page with status %i for the word of a bucket that an object is gone',
    async (status) => {
      const store = await startStore(answering(status, '<!doctype html><title>Not found</title>'));
      expect(await failureOf(store.delete({ name: nextName() }, signal))).toBeInstanceOf(BlobRefusedError);
      expect(await failureOf(store.deleteByName?.(nextName(), signal) ?? Promise.resolve())).toBeInstanceOf(
        BlobRefusedError,
      );
      const opening = store.open({ name: nextName() }, { offset: 0, length: 1 }, signal);
      expect(await failureOf(opening)).toBeInstanceOf(BlobRefusedError);
    },
  );

  it('takes a page for no word that a blob is stored', async () => {
    const store = await startStore(answering(200, '<!doctype html><title>Welcome</title>'));
    expect(await failureOf(store.put(blob(), signal))).toMatchObject({ name: 'BlobRefusedError', isOutage: true });
    expect(await store.findOutage?.()).toContain('ETag');
  });

  it('refuses what was never sent, and can be tried again', async () => {
    const store = openStore(toBucket('http://127.0.0.1:9'));
    expect(await failureOf(store.put(blob(), signal))).toMatchObject({ name: 'BlobRefusedError', retryAfterMs: 5000 });
  });

  it('refuses names that lead elsewhere', async () => {
    const store = openStore(toBucket('http://127.0.0.1:9'));
    for (const name of ['../escape-attempt', 'a/b/c/d/e/f', '', '?acl&x=y1234', '%2e%2e%2fother']) {
      expect(await failureOf(store.put({ name, bytes: Buffer.from('x') }, signal))).toMatchObject({
        retryAfterMs: undefined,
      });
      expect(await failureOf(store.open({ name }, { offset: 0, length: 1 }, signal))).toBeInstanceOf(BlobMissingError);
      expect(await failureOf(store.delete({ name }, signal))).toBeInstanceOf(BlobMissingError);
    }
  });
});
