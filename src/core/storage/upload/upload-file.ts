import { randomBytes } from 'node:crypto';
import { and, eq } from 'drizzle-orm';
import type { Database } from '../../../database/connect.ts';
import { files } from '../../../database/schema/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import { describeError } from '../../../lib/errors/describe-error.ts';
import { createId } from '../../../lib/ids.ts';
import type { Logger } from '../../../lib/log/logger.ts';
import { wrapKey } from '../blobs/encryption.ts';
import type { Passwords } from '../download/passwords.ts';
import { createOwnerKey, toStoredFile } from '../file-rows.ts';
import {
  FileSizeMismatchError,
  FileTooLargeError,
  QuotaExceededError,
  type UploadedFile,
  type UploadOptions,
  type UploadSettings,
} from '../storage.ts';
import { hashAddress, type StorageKeys } from '../storage-keys.ts';
import { cleanMediaType } from './clean-media-type.ts';
import { cleanName } from './clean-name.ts';
import { completeUpload } from './complete-upload.ts';
import { type ReceiveFileDeps, receiveFile } from './receive-file.ts';
import type { UploadQuotas } from './upload-quotas.ts';

export interface UploadFileDeps extends ReceiveFileDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly keys: StorageKeys;
  readonly quotas: UploadQuotas;
  readonly passwords: Passwords;
  readonly maxFileBytes: number;
  /** @throws InsufficientStorageError if the disk has too little space for this many more bytes. */
  readonly checkSpace: (sizeBytes: number) => void;
  /** @throws StorageUnavailableError if the store accepts nothing until an operator acts. */
  readonly checkStore: () => Promise<void>;
  /** Deletes a file that did not complete. */
  readonly discard: (id: string) => Promise<void>;
}

/** The sweeper removes an upload this long after its process has died. */
const LEASE_MS = 5 * 60_000;
const RENEW_EVERY_MS = 60_000;

/** Runs one upload, from its first byte until its row is ready. See `Storage.upload`. */
export async function uploadFile(
  deps: UploadFileDeps,
  source: AsyncIterable<Buffer>,
  options: UploadOptions,
  signal: AbortSignal,
): Promise<UploadedFile> {
  signal.throwIfAborted();
  checkSize(deps, options.sizeBytes ?? 0);
  deps.checkSpace(options.sizeBytes ?? 0);
  const clients = clientsOf(deps, options);
  const leave = deps.quotas.enter(clients);
  // Registers a receiver at once, so that parts of other uploads wait to share a blob with this one.
  const unannounce = deps.packer.addReceiver({ heldBytes: 0, cut() {} });
  try {
    await deps.quotas.check(clients, options.sizeBytes ?? 0);
    await deps.checkStore();
    const upload = { ...(await addRow(deps, options)), clients };
    try {
      const filling = fill(deps, source, options, upload, signal);
      unannounce();
      return await filling;
    } catch (error) {
      await deps.discard(upload.id);
      throw error;
    }
  } finally {
    unannounce();
    leave();
  }
}

interface Upload {
  readonly id: string;
  readonly key: Buffer;
  readonly ownerKey: string;
  readonly clients: readonly string[];
}

async function addRow(deps: UploadFileDeps, options: UploadOptions): Promise<Omit<Upload, 'clients'>> {
  const { id = createId() } = options;
  if (options.id !== undefined) await deps.discard(id);
  const key = randomBytes(32);
  const { ownerKey, ownerKeyHash } = createOwnerKey();
  const now = deps.clock.now();
  await deps.db.insert(files).values({
    id,
    ownerKeyHash,
    userId: options.userId ?? null,
    addressHash: options.address === undefined ? null : hashAddress(deps.keys.addresses, options.address),
    name: cleanName(options.name),
    mediaType: cleanMediaType(options.mediaType),
    state: 'uploading',
    kind: options.kind ?? 'file',
    wrappedKey: wrapKey(deps.keys.wrapping, id, key),
    leaseUntil: new Date(now + LEASE_MS),
    telegram: options.telegram ?? null,
    createdAt: new Date(now),
  });
  return { id, key, ownerKey };
}

