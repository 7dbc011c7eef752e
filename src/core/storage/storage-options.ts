import type { Database } from '../../database/connect.ts';
import type { Clock } from '../../lib/clock.ts';
import type { ReadDiskSpace } from '../../lib/disk-space.ts';
import type { Logger } from '../../lib/logger.ts';
import type { BlobStore } from './blob-store.ts';
import { toPlainSize } from './encryption.ts';

const MIB = 1024 * 1024;

export interface StorageDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly store: BlobStore;
  /** Reads the space of the disk that uploads fill, with their bytes or with their rows. Default: uploads fill none. */
  readonly readSpace?: ReadDiskSpace | undefined;
  /** 32 bytes. Whoever has them and the database can read every file; without them nobody can read any. */
  readonly encryptionKey: Buffer;
}

export interface StorageOptions {
  /** The largest file. Default 16 GiB. */
  readonly maxFileBytes?: number | undefined;
  /** Bytes of a file in one part. Default 19 MiB; never more than fits into a blob of the store. */
  readonly partBytes?: number | undefined;
  /** Blobs on their way to the store at the same time; each has a buffer of the size of a part. Default 2. */
  readonly concurrentPuts?: number | undefined;
  /** Memory for bytes that have arrived and wait for their blob. Default a part and 5 MiB. */
  readonly receivingBytes?: number | undefined;
  /** How long the end of a small file waits for company while other uploads are under way. Default 300. */
  readonly lingerMs?: number | undefined;
  /** How long the store may refuse a blob before its uploads fail. Default 10 minutes. */
  readonly maxStoreWaitMs?: number | undefined;
  /** Uploads at the same time in this process. Default 500. */
  readonly maxConcurrentUploads?: number | undefined;
  /** Uploads of one person, and from one address, at the same time in this process. Default 20. */
  readonly maxConcurrentUploadsPerSender?: number | undefined;
  /** Bytes that one person, and one address, may send within 24 hours. Default no limit. */
  readonly maxBytesPerDay?: number | undefined;
  /** How often the sweeper runs. Default 3 minutes. */
  readonly sweepEveryMs?: number | undefined;
}

/** Options with nothing left open. */
export type StorageLimits = { readonly [Name in keyof StorageOptions]-?: NonNullable<StorageOptions[Name]> };

/** Fills in the defaults. */
export function toLimits(store: BlobStore, options: StorageOptions): StorageLimits {
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
