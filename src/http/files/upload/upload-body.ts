import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../lib/clock.ts';
import { sendContinue } from '../../server/bodies/body-reading.ts';
import { cloudError } from '../cloud-error.ts';
import type { UploadPace } from './upload-pace.ts';

/** Yields the chunks of a body as they arrive. Throws if the client is too slow. */
export async function* atPaceOfClient(iterator: AsyncIterator<unknown>, pace: UploadPace): AsyncGenerator<Buffer> {
  for (;;) {
    const next = await pace.wait(iterator.next());
    if (next.done) return;
    if (!Buffer.isBuffer(next.value)) throw new TypeError('A body has to consist of bytes');
    pace.record(next.value.length);
    yield next.value;
  }
}

/** Body of an upload in progress. */
export interface UploadSource {
  /** Can be iterated once. */
  readonly bytes: AsyncIterable<Buffer>;
  /** Stops reading. Must be called at the end of every upload, successful or not. */
  discard(): void;
}

/** Returns the body of a request as a stream. "100 Continue" is sent only when the first byte is read. */
export function readUploadBody(request: FastifyRequest, reply: FastifyReply, pace: UploadPace): UploadSource {
  // Destroying the request would close the connection, and the response would be lost.
  const iterator = request.raw.iterator({ destroyOnReturn: false });
  return {
    bytes: (async function* () {
      sendContinue(request, reply);
      yield* atPaceOfClient(iterator, pace);
    })(),
    discard: () => void iterator.return?.(),
  };
}

/** Returns the announced size of the body; undefined if the client does not know it. */
export function toAnnouncedSize({ headers }: FastifyRequest): number | undefined {
  return headers['content-length'] === undefined ? undefined : Number(headers['content-length']);
}

/**
 * Checks the headers of an upload before any byte of its body has arrived.
 * @param overheadBytes maximum size of the body in excess of the file.
 * @throws HttpError 413, 415
 */
export function checkUploadHeaders(request: FastifyRequest, maxFileBytes: number, overheadBytes = 0): void {
  if ((request.headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    throw cloudError(415, 'unsupported_media_type', 'Send the body without content encoding.');
  }
  if ((toAnnouncedSize(request) ?? 0) - overheadBytes > maxFileBytes) {
    throw cloudError(413, 'file_too_large', `Files may have at most ${maxFileBytes} bytes.`);
  }
}

/** Same as nginx's `lingering_time`. */
const LINGER_MS = 30_000;

/**
 * Discards the rest of the body for some time after an early response. Closing the connection while the client still
 * sends would reset it, and the response would be lost.
 */
export function lingerAfterAnswer(request: FastifyRequest, reply: FastifyReply, clock: Clock): void {
  reply.raw.once('finish', () => {
    const { socket } = request.raw;
    if (request.raw.complete || socket.destroyed) return;
    const cancelTimer = clock.setTimer(LINGER_MS, () => socket.destroy());
    request.raw.once('close', cancelTimer);
  });
}
