import { BlobMissingError, type BlobStore } from './blob-store.ts';

const CHUNK_BYTES = 65_536;

/** Stores blobs in memory, for the life of the process. */
export function createMemoryBlobStore(options: { readonly maxBytes?: number } = {}): BlobStore {
  const blobs = new Map<string, Buffer>();
  return {
    kind: 'memory',
    maxBytes: options.maxBytes ?? 20 * 1024 * 1024,
    async put({ name, bytes }, signal) {
      signal.throwIfAborted();
      blobs.set(name, Buffer.from(bytes));
      return { name };
    },
    async open(locator, { offset, length }, signal) {
      signal.throwIfAborted();
      const bytes = blobs.get(String(locator['name']));
      if (!bytes || offset + length > bytes.length) throw new BlobMissingError('There is no such blob');
      return chunksOf(bytes.subarray(offset, offset + length), signal);
    },
    async delete(locator, signal) {
      signal.throwIfAborted();
      blobs.delete(String(locator['name']));
    },
    async deleteByName(name, signal) {
      signal.throwIfAborted();
      blobs.delete(name);
    },
  };
}

async function* chunksOf(bytes: Buffer, signal: AbortSignal): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    signal.throwIfAborted();
    yield bytes.subarray(start, start + CHUNK_BYTES);
  }
}
