export { countBlobs } from './blobs/blob-journal.ts';
export {
  type BlobLocator,
  BlobMissingError,
  BlobOutcomeUnknownError,
  BlobRefusedError,
  type BlobStore,
} from './blobs/blob-store.ts';
export { createDiskBlobStore } from './blobs/disk-blob-store.ts';
export { unwrapByAny, wrapKey } from './blobs/encryption.ts';
export { EncryptionKeyError, ensureEncryptionKey, findEncryptionKey } from './blobs/ensure-encryption-key.ts';
export { createMemoryBlobStore } from './blobs/memory-blob-store.ts';
export { type BucketSettings, createS3BlobStore, findBucketProblem } from './blobs/s3-blob-store.ts';
export type { StorageDeps, StorageOptions } from './create-storage.ts';
export { createStorage } from './create-storage.ts';
export { createDatabaseRateLimitStore } from './database-rate-limit-store.ts';
export type { RateLimitBudget, RateLimitRoute, RateLimitStore } from './rate-limit-store.ts';
export { createMemoryRateLimitStore } from './rate-limit-store.ts';
export {
  type ByteRange,
  type Download,
  FileBlockedError,
  FileSizeMismatchError,
  FileTooLargeError,
  FileUnreadableError,
  hasStoredBytes,
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
export { deriveKey } from './storage-keys.ts';
export { cleanName } from './upload/clean-name.ts';
