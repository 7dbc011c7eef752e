import { statfsSync } from 'node:fs';

/** Space of a file system, in bytes. */
export interface DiskSpace {
  /** Space available to unprivileged processes. */
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** Reads the current space of one file system. Returns undefined if the system does not report it. */
export type ReadDiskSpace = () => DiskSpace | undefined;

const MIB = 1024 * 1024;
/**
 * Free space below which the embedded database accepts no writes: if it can't allocate a segment of its write-ahead log
 * (16 MiB), it terminates for good.
 */
export const WRITE_FLOOR_BYTES = 32 * MIB;
const UPLOAD_FLOOR_SHARE = 0.05;
const LEAST_UPLOAD_FLOOR_BYTES = 64 * MIB;
const GREATEST_UPLOAD_FLOOR_BYTES = 256 * MIB;

/** Returns the free space that uploads must leave. */
export function toUploadFloor(totalBytes: number): number {
  return Math.min(
    GREATEST_UPLOAD_FLOOR_BYTES,
    Math.max(LEAST_UPLOAD_FLOOR_BYTES, Math.floor(totalBytes * UPLOAD_FLOOR_SHARE)),
  );
}

/**
 * Creates a reader for the file system of `directory`, which returns undefined while the directory does not exist. One
 * read takes microseconds.
 */
export function createDiskSpaceReader(directory: string): ReadDiskSpace {
  return () => {
    try {
      const { bavail, blocks, bsize } = statfsSync(directory);
      // Some network file systems report nothing.
      return blocks === 0 ? undefined : { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
    } catch {
      return undefined;
    }
  };
}

/** Thrown instead of a write that would leave too little space on the disk. */
export class DiskFullError extends Error {
  override readonly name = 'DiskFullError';
  readonly code = 'ENOSPC';
  constructor(freeBytes: number) {
    super(
      `The disk is full: ${toMib(freeBytes)} MiB are free, and ${toMib(WRITE_FLOOR_BYTES)} MiB are needed to write safely`,
    );
  }
}

/** @throws DiskFullError if the free space is below `WRITE_FLOOR_BYTES`. */
export function checkWriteFloor(readSpace: ReadDiskSpace): void {
  const space = readSpace();
  if (space && space.freeBytes < WRITE_FLOOR_BYTES) throw new DiskFullError(space.freeBytes);
}

function toMib(bytes: number): number {
  return Math.floor(bytes / MIB);
}

/** Error codes of systems and Postgres for a full disk or an exceeded disk quota. */
const FULL_CODES = new Set(['ENOSPC', 'EDQUOT', '53100']);
/** The same in the file system of the embedded database (WASI error numbers). */
const FULL_NUMBERS = new Set([51, 19]);

/** Returns true if an error means that the disk has no space left. */
export function isDiskFull(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if ('code' in error && FULL_CODES.has(String(error.code))) return true;
  if ('errno' in error && 'name' in error && error.name === 'ErrnoError') return FULL_NUMBERS.has(Number(error.errno));
  return 'cause' in error && isDiskFull(error.cause);
}
