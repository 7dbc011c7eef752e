import { files } from '../../database/schema/index.ts';
import { describeError } from '../../lib/describe-error.ts';
import { toUploadFloor } from '../../lib/disk-space.ts';
import { createId } from '../../lib/ids.ts';
import { once } from '../../lib/once.ts';
import { createBlobJournal } from './blob-journal.ts';
import { cleanMediaType } from './clean-media-type.ts';
import { cleanName } from './clean-name.ts';
import { deleteFile, type MayDelete } from './delete-file.ts';
import { SEGMENT_BYTES, toPlainSize, toSealedSize } from './encryption.ts';
import { createFileRows, isAllowed, toStoredFile } from './file-rows.ts';
import { createOwnerKey } from './owner-key.ts';
import { createPacker } from './packer.ts';
import { createPasswordCheck } from './password-check.ts';
import { createPasswords } from './passwords.ts';
import { putBlob } from './put-blob.ts';
import { readFile } from './read-file.ts';
import { removeBlobs } from './remove-blobs.ts';
import { createSegmentPool } from './segment-pool.ts';
import {
  InsufficientStorageError,
  type Storage,
  StorageUnavailableError,
  type TelegramFileOrder,
  type UploadedFile,
} from './storage.ts';
import { deriveStorageKeys } from './storage-keys.ts';
import type { StorageDeps, StorageLimits, StorageOptions } from './storage-options.ts';
import { sweep } from './sweep.ts';
import { takeDown } from './take-down.ts';
import { uploadFile } from './upload-file.ts';
import { createUploadQuotas } from './upload-quotas.ts';

const MIB = 1024 * 1024;
const RETRY_AFTER_MS = 5000;

/** Files over any blob store. Nothing runs by itself before `start`. */
export function createStorage(deps: StorageDeps, options: StorageOptions = {}): Storage {
  const { db, clock, logger, store } = deps;
  const limits = toLimits(deps, options);
  const keys = deriveStorageKeys(deps.encryptionKey);
  const journal = createBlobJournal({ db, clock, storeKind: store.kind });
  const quotas = createUploadQuotas({
    db,
    clock,
    maxConcurrent: limits.maxConcurrentUploads,
    maxConcurrentPerSender: limits.maxConcurrentUploadsPerSender,
    maxBytesPerDay: limits.maxBytesPerDay,
  });
  const checkSpace = createSpaceCheck(deps);
  const passwords = createPasswords();
  const rows = createFileRows({ db, clock });
  const closing = new AbortController();
  const background = createBackground();

  const pool = createSegmentPool({
    maxSegments: Math.max(1, Math.ceil(limits.receivingBytes / SEGMENT_BYTES)),
    onShortage: () => packer.relieve(),
  });
  const packer = createPacker({
    clock,
    put: async (blob, signal) => {
      // Their total is not known before they have come.
      checkSpace(blob.bytes.length);
      await putBlob({ store, journal, clock, logger, maxWaitMs: limits.maxStoreWaitMs }, blob, signal);
    },
    maxBlobBytes: toSealedSize(limits.partBytes),
    concurrentPuts: limits.concurrentPuts,
    lingerMs: limits.lingerMs,
    isMemoryShort: () => pool.isShort,
  });

  const removal = { store, journal, clock, logger };
  const removeSoon = async (blobIds: readonly number[]) => {
    try {
      await removeBlobs(removal, closing.signal, blobIds);
    } catch (error) {
      if (!closing.signal.aborted) logger.warn({ reason: describeError(error) }, 'blobs are left to the sweeper');
    }
  };
  const removeFile = async (id: string, mayDelete: MayDelete) => {
    const deleted = await deleteFile(db, id, mayDelete);
    // Nobody waits for the store; what fails here is left to the sweeper.
    if (deleted) void background.run(removeSoon(deleted.blobIds));
    return deleted;
  };
  const discard = async (id: string) => {
    try {
      await removeFile(id, (row) => row.state === 'uploading');
    } catch (error) {
      logger.warn({ reason: describeError(error) }, 'an upload that has failed is left to the sweeper');
    }
  };
  const sweeper = createSweeper(deps, limits.sweepEveryMs, (signal) => sweep({ db, quotas, ...removal }, signal));

  return {
    maxFileBytes: limits.maxFileBytes,
    upload: (source, order, signal) =>
      background.run(
        uploadFile(
          {
            ...{ db, clock, logger, keys, quotas, passwords, pool, packer, discard },
            checkSpace,
            partBytes: limits.partBytes,
            maxFileBytes: limits.maxFileBytes,
          },
          source,
          order,
          AbortSignal.any([signal, closing.signal]),
        ),
      ),
    find: rows.find,
    read: (id, range, signal, readOptions) => {
      const either = AbortSignal.any([signal, closing.signal]);
      return readFile({ db, store, clock, keys, findRow: rows.findRow }, id, range, either, readOptions);
    },
    countDownload: rows.countDownload,
    async delete(id, by) {
      const row = await rows.findRow(id);
      if (!row) return 'unknown';
      if (!isAllowed(row, by)) return 'forbidden';
      return (await removeFile(id, (locked) => isAllowed(locked, by))) ? 'deleted' : 'unknown';
    },
    async takeDown(id, reason) {
      const taken = await takeDown(db, id, reason);
      if (!taken) return undefined;
      const { blobIds, ...result } = taken;
      void background.run(removeSoon(blobIds));
      return result;
    },
    change: rows.change,
    list: rows.list,
    checkPassword: createPasswordCheck({ clock, passwords, findRow: rows.findRow }),
    async keepTelegramFile(order) {
      checkSpace(0);
      return keepTelegramFile(deps, order);
    },
    sweep: (signal) => sweeper.run(signal),
    start: sweeper.start,
    close: once(async () => {
      const reason = new StorageUnavailableError('The service is ending', RETRY_AFTER_MS);
      closing.abort(reason);
      await packer.close(reason);
      await Promise.all([sweeper.close(), background.settled()]);
    }),
  };
}

