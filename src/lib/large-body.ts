import { getDefaultHighWaterMark } from 'node:stream';
import { releaseBuffer } from './release-buffer.ts';

/** Smaller ones are left to the garbage collector. So much fills the buffer of a socket, so that its end is waited for. */
const LARGE_BYTES = Math.max(64 * 1024, getDefaultHighWaterMark(false));

/** How often the system is writing each of them right now: it must not be freed under its hands. */
const writing = new WeakMap<Buffer, number>();

export function isLargeBody(body: string | Buffer | undefined): body is Buffer {
  return Buffer.isBuffer(body) && body.length >= LARGE_BYTES;
}

/** A body for undici: it asks for the next piece when the one before has left, or the connection is closed. */
export async function* writeLargeBody(body: Buffer): AsyncGenerator<Buffer> {
  writing.set(body, (writing.get(body) ?? 0) + 1);
  yield body;
  writing.set(body, (writing.get(body) ?? 1) - 1);
}

/**
 * Frees a large body that nobody will look at any more. The collector is told of its size when it comes, and walks through all there is
 * for every thirty of them.
 * @param body not cut out of anything that others have.
 */
export function releaseLargeBody(body: Buffer): void {
  if (isLargeBody(body) && !writing.get(body)) releaseBuffer(body);
}
