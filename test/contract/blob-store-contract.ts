import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BlobMissingError, type BlobStore } from '../../src/core/storage/index.ts';

/** A store under test and what takes it down. */
export interface BlobStoreFixture {
  readonly store: BlobStore;
  close(): Promise<void>;
}

/** What everything that calls itself a BlobStore promises. `create` starts a fresh one for each test. */
export function describeBlobStore(name: string, create: () => Promise<BlobStoreFixture>): void {
  describe(`${name} as a blob store`, () => {
    let fixture: BlobStoreFixture;
    let store: BlobStore;
    let controller: AbortController;
    beforeEach(async () => {
      fixture = await create();
      store = fixture.store;
      controller = new AbortController();
    });
    afterEach(() => fixture.close());

    const nextName = () => randomBytes(16).toString('base64url');
    const put = (bytes: Buffer, blobName = nextName()) =>
      store.put({ name: blobName, bytes: Buffer.from(bytes) }, controller.signal);
    const read = async (...[locator, range]: [Parameters<BlobStore['open']>[0], Parameters<BlobStore['open']>[1]]) => {
      const chunks: Buffer[] = [];
      // A chunk may be overwritten when the next one is asked for.
      for await (const chunk of await store.open(locator, range, controller.signal)) chunks.push(Buffer.from(chunk));
      return Buffer.concat(chunks);
    };

    it.each([1, 16, 65_552, 1_000_000])('gives back what was stored, %i bytes', async (size) => {
      const bytes = randomBytes(size);
      const locator = await put(bytes);
      expect((await read(locator, { offset: 0, length: size })).equals(bytes)).toBe(true);
    });

    it('gives any range', async () => {
      const bytes = randomBytes(300_000);
      const locator = await put(bytes);
      for (const [offset, length] of [
        [0, 1],
        [299_999, 1],
        [65_535, 2],
        [100_000, 150_001],
      ] as const) {
        const range = await read(locator, { offset, length });
        expect(range.equals(bytes.subarray(offset, offset + length))).toBe(true);
      }
    });

    it('keeps what it was given, whatever the caller writes into the buffer afterwards', async () => {
      const bytes = randomBytes(10_000);
      const buffer = Buffer.from(bytes);
      const locator = await store.put({ name: nextName(), bytes: buffer }, controller.signal);
      buffer.fill(0);
      expect((await read(locator, { offset: 0, length: 10_000 })).equals(bytes)).toBe(true);
    });

    it('names a place that survives being written down', async () => {
      const locator = await put(Buffer.from('here'));
      const remembered = JSON.parse(JSON.stringify(locator));
      expect((await read(remembered, { offset: 0, length: 4 })).toString()).toBe('here');
    });

    it('keeps blobs apart, many at once and of the same bytes', async () => {
      const blobs = Array.from({ length: 4 }, (_, index) => randomBytes(1000 + (index % 2)));
      const locators = await Promise.all(blobs.map((bytes) => put(bytes)));
      const ranges = await Promise.all(
        locators.map((locator, index) => read(locator, { offset: 0, length: blobs[index]?.length ?? 0 })),
      );
      expect(ranges.every((bytes, index) => bytes.equals(blobs[index] ?? Buffer.of()))).toBe(true);
    });

    it('hears that a blob is about to be opened, and is silent where that can not be', async () => {
      const locator = await put(Buffer.from('soon'));
      store.prepare?.(locator);
      expect((await read(locator, { offset: 0, length: 4 })).toString()).toBe('soon');
      store.prepare?.(locator);
      await store.delete(locator, controller.signal);
      store.prepare?.(locator);
      store.prepare?.({ nonsense: true });
    });

    it('removes a blob, and a second time without complaint', async () => {
      const [kept, removed] = [await put(Buffer.from('kept')), await put(Buffer.from('gone'))];
      await store.delete(removed, controller.signal);
      await store.delete(removed, controller.signal);
      expect((await read(kept, { offset: 0, length: 4 })).toString()).toBe('kept');
    });

    it('throws the reason of a signal that was aborted before', async () => {
      const locator = await put(Buffer.from('there'));
      const reason = new Error('changed my mind');
      controller.abort(reason);
      await expect(put(Buffer.from('more'))).rejects.toBe(reason);
      await expect(store.open(locator, { offset: 0, length: 1 }, controller.signal)).rejects.toBe(reason);
      await expect(store.delete(locator, controller.signal)).rejects.toBe(reason);
    });

    it('throws the reason of a signal that aborts in the middle of reading', async () => {
      const locator = await put(randomBytes(1_000_000));
      const reason = new Error('enough');
      const readSome = async () => {
        for await (const _ of await store.open(locator, { offset: 0, length: 1_000_000 }, controller.signal)) {
          controller.abort(reason);
        }
      };
      await expect(readSome()).rejects.toBe(reason);
    });

    it('lets a reader leave in the middle, and one that never begins', async () => {
      const locator = await put(randomBytes(1_000_000));
      for await (const _ of await store.open(locator, { offset: 0, length: 1_000_000 }, controller.signal)) break;
      await store.open(locator, { offset: 0, length: 1_000_000 }, controller.signal);
      controller.abort(new Error('left'));
    });
  });
}

/** What stores promise besides that know at once what they hold. */
export function describeExactBlobStore(name: string, create: () => Promise<BlobStoreFixture>): void {
  describe(`${name} as a store that knows what it holds`, () => {
    const { signal } = new AbortController();
    const name22 = () => randomBytes(16).toString('base64url');

    it('says so where a blob is missing', async () => {
      const { store, close } = await create();
      const locator = await store.put({ name: name22(), bytes: Buffer.from('gone') }, signal);
      await store.delete(locator, signal);
      await expect(store.open(locator, { offset: 0, length: 4 }, signal)).rejects.toBeInstanceOf(BlobMissingError);
      await close();
    });

    it('removes by its name what a put without an answer has left, and takes no notice where that is nothing', async () => {
      const { store, close } = await create();
      const name = name22();
      await store.deleteByName?.(name, signal);
      const locator = await store.put({ name, bytes: Buffer.from('left') }, signal);
      await store.deleteByName?.(name, signal);
      await expect(store.open(locator, { offset: 0, length: 4 }, signal)).rejects.toBeInstanceOf(BlobMissingError);
      await close();
    });
  });
}
