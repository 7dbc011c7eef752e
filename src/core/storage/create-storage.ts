import type { Database } from '../../database/connect.ts';
import { once } from '../../lib/async/once.ts';
import type { Clock } from '../../lib/clock.ts';
import { describeError } from '../../lib/errors/describe-error.ts';
import { type ReadDiskSpace, toUploadFloor } from '../../lib/files/disk-space.ts';
import type { Logger } from '../../lib/log/logger.ts';
import { Background } from './background.ts';
import { createBlobJournal } from './blobs/blob-journal.ts';
import type { BlobStore, BlobStores } from './blobs/blob-store.ts';
import { SEGMENT_BYTES, toPlainSize, toSealedSize } from './blobs/encryption.ts';
import { moveBlobs } from './blobs/move-blobs.ts';
import { putBlob, RETRY_UPLOAD_AFTER_MS } from './blobs/put-blob.ts';
import { FileRemover } from './deletion/file-remover.ts';
import { Sweeper, sweep } from './deletion/sweep.ts';
import { Downloads } from './download/downloads.ts';
import { createPasswordCheck, createPasswords } from './download/passwords.ts';
import { readFile } from './download/read-file.ts';
import { createFileRows, storeTelegramFile } from './file-rows.ts';
import { rewrapKeys } from './rewrap-keys.ts';
import { InsufficientStorageError, type Storage, StorageUnavailableError } from './storage.ts';
import { deriveStorageKeys } from './storage-keys.ts';
import { Packer, type PackerParams } from './upload/packer.ts';
import { createSegmentPool } from './upload/segment-pool.ts';
import { uploadFile } from './upload/upload-file.ts';
import { createUploadQuotas } from './upload/upload-quotas.ts';

const MIB = 1024 * 1024;

export interface StorageDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Takes new files. */
  readonly store: BlobStore;
  /** Stores of other kinds that still hold files. Default: none. */
  readonly formerStores?: readonly BlobStore[] | undefined;
  /** Reads the free space of the disk that holds files or the database. Default: space is not checked. */
  readonly readSpace?: ReadDiskSpace | undefined;
  /** 32 bytes. Together with the database it decrypts every file; without it no file can be read. */
  readonly encryptionKey: Buffer;
  /** Keys that were used before. Their files are read, and get the present key in the background. Default: none. */
  readonly formerEncryptionKeys?: readonly Buffer[] | undefined;
}

export interface StorageOptions {
  /** Maximum size of a file. Default 16 GiB. */
  readonly maxFileBytes?: number | undefined;
  /** Bytes of a file in one part. Default 19 MiB, at most what fits into a blob of the store. */
  readonly partBytes?: number | undefined;
  /** Blobs in flight to the store. Each has a buffer of the size of a part. Default 2. */
  readonly concurrentPuts?: number | undefined;
  /** Memory for received bytes that wait for a blob. Default a part and 5 MiB. */
  readonly receivingBytes?: number | undefined;
  /** How long the end of a small file waits for bytes of other uploads to share its blob. Default 300. */
  readonly lingerMs?: number | undefined;
  /** How long the store may refuse a blob before its uploads fail. Default 10 minutes. */
  readonly maxStoreWaitMs?: number | undefined;
  /** Concurrent uploads in this process. Default 500. */
  readonly maxConcurrentUploads?: number | undefined;
  /** Concurrent uploads of one user, and from one address, in this process. Default 20. */
  readonly maxConcurrentUploadsPerSender?: number | undefined;
  /** Bytes that one user, and one address, may upload within 24 hours. Default no limit. */
  readonly maxBytesPerDay?: number | undefined;
  /** True if no other process uses the database: downloads that a crash broke off are free at once. Default false. */
  readonly isOnlyProcess?: boolean | undefined;
  /** Moves files of former stores into the store, in the background. Default false. */
  readonly movesFiles?: boolean | undefined;
  /** Interval between sweeps. Default 3 minutes. */
  readonly sweepEveryMs?: number | undefined;
}

/** Options with all defaults applied. */
type StorageLimits = { readonly [Name in keyof StorageOptions]-?: NonNullable<StorageOptions[Name]> };

const RETRY_AFTER_MS = 5000;

