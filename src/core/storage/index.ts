export { countBlobs } from './blob-journal.ts';
export {
  type BlobLocator,
  BlobMissingError,
  BlobOutcomeUnknownError,
  BlobRefusedError,
  type BlobStore,
} from './blob-store.ts';
export { cleanName } from './clean-name.ts';
export type { StorageDeps, StorageOptions } from './create-storage.ts';
export { createStorage } from './create-storage.ts';
export { createDatabaseRateLimitStore } from './database-rate-limit-store.ts';
export { createDiskBlobStore } from './disk-blob-store.ts';
export { EncryptionKeyError, ensureEncryptionKey } from './ensure-encryption-key.ts';
export { createMemoryBlobStore } from './memory-blob-store.ts';
export type { RateLimitBudget, RateLimitRoute, RateLimitStore } from './rate-limit-store.ts';
export { createMemoryRateLimitStore } from './rate-limit-store.ts';
export {
  type ByteRange,
  type Download,
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
  UNLIMITED_DOWNLOAD,
  type UploadedFile,
  type UploadOptions,
  type UploadSettings,
} from './storage.ts';
