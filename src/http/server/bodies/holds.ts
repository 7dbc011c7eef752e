import { finished, type Readable, Transform } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createCache } from '../../../lib/async/cache.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { HeldBytes, Hold } from '../../../lib/http/held-bytes.ts';

const HELD = 'held';
interface HeldRequest {
  readonly hold: Hold;
  /** Records the size of an answer, for the next requests. */
  readonly recordSize: (request: FastifyRequest, bytes: number) => void;
}

/** Reserved for each answer until its size is known. Most answers are smaller. */
const USUAL_ANSWER_BYTES = 64 * 1024;
const MAX_LARGE = 1000;
const LARGE_MS = 3_600_000;

/**
 * Counts what the routes of a context hold in memory, until their responses close: the body of the request, and an
 * answer that is sent whole. Forms are counted by their parser. After a large answer, the next ones of the same owner and
 * route are expected to be large. Must be installed after the hook that authenticates.
 * @param findOwner returns the owner of the bytes of a request.
 * @throws HeldBytesFullError in the hooks, before a body is read and before a host is asked.
 */
export function installHolds(
  server: FastifyInstance,
  { heldBytes, clock }: { readonly heldBytes: HeldBytes; readonly clock: Clock },
  findOwner: (request: FastifyRequest) => number | string,
): void {
  const sizes = createCache<string, number>(clock, { max: MAX_LARGE, ttlMs: LARGE_MS });
  const recordSize = (request: FastifyRequest, bytes: number) => {
    if (bytes <= USUAL_ANSWER_BYTES && sizes.size === 0) return;
    const key = toSizeKey(request, findOwner(request));
    const next = Math.max(bytes, (sizes.get(key) ?? 0) / 2);
    if (next > USUAL_ANSWER_BYTES) sizes.set(key, next);
    else sizes.delete(key);
  };
  server.decorateRequest(HELD, null);
  server.addHook('onRequest', (request, { raw: response }, done) => {
    const owner = findOwner(request);
    const hold = heldBytes.open(owner);
    response.once('close', () => hold.release());
    request.setDecorator<HeldRequest>(HELD, { hold, recordSize });
    hold.add(readBodySize(request));
    const size = sizes.size === 0 ? undefined : sizes.get(toSizeKey(request, owner));
    hold.expect(size ?? USUAL_ANSWER_BYTES);
    done();
  });
  server.addHook('preParsing', (request, _reply, payload, done) => {
    if (request.headers['transfer-encoding'] === undefined || isForm(request)) done(null, payload);
    else done(null, countBytes(payload, getHold(request)));
  });
  server.addHook('preHandler', (request, _reply, done) => heldBytes.run(getHold(request), done));
  server.addHook('onSend', (request, reply, payload: unknown, done) => {
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload);
    const readBytes = request.getDecorator<HeldRequest | null>(HELD)?.hold.readBytes;
    if (readBytes === undefined) return done();
    // Refusals are small, and must be sent when nothing more may be held.
    if (isWhole && reply.statusCode < 400) settleAnswer(request, Buffer.byteLength(payload));
    // The answer of the host was larger than what could be held.
    else if (reply.statusCode === 503 && readBytes > 0) recordSize(request, 2 * readBytes);
    return done();
  });
}

/** Returns the hold of a request of a context with `installHolds`. */
export function getHold(request: FastifyRequest): Hold {
  return request.getDecorator<HeldRequest>(HELD).hold;
}

/** Counts the finished answer of a request, instead of what was expected. @throws HeldBytesFullError */
export function settleAnswer(request: FastifyRequest, bytes: number): void {
  const { hold, recordSize } = request.getDecorator<HeldRequest>(HELD);
  recordSize(request, Math.max(bytes, hold.readBytes));
  hold.settle(bytes);
}

function toSizeKey({ method, routeOptions }: FastifyRequest, owner: number | string): string {
  return `${method} ${routeOptions.url} ${owner}`;
}

/** Returns the declared size of a body that is read whole, 0 if it is too large to be read at all. */
function readBodySize(request: FastifyRequest): number {
  const sizeBytes = Number(request.headers['content-length'] ?? 0);
  return isForm(request) || sizeBytes > request.routeOptions.bodyLimit ? 0 : sizeBytes;
}

function isForm({ headers }: FastifyRequest): boolean {
  return /^\s*multipart\//i.test(headers['content-type'] ?? '');
}

/** Returns a stream that counts what passes through it, for bodies without a declared size. */
function countBytes(body: Readable, hold: Hold): Readable {
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        hold.add(chunk.length);
        done(null, chunk);
      } catch (error) {
        done(error as Error);
      }
    },
  });
  // A pipeline would destroy the connection before a refusal is sent.
  finished(body, (error) => error && counter.destroy(error));
  return body.pipe(counter);
}