/** Creates a storage on any blob store. No background work runs before `start`. */
export function createStorage(deps: StorageDeps, options: StorageOptions = {}): Storage {
  const { db, clock, logger, store } = deps;
  const stores: BlobStores = new Map([store, ...(deps.formerStores ?? [])].map((each) => [each.kind, each]));
  const limits = toLimits(store, options);
  const keys = deriveStorageKeys(deps.encryptionKey, deps.formerEncryptionKeys);
  const journal = createBlobJournal({ db, clock, storeKind: store.kind });
  const quotas = createUploadQuotas({
    db,
    clock,
    maxConcurrent: limits.maxConcurrentUploads,
    maxConcurrentPerClient: limits.maxConcurrentUploadsPerSender,
    maxBytesPerDay: limits.maxBytesPerDay,
  });
  const checkSpace = createSpaceCheck(deps);
  const passwords = createPasswords();
  const rows = createFileRows({ db, clock, passwords });
  const closing = new AbortController();
  const background = new Background();
  const downloads = new Downloads({ db, clock, logger, background });
  const removing = { stores, journal, clock, logger, db };
  const remover = new FileRemover({ ...removing, background, findRow: rows.findRow, closing: closing.signal });
  const everyMs = limits.sweepEveryMs;
  const sweeper = new Sweeper({ clock, logger, everyMs, sweep: (signal) => sweep({ ...removing, quotas }, signal) });
  const { pool, packer } = createIntake(limits, clock, async (blob, signal) => {
    // The total size of an upload may be unknown in advance, so each blob is checked.
    checkSpace(blob.bytes.length);
    await putBlob({ store, journal, clock, logger, maxWaitMs: limits.maxStoreWaitMs }, blob, signal);
  });
  const uploading = {
    db,
    clock,
    logger,
    keys,
    quotas,
    passwords,
    pool,
    packer,
    checkSpace,
    async checkStore() {
      const outage = await store.findOutage?.();
      if (outage !== undefined) throw new StorageUnavailableError(outage, RETRY_UPLOAD_AFTER_MS);
    },
    partBytes: limits.partBytes,
    maxFileBytes: limits.maxFileBytes,
    discard: (id: string) => remover.discard(id),
  };
  const reading = { db, stores, clock, keys, findRow: rows.findRow };
  const inBackground = (work: (signal: AbortSignal) => Promise<void>, failure: string) =>
    void background.run(
      work(closing.signal).catch((error: unknown) => {
        if (!closing.signal.aborted) logger.error({ reason: describeError(error) }, failure);
      }),
    );
  const orClosing = (signal: AbortSignal) => AbortSignal.any([signal, closing.signal]);

  return {
    maxFileBytes: limits.maxFileBytes,
    upload: (source, params, signal) => background.run(uploadFile(uploading, source, params, orClosing(signal))),
    find: rows.find,
    read: (id, range, signal, readOptions) => readFile(reading, id, range, orClosing(signal), readOptions),
    beginDownload: (id) => downloads.begin(id),
    delete: (id, by) => remover.delete(id, by),
    takeDown: (id, reason) => remover.takeDown(id, reason),
    change: rows.change,
    list: rows.list,
    checkPassword: createPasswordCheck({ clock, passwords, findRow: rows.findRow }),
    async storeTelegramFile(params) {
      checkSpace(0);
      return storeTelegramFile(deps, params);
    },
    sweep: (signal) => sweeper.run(signal),
    countElsewhere: async () => (await journal.countElsewhere()).bytes,
    start() {
      const moving = { stores, keys, store, journal, clock, logger };
      if (limits.movesFiles) inBackground((signal) => moveBlobs(moving, signal), 'files are no longer moved');
      if (keys.formerWrapping.length > 0)
        inBackground(
          (signal) => rewrapKeys({ db, keys, logger }, signal),
          'files keep their former encryption keys until the next start',
        );
      if (limits.isOnlyProcess) void background.run(downloads.freeAll());
      sweeper.start();
    },
    close: once(async () => {
      const reason = new StorageUnavailableError('The service is ending', RETRY_AFTER_MS);
      closing.abort(reason);
      downloads.close();
      await packer.close(reason);
      await Promise.all([sweeper.close(), background.settled()]);
    }),
  };
}

/** Creates the memory that uploads receive into, and the packer that empties it through `put`. */
function createIntake(limits: StorageLimits, clock: Clock, put: PackerParams['put']) {
  const pool = createSegmentPool({
    maxSegments: Math.max(1, Math.ceil(limits.receivingBytes / SEGMENT_BYTES)),
    onShortage: () => packer.wake(),
  });
  const packer = new Packer({
    clock,
    put,
    concurrentPuts: limits.concurrentPuts,
    lingerMs: limits.lingerMs,
    maxBlobBytes: toSealedSize(limits.partBytes),
    isMemoryShort: () => pool.isShort,
  });
  return { pool, packer };
}

/** Returns a check that reserves some disk space for everything but files. */
function createSpaceCheck({ readSpace, store }: StorageDeps): (sizeBytes: number) => void {
  return (sizeBytes) => {
    const space = readSpace?.();
    if (!space) return;
    // Other stores keep the bytes elsewhere; only rows take disk space.
    const addedBytes = store.kind === 'disk' ? sizeBytes : 0;
    if (space.freeBytes - addedBytes < toUploadFloor(space.totalBytes)) throw new InsufficientStorageError();
  };
}

/** Applies the defaults. */
function toLimits(store: BlobStore, options: StorageOptions): StorageLimits {
  const partBytes = Math.min(options.partBytes ?? 19 * MIB, toPlainSize(store.maxBytes));
  return {
    maxFileBytes: options.maxFileBytes ?? 16 * 1024 * MIB,
    partBytes,
    concurrentPuts: options.concurrentPuts ?? 2,
    receivingBytes: options.receivingBytes ?? partBytes + 5 * MIB,
    lingerMs: options.lingerMs ?? 300,
    maxStoreWaitMs: options.maxStoreWaitMs ?? 10 * 60_000,
    maxConcurrentUploads: options.maxConcurrentUploads ?? 500,
    maxConcurrentUploadsPerSender: options.maxConcurrentUploadsPerSender ?? 20,
    maxBytesPerDay: options.maxBytesPerDay ?? Number.POSITIVE_INFINITY,
    isOnlyProcess: options.isOnlyProcess ?? false,
    movesFiles: options.movesFiles ?? false,
    sweepEveryMs: options.sweepEveryMs ?? 3 * 60_000,
  };
}