async function fill(
  deps: UploadFileDeps,
  source: AsyncIterable<Buffer>,
  options: UploadOptions,
  { id, key, ownerKey, clients }: Upload,
  signal: AbortSignal,
): Promise<UploadedFile> {
  const failure = new AbortController();
  const volume = createVolume(deps, clients);
  const onProgress = (sizeBytes: number) => {
    checkSize(deps, sizeBytes);
    if (sizeBytes > (options.sizeBytes ?? Number.POSITIVE_INFINITY)) throw new FileSizeMismatchError();
    volume.arrivedBytes = sizeBytes;
  };
  const stopRenewing = keepLease(deps, id, volume, (error) => failure.abort(error));
  try {
    const either = AbortSignal.any([signal, failure.signal]);
    const received = await receiveFile(deps, source, { fileId: id, key, onProgress }, either);
    if (received.sizeBytes !== (options.sizeBytes ?? received.sizeBytes)) throw new FileSizeMismatchError();
    const settings = await toColumns(deps, options.readSettings?.() ?? options, clients);
    await stopRenewing();
    const row = await deps.db.transaction(async (tx) => {
      // The row lock makes uploads of one client wait for each other, so together they stay below the quota.
      await deps.quotas.add(tx, clients, volume.uncountedBytes);
      return completeUpload(tx, id, { ...settings, sizeBytes: received.sizeBytes, sha256: received.sha256 });
    });
    return { ...toStoredFile(row), ownerKey };
  } catch (error) {
    await stopRenewing();
    // Failed uploads count, too.
    await volume.count().catch(() => {});
    throw error;
  }
}

async function toColumns({ passwords }: UploadFileDeps, settings: UploadSettings, clients: readonly string[]) {
  const { expiresAt = null, maxDownloads: downloadsLeft = null, password, isInline = false } = settings;
  const passwordHash = password === undefined ? null : await passwords.hash(password, clients.at(-1) ?? '');
  return { expiresAt, downloadsLeft, passwordHash, isInline };
}

/** Counts the bytes that have arrived and how many of them the quotas include. */
function createVolume({ db, quotas }: UploadFileDeps, clients: readonly string[]) {
  let countedBytes = 0;
  const volume = {
    arrivedBytes: 0,
    get uncountedBytes() {
      return volume.arrivedBytes - countedBytes;
    },
    /** @throws QuotaExceededError */
    async count() {
      const sizeBytes = volume.uncountedBytes;
      countedBytes += sizeBytes;
      await quotas.add(db, clients, sizeBytes);
    },
  };
  return volume;
}

/**
 * Renews the lease of the upload periodically. Returns a function that stops it and resolves when no renewal is
 * running.
 */
function keepLease(
  deps: UploadFileDeps,
  id: string,
  volume: ReturnType<typeof createVolume>,
  onFailed: (error: unknown) => void,
): () => Promise<void> {
  let renewing: Promise<void> | undefined;
  let cancel = () => {};
  const schedule = () => {
    cancel = deps.clock.setTimer(RENEW_EVERY_MS, () => {
      renewing = renew();
    });
  };
  const renew = async () => {
    try {
      const leaseUntil = new Date(deps.clock.now() + LEASE_MS);
      const isUploading = and(eq(files.id, id), eq(files.state, 'uploading'));
      await deps.db.update(files).set({ leaseUntil, sizeBytes: volume.arrivedBytes }).where(isUploading);
      await volume.count();
    } catch (error) {
      if (error instanceof QuotaExceededError) return onFailed(error);
      deps.logger.warn({ reason: describeError(error) }, 'the lease of an upload could not be renewed');
    }
    schedule();
  };
  schedule();
  return async () => {
    cancel();
    await renewing;
    cancel();
  };
}

function checkSize({ maxFileBytes }: UploadFileDeps, sizeBytes: number): void {
  if (sizeBytes > maxFileBytes) throw new FileTooLargeError(maxFileBytes);
}

/** Returns the names of the client in the quotas: its user and its hashed address. */
function clientsOf({ keys }: UploadFileDeps, { userId, address }: UploadOptions): readonly string[] {
  return [
    ...(userId === undefined ? [] : [`user:${userId}`]),
    ...(address === undefined ? [] : [`address:${hashAddress(keys.addresses, address)}`]),
  ];
}
