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
  /** Reads the free space of the disk that holds files or the database. Default: space is not checked. */
  readonly readSpace?: ReadDiskSpace | undefined;
  /** 32 bytes. Together with the database it decrypts every file; without it no file can be read. */
  readonly encryptionKey: Buffer;
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
  /** Interval between sweeps. Default 3 minutes. */
  readonly sweepEveryMs?: number | undefined;
}

/** Options with all defaults applied. */
export type StorageLimits = { readonly [Name in keyof StorageOptions]-?: NonNullable<StorageOptions[Name]> };

/** Applies the defaults. */
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
    isOnlyProcess: options.isOnlyProcess ?? false,
    sweepEveryMs: options.sweepEveryMs ?? 3 * 60_000,
  };
}
