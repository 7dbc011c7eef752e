import { releaseBuffer } from '../files/release-buffer.ts';
import type { HttpResponse } from './http-client.ts';

interface Cut {
  readonly skipBytes: number;
  readonly length: number;
  /** True if the response ends with the last requested byte. */
  readonly endsThere: boolean;
}

/** How long the end of a response is awaited, so that its connection can be reused. */
const LAST_BYTES_MS = 1000;

/**
 * Reads exactly `length` bytes of a body, and closes the response. A yielded buffer is invalid once the next one is
 * requested.
 * @throws what `toError` makes of an error of the response, or of its early end.
 */
export async function* readExactly(
  response: HttpResponse,
  { skipBytes, length, endsThere }: Cut,
  toError: (error: unknown) => unknown,
): AsyncGenerator<Buffer, void> {
  response.markStarted();
  // Chunks of a chunked response may be views of one shared buffer. Otherwise each is one read of the socket.
  const isOwn = response.headers['transfer-encoding'] === undefined;
  let toSkip = skipBytes;
  let left = length;
  try {
    while (left > 0) {
      const part = await response.read();
      if (part === undefined) throw new Error(`the file broke off, ${left} bytes are missing`);
      const usable = part.subarray(toSkip, toSkip + left);
      toSkip = Math.max(0, toSkip - part.length);
      left -= usable.length;
      if (usable.length > 0) yield usable;
      if (isOwn) releaseBuffer(part);
    }
    if (endsThere) await response.awaitEnd(LAST_BYTES_MS);
  } catch (error) {
    throw toError(error);
  } finally {
    response.close();
  }
}
