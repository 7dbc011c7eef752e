import { type BlobStore, createMemoryBlobStore } from '../../../src/core/storage/index.ts';

/** Store in memory that counts its use and fails on request. */
export interface WatchedStore extends BlobStore {
  /** Number of stored blobs. */
  readonly blobCount: number;
  /** Number of blobs being read. */
  readonly openCount: number;
  /** Number of bytes read. */
  readonly readBytes: number;
  /** Makes all reads fail with this error after `afterBytes` of all blobs together; undefined ends that. */
  failReads(how: { readonly error: Error; readonly afterBytes: number } | undefined): void;
}

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
