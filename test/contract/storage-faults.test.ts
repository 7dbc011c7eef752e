import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { FileUnreadableError, StorageUnavailableError } from '../../src/core/storage/index.ts';
import { blobs, files } from '../../src/database/schema/index.ts';
import { createStorageHarness, createStorageHarnessOn, toChunks } from '../support/harness/storage.ts';
import { createScriptedBlobStore, type StoreFault } from '../support/stores/scripted-blob-store.ts';
import { describeOnEveryDatabase } from '../support/stores/test-database.ts';
import { KilledError, watchDatabase } from '../support/stores/watched-database.ts';
import { startBeforeAll, testByTier } from '../support/vitest/tiers.ts';

const PART = 150_000;
const SIZE = 4 * PART + 5000;
const NOTHING = { files: 0, blobs: 0, parts: 0 };

describeOnEveryDatabase('storage with a failing store', (createDatabase) => {
  const database = startBeforeAll(() => createDatabase());
  afterEach(async () => {
    for (const table of [files, blobs]) await database.db.delete(table);
  });

  const putFaults: readonly StoreFault[] = ['refused', 'refused-for-now', 'lost-undone', 'lost-done', 'broken'];
  const callsOfPut = [0, 1, 2, 3, 4];
  testByTier(
    callsOfPut.flatMap((at) => putFaults.map((fault) => ({ fault, at }))),
    putFaults.length,
  )(
    'a put that is $fault, call $at: the file is complete or absent, and nothing else remains',
    async ({ fault, at }) => {
      const stage = createStorageHarness(database.db, { partBytes: PART });
      stage.store.script = (call, index) => (call === 'put' && index === at ? fault : undefined);
      const bytes = randomBytes(SIZE);
      const file = await stage.upload(bytes).catch((error: Error) => error);
      const survives = fault !== 'refused' && fault !== 'broken';
      if (file instanceof Error) {
        if (fault === 'refused') expect(file).toBeInstanceOf(StorageUnavailableError);
        await stage.sweepThoroughly();
        expect(await stage.countRows()).toEqual(NOTHING);
        expect([...stage.store.names]).toEqual([]);
      } else {
        await stage.sweepThoroughly();
        expect((await stage.read(file.id)).equals(bytes)).toBe(true);
        expect(stage.store.names.size).toBe(5);
        expect(await stage.countRows()).toEqual({ files: 1, blobs: 5, parts: 5 });
      }
      expect(file instanceof Error).toBe(!survives);
      if (fault === 'lost-done' || fault === 'lost-undone') {
        expect(new Set(stage.store.putNames).size).toBe(stage.store.putNames.length);
      }
      await stage.storage.close();
    },
  );

  it('an upload fails after a bounded wait when the store never answers', async () => {
    for (const fault of ['refused-for-now', 'lost-undone', 'lost-done'] as const) {
      const stage = createStorageHarness(database.db, { partBytes: PART, maxStoreWaitMs: 30_000 });
      stage.store.script = (call) => (call === 'put' ? fault : undefined);
      const startedAt = stage.clock.now();
      await expect(stage.upload(randomBytes(SIZE))).rejects.toBeInstanceOf(StorageUnavailableError);
      expect(stage.clock.now() - startedAt).toBeLessThan(35_000);
      await stage.sweepThoroughly();
      expect(await stage.countRows()).toEqual(NOTHING);
      expect([...stage.store.names]).toEqual([]);
      await stage.storage.close();
    }
  });

  it('a hanging put is abandoned, and its blob is removed by its name', async () => {
    const stage = createStorageHarness(database.db, { partBytes: PART, maxStoreWaitMs: 30_000 });
    const { put } = stage.store;
    stage.store.put = async (blob, signal) => {
      await put(blob, signal);
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    await expect(stage.upload(randomBytes(10))).rejects.toBeInstanceOf(StorageUnavailableError);
    expect(stage.store.names.size).toBe(1);
    await stage.sweepThoroughly();
    expect(stage.store.names.size).toBe(0);
    expect(await stage.countRows()).toEqual(NOTHING);
    await stage.storage.close();
  });

  it('a blob that the store fails to remove delays no other, and is retried', async () => {
    const stage = createStorageHarness(database.db, { partBytes: PART });
    stage.store.script = (call, index) =>
      call === 'put' ? 'broken' : call === 'deleteByName' && index === 0 ? 'refused' : undefined;
    for (let count = 0; count < 3; count++) await stage.upload(randomBytes(10)).catch(() => {});
    expect((await stage.countRows()).blobs).toBe(3);
    await stage.storage.sweep(stage.signal);
    expect((await stage.countRows()).blobs).toBe(1);
    await stage.sweepThoroughly();
    expect((await stage.countRows()).blobs).toBe(0);
    await stage.storage.close();
  });

  describe('storage with a store whose answers alone tell the location of blobs', () => {
    it('a blob whose answer was lost stays in the store, and no row refers to it', async () => {
      const store = createScriptedBlobStore({ hidesPlaces: true });
      const stage = createStorageHarnessOn(database.db, store, { partBytes: PART });
      store.script = (call, index) => (call === 'put' && index === 0 ? 'lost-done' : undefined);
      const bytes = randomBytes(SIZE);
      const { id } = await stage.upload(bytes);
      await stage.sweepThoroughly();
      expect((await stage.read(id)).equals(bytes)).toBe(true);
      expect(await stage.countRows()).toEqual({ files: 1, blobs: 5, parts: 5 });
      expect(store.names.size).toBe(6);
      await stage.storage.close();
    });

    it('a blob with a known location is removed although the database did not accept its parts', async () => {
      const store = createScriptedBlobStore({ hidesPlaces: true });
      let isBreaking = false;
      const { put } = store;
      store.put = async (blob, signal) => {
        const locator = await put(blob, signal);
        isBreaking = true;
        return locator;
      };
      const db = watchDatabase(database.db, async (_moment, isInTransaction) => {
        if (!isBreaking || !isInTransaction) return;
        isBreaking = false;
        throw new Error('the connection has broken');
      });
      const stage = createStorageHarnessOn(db, store, { partBytes: PART });
      await expect(stage.upload(randomBytes(10))).rejects.toThrow('the connection has broken');
      expect(store.names.size).toBe(1);
      await stage.sweepThoroughly();
      expect(store.names.size).toBe(0);
      expect(await stage.countRows()).toEqual(NOTHING);
      await stage.storage.close();
    });
  });

  const openFaults: readonly StoreFault[] = [
    'refused',
    'refused-for-now',
    'broken',
    'missing',
    'break',
    'cut',
    'flip',
    'swap',
  ];
  const callsOfOpen = [0, 2, 4];
  testByTier(
    callsOfOpen.flatMap((at) => openFaults.map((fault) => ({ fault, at }))),
    openFaults.length,
  )(
    'an open that is $fault, call $at: all bytes read are right, and a normal end is the real end',
    async ({ fault, at }) => {
      const stage = createStorageHarness(database.db, { partBytes: PART });
      const bytes = randomBytes(SIZE);
      const { id } = await stage.upload(bytes);
      stage.store.script = (call, index) => (call === 'open' && index === at ? fault : undefined);
      const received: Buffer[] = [];
      const read = async () => {
        for await (const chunk of await stage.storage.read(id, { start: 0, end: SIZE - 1 }, stage.signal)) {
          received.push(Buffer.from(chunk));
        }
      };
      const error: unknown = await stage.elapse(read()).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      const all = Buffer.concat(received);
      expect(all.equals(bytes.subarray(0, all.length))).toBe(true);
      const survives = fault === 'refused-for-now' || fault === 'break' || fault === 'cut';
      if (survives) expect([error, all.length]).toEqual([undefined, SIZE]);
      else {
        const expected = fault === 'refused' || fault === 'broken' ? StorageUnavailableError : FileUnreadableError;
        expect(error).toBeInstanceOf(expected);
        expect(all.length).toBeLessThan(SIZE);
        // An error at the first open is thrown before the first byte.
        if (at === 0 && fault !== 'flip' && fault !== 'swap') expect(all.length).toBe(0);
      }
      await stage.storage.close();
    },
  );

  it('a permanently damaged blob is never delivered as complete', async () => {
    for (const fault of ['break', 'cut', 'flip'] as const) {
      const stage = createStorageHarness(database.db, { partBytes: PART });
      const { id } = await stage.upload(randomBytes(PART));
      stage.store.script = (call) => (call === 'open' ? fault : undefined);
      await expect(stage.read(id)).rejects.toBeInstanceOf(FileUnreadableError);
      await stage.storage.close();
    }
  });

  describe('storage with a killed process', () => {
    /** Runs `work` until the process dies at its step `at`. Returns false if it ended before. */
    const dieAt = async (
      at: number,
      stage: ReturnType<typeof createStorageHarness>,
      work: (dying: ReturnType<typeof createStorageHarness>) => Promise<unknown>,
    ) => {
      let step = 0;
      const { promise: died, resolve: die } = Promise.withResolvers<void>();
      const forEver = new Promise<never>(() => {});
      const live = async (isInTransaction: boolean) => {
        if (step++ < at) return;
        die();
        if (isInTransaction) throw new KilledError();
        await forEver;
      };
      const db = watchDatabase(stage.db, async (_moment, isInTransaction) => live(isInTransaction));
      const store = { ...stage.store };
      store.put = async (blob, signal) => {
        await live(false);
        const locator = await stage.store.put(blob, signal);
        await live(false);
        return locator;
      };
      store.delete = async (locator, signal) => {
        await live(false);
        await stage.store.delete(locator, signal);
        await live(false);
      };
      const dying = createStorageHarnessOn(db, store, { partBytes: PART, clock: stage.clock });
      const done = work(dying).then(async () => {
        // Background tasks may be killed as well.
        await stage.clock.advance(200);
        return 'done' as const;
      });
      const isDead = (await Promise.race([done, died.then(() => 'died' as const)])) === 'died';
      // A server finishes the statements that reached it before.
      await stage.clock.advance(0);
      return isDead;
    };

    it('at any step of an upload: another process finds the complete file or nothing, and nothing remains', async () => {
      const bytes = randomBytes(2 * PART + 10);
      let steps = 0;
      for (let isDead = true; isDead; steps++) {
        const stage = createStorageHarness(database.db, { partBytes: PART });
        isDead = await dieAt(steps, stage, (dying) =>
          dying.storage.upload(
            toChunks(bytes),
            { name: 'x', mediaType: undefined, sizeBytes: bytes.length },
            dying.signal,
          ),
        );
        const [row] = await database.db.select().from(files);
        const isReady = row?.state === 'ready';
        if (row) expect((await stage.storage.find(row.id)) !== undefined).toBe(isReady);
        await stage.sweepThoroughly();
        if (row && isReady) expect((await stage.read(row.id)).equals(bytes)).toBe(true);
        else expect(await stage.countRows()).toEqual(NOTHING);
        expect(stage.store.names.size).toBe(isReady ? 3 : 0);
        await stage.storage.close();
        for (const table of [files, blobs]) await database.db.delete(table);
      }
      expect(steps).toBeGreaterThan(25);
    });

    it('at any step of a deletion: the file is complete or deleted, and nothing remains', async () => {
      const bytes = randomBytes(2 * PART + 10);
      let steps = 0;
      for (let isDead = true; isDead; steps++) {
        const stage = createStorageHarness(database.db, { partBytes: PART });
        const { id, ownerKey } = await stage.upload(bytes);
        isDead = await dieAt(steps, stage, (dying) => dying.storage.delete(id, { ownerKey }));
        const isThere = (await stage.storage.find(id)) !== undefined;
        if (isThere) expect((await stage.read(id)).equals(bytes)).toBe(true);
        await stage.sweepThoroughly();
        expect(stage.store.names.size).toBe(isThere ? 3 : 0);
        expect(await stage.countRows()).toEqual(isThere ? { files: 1, blobs: 3, parts: 3 } : NOTHING);
        await stage.storage.close();
        for (const table of [files, blobs]) await database.db.delete(table);
      }
      expect(steps).toBeGreaterThan(10);
    });
  });
});
