import { pipeline, type Transform } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';

/** Responses with more encodings than this are not decoded. */
const MAX_ENCODINGS = 3;

/**
 * Decompresses a body chunk by chunk while it is read, so the reader bounds its size. A body that ends early is read as
 * far as it goes. Returns the same body if it has no encoding, or an unknown one.
 * @param encoding value of `Content-Encoding`.
 */
export function decodeContent(
  body: AsyncIterable<Buffer>,
  encoding: string | readonly string[] | undefined,
): AsyncIterable<Buffer> {
  if (encoding === undefined) return body;
  const names = String(encoding)
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > MAX_ENCODINGS || !names.every((name) => DECODERS.has(name))) return body;
  return names.reduceRight((bytes, name) => decodeOne(bytes, name), body);
}

async function* decodeOne(body: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer, void, undefined> {
  const chunks = body[Symbol.asyncIterator]();
  const first = await chunks.next();
  const decoder = first.done ? undefined : DECODERS.get(name)?.(first.value);
  if (first.done || !decoder) return;
  // The error of a failed pipeline is thrown by the iteration.
  pipeline(continueWith(first.value, chunks), decoder, () => {});
  // Decoders reuse the memory of their chunks; the reader may free its own.
  for await (const chunk of decoder) yield Buffer.from(chunk);
}

async function* continueWith(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  yield first;
  yield* { [Symbol.asyncIterator]: () => rest };
}

const ZLIB = { finishFlush: constants.Z_SYNC_FLUSH };

/** Creates a decoder for the bytes that begin with `first`. */
const DECODERS: ReadonlyMap<string, (first: Buffer) => Transform> = new Map<string, (first: Buffer) => Transform>([
  ['gzip', () => createGunzip(ZLIB)],
  ['x-gzip', () => createGunzip(ZLIB)],
  // Some servers send raw deflate, without the header of zlib.
  ['deflate', (first) => (((first[0] ?? 0) & 0x0f) === 8 ? createInflate(ZLIB) : createInflateRaw(ZLIB))],
  ['br', () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })],
  ['zstd', () => createZstdDecompress({ finishFlush: constants.ZSTD_e_flush })],
]);
