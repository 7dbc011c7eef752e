import { AwsV4Signer } from 'aws4fetch';
import type { Dispatcher } from 'undici';
import { type Clock, runWithin } from '../../../lib/clock.ts';
import { describeError } from '../../../lib/errors/describe-error.ts';
import { hashBytes } from '../../../lib/hash-bytes.ts';
import {
  createHttpAgent,
  type HttpRequestOptions,
  type HttpResponse,
  hasNeverConnected,
  openHttp,
} from '../../../lib/http/http-client.ts';
import { readExactly } from '../../../lib/http/read-exactly.ts';
import { readRetryAfterMs } from '../../../lib/http/retry-after.ts';
import { createId } from '../../../lib/ids.ts';
import {
  type BlobLocator,
  BlobMissingError,
  BlobOutcomeUnknownError,
  BlobRefusedError,
  type BlobStore,
} from './blob-store.ts';

/** A bucket of an S3 compatible service, and a key that may read, write and delete its objects. */
export interface BucketSettings {
  /**
   * URL of the bucket without a trailing slash, in either style: `https://files.s3.eu-central-1.amazonaws.com`,
   * `http://127.0.0.1:9000/files`. A further path is the common prefix of all blobs.
   */
  readonly url: string;
  /** Undefined: as named in the hosts of AWS, Cloudflare and Backblaze, otherwise `us-east-1`. */
  readonly region: string | undefined;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Blob store with a `close` method for shutdown. */
export type S3BlobStore = BlobStore & { close(): Promise<void> };

const NAME = /^[\w-]{8,64}$/;
/** S3 takes 5 GiB in one request, but a blob is held in memory. */
const MAX_BYTES = 512 * 1024 * 1024;
const CONNECT_MS = 10_000;
/** From the first byte sent to the status line. A blob of 19 MiB takes 160 s at 1 Mbit/s. */
const PUT_MS = 5 * 60_000;
const START_MS = 30_000;
const IDLE_MS = 60_000;
const TOTAL_MS = 24 * 60 * 60_000;
const LAST_BYTES_MS = 1000;
const MAX_ERROR_BYTES = 64 * 1024;
const RETRY_AFTER_MS = 5000;
/** How long nothing is put after an error that only an operator can mend. */
const OUTAGE_MS = 30_000;

/** Creates a store of blobs as objects of a bucket. Makes no call yet. */
export function createS3BlobStore({ clock }: { readonly clock: Clock }, bucket: BucketSettings): S3BlobStore {
  const client = { clock, bucket, dispatcher: createHttpAgent({ connectMs: CONNECT_MS }), signingKeys: new Map() };
  let outage: { readonly reason: string; readonly endsAt: number } | undefined;

  const remove = async (name: string, signal: AbortSignal): Promise<void> => {
    const response = await askOrRefuse(client, { method: 'DELETE', name }, signal);
    // Amazon answers 204 whether there was an object or not, others 404.
    if (response.status === 200 || response.status === 204) return response.awaitEnd(LAST_BYTES_MS);
    const { error, isMissing } = await readError(client, response);
    if (!isMissing) throw error;
  };

  return {
    kind: 's3',
    maxBytes: MAX_BYTES,
    async put({ name, bytes }, signal) {
      signal.throwIfAborted();
      if (!NAME.test(name) || bytes.length > MAX_BYTES) throw new BlobRefusedError('This is not a blob of the bucket');
      const response = await ask(client, { method: 'PUT', name, body: bytes }, signal).catch((error: unknown) => {
        if (hasNeverConnected(error)) return refuse(error, signal);
        signal.throwIfAborted();
        throw new BlobOutcomeUnknownError(describeError(error), { cause: error });
      });
      if (response.status === 200 && response.headers.etag !== undefined) {
        await response.awaitEnd(LAST_BYTES_MS);
        outage = undefined;
        return { name };
      }
      const { error, code } = response.status === 200 ? refusePage(response) : await readError(client, response);
      if (error.isOutage) outage = { reason: error.message, endsAt: clock.now() + OUTAGE_MS };
      // A gateway before the service may answer 5xx while the service stores the object. The service's own refusals have a code.
      if (response.status >= 500 && !error.isOutage && !(response.status === 503 && code !== undefined))
        throw new BlobOutcomeUnknownError(error.message);
      throw error;
    },
    findOutage: async () => (outage && clock.now() < outage.endsAt ? outage.reason : undefined),
    async open(locator, { offset, length }, signal) {
      signal.throwIfAborted();
      const name = nameOf(locator);
      if (length === 0) return readNothing();
      const range = { offset, length };
      const response = await askOrRefuse(client, { method: 'GET', name, range }, signal);
      if (response.status !== 206) {
        const { error, isMissing } = await readError(client, response);
        throw isMissing || response.status === 416
          ? new BlobMissingError('There is no such object, or it is shorter than it was')
          : error;
      }
      const start = /^bytes (\d+)-/.exec(response.headers['content-range'] ?? '')?.[1];
      if (Number(start) !== offset) {
        response.close();
        throw new BlobRefusedError('The bucket sent another part of the object');
      }
      const cut = { skipBytes: 0, length, endsThere: true };
      return readExactly(response, cut, (error) => (signal.aborted ? signal.reason : error));
    },
    async delete(locator, signal) {
      signal.throwIfAborted();
      await remove(nameOf(locator), signal);
    },
    async deleteByName(name, signal) {
      signal.throwIfAborted();
      if (NAME.test(name)) await remove(name, signal);
    },
    close: () => client.dispatcher.destroy(),
  };
}

const CHECK_MS = 20_000;

/** Stores a small object, reads and deletes it. Returns why that is not possible. Never throws. */
export async function findBucketProblem(
  deps: { readonly clock: Clock },
  bucket: BucketSettings,
): Promise<string | undefined> {
  const store = createS3BlobStore(deps, bucket);
  const toReason = () => new Error('it does not answer');
  try {
    await runWithin(deps.clock, { timeoutMs: CHECK_MS, toReason }, async (inTime) => {
      const locator = await store.put({ name: `check-${createId()}`, bytes: Buffer.from('x') }, inTime);
      for await (const _ of await store.open(locator, { offset: 0, length: 1 }, inTime));
      await store.delete(locator, inTime);
    });
    return undefined;
  } catch (error) {
    return describeError(error);
  } finally {
    await store.close();
  }
}

/** @throws BlobMissingError if the locator is not of this store. */
function nameOf({ name }: BlobLocator): string {
  // The name is checked, so no database content can lead to other objects.
  if (typeof name !== 'string' || !NAME.test(name)) throw new BlobMissingError('This locator is not of a bucket');
  return name;
}

async function* readNothing(): AsyncGenerator<Buffer, void> {}

interface S3Client {
  readonly clock: Clock;
  readonly bucket: BucketSettings;
  readonly dispatcher: Dispatcher;
  /** Cache of the signer: a key for each day. */
  readonly signingKeys: Map<string, ArrayBuffer>;
}

interface S3Request {
  readonly method: HttpRequestOptions['method'];
  readonly name: string;
  readonly body?: Buffer;
  readonly range?: { readonly offset: number; readonly length: number };
}

const SHA256_OF_NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Sends a request with a signature of AWS (version 4) over its body. @throws the errors of `openHttp`. */
async function ask(
  { bucket, signingKeys, ...deps }: S3Client,
  { method, name, body, range }: S3Request,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const { region, accessKeyId, secretAccessKey } = bucket;
  // The signer takes a plus for a space.
  const url = `${bucket.url.replaceAll('+', '%2B')}/${name}`;
  const signer = new AwsV4Signer({
    method,
    url,
    headers: {
      // The service compares it with what arrives, so a damaged body is refused.
      'X-Amz-Content-Sha256': body ? await hashBytes(body) : SHA256_OF_NOTHING,
      ...(range && { range: `bytes=${range.offset}-${range.offset + range.length - 1}` }),
    },
    service: 's3',
    ...(region !== undefined && { region }),
    accessKeyId,
    secretAccessKey,
    cache: signingKeys,
  });
  const { headers } = await signer.sign();
  const timeouts = {
    connectMs: CONNECT_MS,
    startMs: body ? PUT_MS : START_MS,
    idleMs: IDLE_MS,
    totalMs: body ? PUT_MS : TOTAL_MS,
  };
  return openHttp(deps, { method, url, headers: Object.fromEntries(headers), body, timeouts, signal });
}

/** Sends a request that may be repeated. @throws the signal's reason; BlobRefusedError. */
const askOrRefuse = (client: S3Client, request: S3Request, signal: AbortSignal): Promise<HttpResponse> =>
  ask(client, request, signal).catch((error: unknown) => refuse(error, signal));

/** @throws the signal's reason; BlobRefusedError, after which a retry may succeed. */
function refuse(error: unknown, signal: AbortSignal): never {
  signal.throwIfAborted();
  throw new BlobRefusedError(describeError(error), { retryAfterMs: RETRY_AFTER_MS, cause: error });
}

/** Errors of the key, the clock, the region or the bucket, which an operator has to mend. */
const OUTAGE_STATUSES: ReadonlySet<number> = new Set([301, 307, 401, 403, 507]);
const OUTAGE_CODES: ReadonlySet<string | undefined> = new Set([
  'NoSuchBucket',
  'AuthorizationHeaderMalformed',
  'InvalidBucketName',
]);

/** Closes a response that tells of success as any web server may; every S3 service names what it has stored. */
function refusePage(response: HttpResponse) {
  response.close();
  const facts = { isOutage: true, retryAfterMs: RETRY_AFTER_MS };
  return {
    error: new BlobRefusedError('the bucket answered without an ETag: it is no S3 service', facts),
    code: undefined,
  };
}

/**
 * Reads an error and its code, such as `NoSuchKey`, and closes the response. An object is missing only if the service
 * says so, not a gateway or web server before it. Never throws.
 */
async function readError({ clock }: S3Client, response: HttpResponse) {
  const { status, headers } = response;
  const text = await response.readAll(MAX_ERROR_BYTES).then(String, () => '');
  response.close();
  const code = /<Code>(\w{1,64})<\/Code>/.exec(text)?.[1];
  const isOutage = OUTAGE_STATUSES.has(status) || OUTAGE_CODES.has(code);
  const mayPass = isOutage || status === 408 || status === 409 || status === 429 || status >= 500;
  const error = new BlobRefusedError(`the bucket answered ${status}${code === undefined ? '' : ` ${code}`}`, {
    isOutage,
    retryAfterMs: mayPass ? (readRetryAfterMs(headers, clock.now()) ?? RETRY_AFTER_MS) : undefined,
  });
  return { error, code, isMissing: status === 404 && code === 'NoSuchKey' };
}
