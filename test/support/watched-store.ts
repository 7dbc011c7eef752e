import { type BlobStore, createMemoryBlobStore } from '../../src/core/storage/index.ts';

/** A store in memory that tells what is going on in it, and fails when it is told to. */
export interface WatchedStore extends BlobStore {
  /** Blobs that are kept. */
  readonly blobCount: number;
  /** Blobs that are just being read. */
  readonly openCount: number;
  /** Bytes that were read. */
  readonly readBytes: number;
  /** What becomes of reading: all is well, or after so many bytes of all blobs together everything fails with this error. */
  failReads(how: { readonly error: Error; readonly afterBytes: number } | undefined): void;
}

/** A memory store under observation. */
export function createWatchedStore(): WatchedStore {
  const store = createMemoryBlobStore();
  let blobCount = 0;
  let openCount = 0;
  let readBytes = 0;
  let fault: { readonly error: Error; readonly atBytes: number } | undefined;
  const failIfItShould = () => {
    if (fault && readBytes >= fault.atBytes) throw fault.error;
  };
  async function* watch(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    openCount++;
    try {
      for await (const piece of bytes) {
        failIfItShould();
        readBytes += piece.length;
        yield piece;
      }
    } finally {
      openCount--;
    }
  }
  return {
    ...store,
    get blobCount() {
      return blobCount;
    },
    get openCount() {
      return openCount;
    },
    get readBytes() {
      return readBytes;
    },
    failReads: (how) => {
      fault = how && { error: how.error, atBytes: readBytes + how.afterBytes };
    },
    async put(blob, signal) {
      const locator = await store.put(blob, signal);
      blobCount++;
      return locator;
    },
    async open(locator, range, signal) {
      failIfItShould();
      return watch(await store.open(locator, range, signal));
    },
    async delete(locator, signal) {
      await store.delete(locator, signal);
      blobCount--;
    },
  };
}
