import { type BlobStore, createMemoryBlobStore } from '../../../src/core/storage/index.ts';

/** Creates a store in memory that counts its use and fails on request. */
export function createWatchedStore() {
  const store: BlobStore = createMemoryBlobStore();
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
    /** Number of stored blobs. */
    get blobCount() {
      return blobCount;
    },
    /** Number of blobs being read. */
    get openCount() {
      return openCount;
    },
    /** Number of bytes read. */
    get readBytes() {
      return readBytes;
    },
    /** Makes all reads fail with this error after `afterBytes` of all blobs together; undefined ends that. */
    failReads(how: { readonly error: Error; readonly afterBytes: number } | undefined): void {
      fault = how && { error: how.error, atBytes: readBytes + how.afterBytes };
    },
    async put(...[blob, signal]: Parameters<BlobStore['put']>) {
      const locator = await store.put(blob, signal);
      blobCount++;
      return locator;
    },
    async open(...[locator, range, signal]: Parameters<BlobStore['open']>) {
      failIfItShould();
      return watch(await store.open(locator, range, signal));
    },
    async delete(...[locator, signal]: Parameters<BlobStore['delete']>) {
      await store.delete(locator, signal);
      blobCount--;
    },
  };
}