/** Keeps some space of the disk for everything but files. */
function createSpaceCheck({ readSpace, store }: StorageDeps): (sizeBytes: number) => void {
  return (sizeBytes) => {
    const space = readSpace?.();
    if (!space) return;
    // Another store takes the bytes elsewhere; their rows are on the disk.
    const addedBytes = store.kind === 'disk' ? sizeBytes : 0;
    if (space.freeBytes - addedBytes < toUploadFloor(space.totalBytes)) throw new InsufficientStorageError();
  };
}

function toLimits({ store }: StorageDeps, options: StorageOptions): StorageLimits {
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
    sweepEveryMs: options.sweepEveryMs ?? 3 * 60_000,
  };
}

/** Work that `close` waits for. */
function createBackground() {
  const running = new Set<Promise<unknown>>();
  return {
    run<Result>(work: Promise<Result>): Promise<Result> {
      const settled: Promise<unknown> = work.then(
        () => running.delete(settled),
        () => running.delete(settled),
      );
      running.add(settled);
      return work;
    },
    async settled(): Promise<void> {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

/** Sweeps one after the other, `everyMs` apart once started. */
function createSweeper<Result>(
  { clock, logger }: StorageDeps,
  everyMs: number,
  sweepOnce: (signal: AbortSignal) => Promise<Result>,
) {
  const closing = new AbortController();
  let last: Promise<unknown> = Promise.resolve();
  let cancel = () => {};
  const run = (signal: AbortSignal): Promise<Result> => {
    const running = last.then(() => sweepOnce(AbortSignal.any([signal, closing.signal])));
    last = running.catch(() => {});
    return running;
  };
  const schedule = (delayMs: number) => {
    if (closing.signal.aborted) return;
    cancel = clock.setTimer(delayMs, () => {
      run(closing.signal)
        .catch((error: unknown) => {
          if (!closing.signal.aborted) logger.error({ reason: describeError(error) }, 'the sweeper has failed');
        })
        .finally(() => schedule(everyMs));
    });
  };
  return {
    run,
    start: () => schedule(Math.min(everyMs, 5000)),
    async close() {
      cancel();
      closing.abort(new Error('The service is ending'));
      await last;
    },
  };
}

async function keepTelegramFile({ db, clock }: StorageDeps, order: TelegramFileOrder): Promise<UploadedFile> {
  const { ownerKey, ownerKeyHash } = createOwnerKey();
  const [row] = await db
    .insert(files)
    .values({
      id: order.id ?? createId(''),
      ownerKeyHash,
      personId: order.personId,
      name: cleanName(order.name),
      mediaType: cleanMediaType(order.mediaType),
      state: 'ready',
      sizeBytes: order.sizeBytes,
      telegram: order.telegram,
      createdAt: new Date(clock.now()),
    })
    .returning();
  if (!row) throw new Error('A file was not noted');
  return { ...toStoredFile(row), ownerKey };
}
