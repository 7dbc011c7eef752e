export {
  type BlobLocator,
  BlobMissingError,
  BlobOutcomeUnknownError,
  BlobRefusedError,
  type BlobStore,
} from './blob-store.ts';
export { cleanName } from './clean-name.ts';
export { countBlobs } from './count-blobs.ts';
export { createStorage } from './create-storage.ts';
export { createDatabasePaceStore } from './database-pace-store.ts';
export { createDiskBlobStore } from './disk-blob-store.ts';
export { EncryptionKeyError, ensureEncryptionKey } from './ensure-encryption-key.ts';
export { createMemoryBlobStore } from './memory-blob-store.ts';
export { createMemoryPaceStore } from './memory-pace-store.ts';
export type { PaceBudget, PaceStore, RateLimitRoute } from './pace-store.ts';
export {
  type ByteRange,
  FileBlockedError,
  FileSizeMismatchError,
  FileTooLargeError,
  FileUnreadableError,
  InsufficientStorageError,
  type PasswordVerdict,
  QuotaExceededError,
  type Storage,
  StorageUnavailableError,
  type StoredFile,
  type TelegramFile,
  type UploadedFile,
  type UploadOptions,
} from './storage.ts';
export type { StorageDeps, StorageOptions } from './storage-options.ts';
