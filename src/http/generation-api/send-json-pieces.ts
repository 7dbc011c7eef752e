import type { FastifyReply } from 'fastify';
import { awaitDrain, type DrainDeps } from '../await-drain.ts';
import { ClientGoneError } from '../open-exchanges.ts';

/** A part of a JSON text: a string stands as it is, a buffer as the base64 of its bytes (quotes are the strings' business). */
export type JsonPiece = string | Buffer;

/** A multiple of three, so that base64 goes on without padding between. */
const SLICE_BYTES = 3 * 256 * 1024;

/**
 * Answers 200 with large binaries inside JSON. They are encoded a piece at a time as fast as the client reads: a
 * picture of 40 MB as one text would hold up everybody for as long as it takes to encode and print it, and take its
 * size several times over. A client that goes away is no error.
 */
export async function sendJsonPieces(
  reply: FastifyReply,
  pieces: readonly JsonPiece[],
  deps: DrainDeps,
): Promise<void> {
  const response = reply.hijack().raw;
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': countBytes(pieces),
  });
  try {
    for (const piece of pieces) {
      for (const bytes of toSlices(piece)) {
        if (response.destroyed) return;
        if (!response.write(bytes)) await awaitDrain(response, deps);
      }
    }
    response.end();
  } catch (error) {
    if (!(error instanceof ClientGoneError)) throw error;
  }
}

/** The elements of a JSON list, with commas between. */
export function joinJsonPieces(elements: readonly (readonly JsonPiece[])[]): JsonPiece[] {
  return elements.flatMap((element, index) => (index === 0 ? element : [',', ...element]));
}

/** The length of the text that the pieces become. */
export function countBytes(pieces: readonly JsonPiece[]): number {
  const count = (piece: JsonPiece) =>
    typeof piece === 'string' ? Buffer.byteLength(piece) : Math.ceil(piece.length / 3) * 4;
  return pieces.reduce((sum, piece) => sum + count(piece), 0);
}

function* toSlices(piece: JsonPiece): Generator<Buffer> {
  if (typeof piece === 'string') {
    yield Buffer.from(piece);
    return;
  }
  for (let start = 0; start < piece.length; start += SLICE_BYTES) {
    yield Buffer.from(piece.toString('base64', start, start + SLICE_BYTES), 'latin1');
  }
}
