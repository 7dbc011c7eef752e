import type { FastifyReply } from 'fastify';
import type { Clock } from '../../../lib/clock.ts';
import type { JsonChunk } from '../../../protocols/openai-media/images/print-answer.ts';
import { awaitDrain } from '../../server/connections/await-drain.ts';
import { ClientGoneError } from '../../server/connections/in-flight-requests.ts';

/** A multiple of three, so that slices need no base64 padding. */
const SLICE_BYTES = 3 * 256 * 1024;

/**
 * Responds 200 with large binaries inside JSON. They are encoded in slices as fast as the client reads: encoding an
 * image of 40 MB at once would block the event loop and take several times its size in memory. A client that
 * disconnects is not an error.
 */
export async function sendJsonChunks(reply: FastifyReply, chunks: readonly JsonChunk[], clock: Clock): Promise<void> {
  const response = reply.hijack().raw;
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': countBytes(chunks),
  });
  try {
    for (const chunk of chunks) {
      for (const bytes of toSlices(chunk)) {
        if (response.destroyed) return;
        if (!response.write(bytes)) await awaitDrain(response, clock);
      }
    }
    response.end();
  } catch (error) {
    if (!(error instanceof ClientGoneError)) throw error;
  }
}

/** Returns the length in bytes of the resulting text. */
function countBytes(chunks: readonly JsonChunk[]): number {
  const count = (chunk: JsonChunk) =>
    typeof chunk === 'string' ? Buffer.byteLength(chunk) : Math.ceil(chunk.length / 3) * 4;
  return chunks.reduce((sum, chunk) => sum + count(chunk), 0);
}

function* toSlices(chunk: JsonChunk): Generator<Buffer> {
  if (typeof chunk === 'string') {
    yield Buffer.from(chunk);
    return;
  }
  for (let start = 0; start < chunk.length; start += SLICE_BYTES) {
    yield Buffer.from(chunk.toString('base64', start, start + SLICE_BYTES), 'latin1');
  }
}
