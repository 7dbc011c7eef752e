import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { BlobMissingError, type BlobStore } from '../../src/core/storage/index.ts';
import { collect } from '../support/harness/storage.ts';

/** A store under test and its cleanup. */
export interface BlobStoreFixture {
  readonly store: BlobStore;
  close(): Promise<void>;
}

/** Tests the contract of every BlobStore. `create` starts a new store for each test. */
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
    const read = async (...[locator, range]: [Parameters<BlobStore['open']>[0], Parameters<BlobStore['open']>[1]]) =>
      collect(await store.open(locator, range, controller.signal));

    it.each([1, 16, 65_552, 1_000_000])('returns the stored bytes, %i of them', async (size) => {
      const bytes = randomBytes(size);
      const locator = await put(bytes);
      expect((await read(locator, { offset: 0, length: size })).equals(bytes)).toBe(true);
    });

    it('returns any range', async () => {
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

    it('keeps the stored bytes when the caller overwrites its buffer afterwards', async () => {
      const bytes = randomBytes(10_000);
      const buffer = Buffer.from(bytes);
      const locator = await store.put({ name: nextName(), bytes: buffer }, controller.signal);
      buffer.fill(0);
      expect((await read(locator, { offset: 0, length: 10_000 })).equals(bytes)).toBe(true);
    });

    it('returns a location that can be serialized', async () => {
      const locator = await put(Buffer.from('here'));
      const remembered = JSON.parse(JSON.stringify(locator));
      expect((await read(remembered, { offset: 0, length: 4 })).toString()).toBe('here');
    });

    it('keeps blobs apart that are stored concurrently with the same bytes', async () => {
      const blobs = Array.from({ length: 4 }, (_, index) => randomBytes(1000 + (index % 2)));
      const locators = await Promise.all(blobs.map((bytes) => put(bytes)));
      const ranges = await Promise.all(
        locators.map((locator, index) => read(locator, { offset: 0, length: blobs[index]?.length ?? 0 })),
      );
      expect(ranges.every((bytes, index) => bytes.equals(blobs[index] ?? Buffer.of()))).toBe(true);
    });

    it('accepts the hint that a blob will be opened, and ignores it when the blob does not exist', async () => {
      const locator = await put(Buffer.from('soon'));
      store.prepare?.(locator);
      expect((await read(locator, { offset: 0, length: 4 })).toString()).toBe('soon');
      store.prepare?.(locator);
      await store.delete(locator, controller.signal);
      store.prepare?.(locator);
      store.prepare?.({ nonsense: true });
    });

    it('removes a blob, and accepts a second removal', async () => {
      const [kept, removed] = [await put(Buffer.from('kept')), await put(Buffer.from('gone'))];
      await store.delete(removed, controller.signal);
      await store.delete(removed, controller.signal);
      expect((await read(kept, { offset: 0, length: 4 })).toString()).toBe('kept');
    });

    it('throws the reason of a signal that was aborted before the call', async () => {
      const locator = await put(Buffer.from('there'));
      const reason = new Error('changed my mind');
      controller.abort(reason);
      await expect(put(Buffer.from('more'))).rejects.toBe(reason);
      await expect(store.open(locator, { offset: 0, length: 1 }, controller.signal)).rejects.toBe(reason);
      await expect(store.delete(locator, controller.signal)).rejects.toBe(reason);
    });

    it('throws the reason of a signal that aborts during the read', async () => {
      const locator = await put(randomBytes(1_000_000));
      const reason = new Error('enough');
      const readSome = async () => {
        for await (const _ of await store.open(locator, { offset: 0, length: 1_000_000 }, controller.signal)) {
          controller.abort(reason);
        }
      };
      await expect(readSome()).rejects.toBe(reason);
    });

    it('lets a reader stop in the middle or before the first chunk', async () => {
      const locator = await put(randomBytes(1_000_000));
      for await (const _ of await store.open(locator, { offset: 0, length: 1_000_000 }, controller.signal)) break;
      await store.open(locator, { offset: 0, length: 1_000_000 }, controller.signal);
      controller.abort(new Error('left'));
    });
  });
}

/** Tests the additional contract of stores that know at once which blobs they hold. */
export function describeExactBlobStore(name: string, create: () => Promise<BlobStoreFixture>): void {
  describe(`${name} as a store that knows its blobs`, () => {
    const { signal } = new AbortController();
    const name22 = () => randomBytes(16).toString('base64url');

    it('reports a missing blob', async () => {
      const { store, close } = await create();
      onTestFinished(close);
      const locator = await store.put({ name: name22(), bytes: Buffer.from('gone') }, signal);
      await store.delete(locator, signal);
      await expect(store.open(locator, { offset: 0, length: 4 }, signal)).rejects.toBeInstanceOf(BlobMissingError);
    });

    it('removes the blob of an unanswered put by its name, and ignores an unknown name', async () => {
      const { store, close } = await create();
      onTestFinished(close);
      const name = name22();
      await store.deleteByName?.(name, signal);
      const locator = await store.put({ name, bytes: Buffer.from('left') }, signal);
      await store.deleteByName?.(name, signal);
      await expect(store.open(locator, { offset: 0, length: 4 }, signal)).rejects.toBeInstanceOf(BlobMissingError);
    });
  });
}
