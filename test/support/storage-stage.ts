import { randomBytes } from 'node:crypto';
import type { BlobStore, Storage, StorageOptions, UploadedFile, UploadOptions } from '../../src/core/storage/index.ts';
import { createStorage } from '../../src/core/storage/index.ts';
import type { Database } from '../../src/database/connect.ts';
import { blobs, files, parts } from '../../src/database/schema/index.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';
import { createRecordingLogger } from './recording-logger.ts';
import { createScriptedBlobStore, type ScriptedBlobStore } from './scripted-blob-store.ts';
import { createBusyDatabase } from './watched-database.ts';

const ENCRYPTION_KEY = randomBytes(32);

/**
 * Storage on a store with scripted failures and a fake clock. The clock does not move during work on `db`, so that the
 * latency of a server takes no simulated time.
 */
export interface StorageStage<Store extends BlobStore = ScriptedBlobStore> {
  readonly storage: Storage;
  readonly store: Store;
  readonly clock: FakeClock;
  /** Database of the storage; work on it stops the clock. */
  readonly db: Database;
  readonly logLines: readonly string[];
  readonly signal: AbortSignal;
  upload(bytes: Buffer, order?: Partial<UploadOptions>): Promise<UploadedFile>;
  read(id: string, range?: { readonly start: number; readonly end: number }): Promise<Buffer>;
  /** Advances the clock until the work is done. */
  elapse<Result>(work: Promise<Result>): Promise<Result>;
  /** Sweeps repeatedly, for two simulated days. */
  sweepThoroughly(): Promise<void>;
  /** Returns the numbers of rows. */
  countRows(): Promise<{ readonly files: number; readonly blobs: number; readonly parts: number }>;
}

export function createStorageStage(
  db: Database,
  options: StorageOptions & { readonly clock?: FakeClock } = {},
): StorageStage {
  return createStageOn(db, createScriptedBlobStore(), options);
}

/** If `clock` is given, work on the database does not stop it. */
export function createStageOn<Store extends BlobStore>(
  given: Database,
  store: Store,
  { clock: ownClock, ...options }: StorageOptions & { readonly clock?: FakeClock } = {},
): StorageStage<Store> {
  const busy = createBusyDatabase(given);
  const db = ownClock ? given : busy.db;
  const clock = ownClock ?? createFakeClock(undefined, busy.waitForWork);
  const { logger, lines } = createRecordingLogger();
  const storage = createStorage({ db, clock, logger, store, encryptionKey: ENCRYPTION_KEY }, options);
  const { signal } = new AbortController();
  const stage: StorageStage<Store> = {
    ...{ storage, store, clock, db, signal, logLines: lines },
    upload: (bytes, order = {}) =>
      stage.elapse(storage.upload(toChunks(bytes), { name: 'a.bin', mediaType: undefined, ...order }, signal)),
    async read(id, range = { start: 0, end: Number.MAX_SAFE_INTEGER }) {
      return stage.elapse(collect(await stage.elapse(storage.read(id, range, signal))));
    },
    async elapse(work) {
      let isDone = false;
      const done = work.finally(() => {
        isDone = true;
      });
      done.catch(() => {});
      while (!isDone) await clock.advance(20);
      return done;
    },
    async sweepThoroughly() {
      for (let round = 0; round < 6; round++) {
        await storage.sweep(signal);
        await clock.advance(8 * 3_600_000);
      }
      await storage.sweep(signal);
    },
    async countRows() {
      return { files: await db.$count(files), blobs: await db.$count(blobs), parts: await db.$count(parts) };
    },
  };
  return stage;
}

/** Splits bytes into chunks of an odd size, like reads from a socket. */
export async function* toChunks(bytes: Buffer, chunkBytes = 40_009): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += chunkBytes) yield bytes.subarray(start, start + chunkBytes);
}

export async function collect(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}
