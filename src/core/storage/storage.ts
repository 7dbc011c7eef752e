import type { TakenDown } from './deletion/take-down.ts';

/** File storage: bytes in a blob store, everything else in the database. */
export interface Storage {
  /** Maximum size of a file. */
  readonly maxFileBytes: number;
  /**
   * Stores a file. Reads the source with backpressure. The file becomes available only when all its bytes are stored.
   * The sweeper removes what an aborted or failed upload leaves.
   * @throws FileTooLargeError, QuotaExceededError, StorageUnavailableError, FileBlockedError, FileSizeMismatchError;
   * the source's error; the signal's reason.
   */
  upload(source: AsyncIterable<Buffer>, options: UploadOptions, signal: AbortSignal): Promise<UploadedFile>;
  /** Returns undefined for files that are unknown, incomplete, expired, deleted, or have no downloads left. */
  find(id: string): Promise<StoredFile | undefined>;
  /**
   * Reads the bytes from `start` to `end`, both inclusive; nothing of an empty file. Resolves when the first bytes are
   * available, so earlier errors are thrown here. The iteration throws if the bytes break off or fail authentication,
   * and at the next part if the file is deleted or expires.
   * @throws FileUnreadableError, StorageUnavailableError; the signal's reason.
   */
  read(id: string, range: ByteRange, signal: AbortSignal, options?: ReadOptions): Promise<AsyncIterable<Buffer>>;
  /**
   * Begins a download, which holds one of the remaining ones if the file limits them. The caller ends it by `complete`
   * or `release`.
   * @returns `busy` if running downloads hold all that are left, undefined if none is left or there is no such file.
   */
  beginDownload(id: string): Promise<Download | 'busy' | undefined>;
  /** Deletes the file and its key in one transaction; its bytes are removed afterwards. */
  delete(id: string, by: Credential): Promise<'deleted' | 'unknown' | 'forbidden'>;
  /**
   * Deletes a file and all others with the same bytes, and blocks these bytes from now on. For operators.
   * @param reason kept for the operator; not shown to users.
   * @returns undefined if the file is unknown.
   */
  takeDown(id: string, reason: string): Promise<TakenDown | undefined>;
  /**
   * Changes the properties that an owner may change. Returns undefined if the file is unknown or `by` does not own it.
   * @throws QuotaExceededError, StorageUnavailableError if too many passwords wait.
   */
  change(id: string, by: Credential, changes: FileChanges): Promise<StoredFile | undefined>;
  /**
   * Lists files of a user, of one kind or all, newest first, with totals over all pages. `search` is a part of the
   * name, case-insensitive.
   */
  list(
    userId: number,
    page: {
      readonly search?: string | undefined;
      readonly kind?: FileKind | undefined;
      readonly offset: number;
      readonly limit: number;
    },
  ): Promise<{ readonly files: readonly StoredFile[]; readonly totalCount: number; readonly totalBytes: number }>;
  /**
   * Checks the password of a file in constant time. Wrong passwords are counted for each file and client, in the bot and the HTTP API of
   * this process together.
   * @param client an address or a user.
   * @throws StorageUnavailableError if too many checks wait; the try is not counted.
   */
  checkPassword(id: string, password: string, client: PasswordClient): Promise<PasswordVerdict>;
  /** Registers a file that is too large for the store: only Telegram has its bytes, and it is sent by its file id. */
  storeTelegramFile(file: NewTelegramFile): Promise<UploadedFile>;
  /** Removes expired files and blobs that no file uses. For tests; `start` runs it periodically. */
  sweep(signal: AbortSignal): Promise<SweepResult>;
  /** Counts the encrypted bytes in other stores than that of new files. */
  countElsewhere(): Promise<number>;
  /** Starts the sweeper, and, as the settings ask for, the work on former stores and encryption keys. */
  start(): void;
  /** Stops the sweeper and aborts uploads. */
  close(): Promise<void>;
}

/** A running download. */
export interface Download {
  /**
   * Counts the download. To be called before the last bytes are sent, or if the reader has broken it off.
   * @returns false if the download was given to another reader because this process seemed dead, or the file is gone:
   * the last bytes must not be sent.
   */
  complete(): Promise<boolean>;
  /** Gives the download back without counting it. Has no effect after `complete`. Never throws. */
  release(): Promise<void>;
}

/** A download of a file without a limit. */
export const UNLIMITED_DOWNLOAD: Download = { complete: async () => true, release: async () => {} };

export interface ReadOptions {
  /**
   * Frees the memory of each chunk when the next one is requested, instead of leaving some 100 MiB to the garbage
   * collector. Set it only if a chunk is not used after that. Default false.
   */
  readonly areChunksBrief?: boolean | undefined;
}

/** Range of bytes, both ends inclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** `conversation`: a shared conversation with a page of its own. */
export type FileKind = 'file' | 'conversation';

/** Settings of a file that its uploader chooses. */
export interface UploadSettings {
  readonly expiresAt?: Date | undefined;
  /** Maximum number of downloads. */
  readonly maxDownloads?: number | undefined;
  readonly password?: string | undefined;
  /** Shown in the browser instead of saved, if its type is harmless. */
  readonly isInline?: boolean | undefined;
}

export interface UploadOptions extends UploadSettings {
  /**
   * Id chosen in advance, so that the file can be found after a crash: 22 characters of base64url, random. Replaces an
   * incomplete upload of the same id; fails if a complete file has it. Default a new id.
   */
  readonly id?: string | undefined;
  /** Default `file`. Users can't choose it. */
  readonly kind?: FileKind | undefined;
  /** Name as the client sent it; normalised by the storage. */
  readonly name: string;
  /** Media type as the client sent it; `application/octet-stream` if it is missing or malformed. */
  readonly mediaType: string | undefined;
  /** Size that the client announced. An upload of another size is refused. */
  readonly sizeBytes?: number | undefined;
  /** User who owns the file, in addition to the holder of the owner key. */
  readonly userId?: number | undefined;
  /** Network address of the client, for quotas. Stored only as a keyed hash. */
  readonly address?: string | undefined;
  /**
   * Returns the settings, instead of those above, when all bytes are stored: for a time that counts from then, and for
   * settings that arrive after the bytes. Its errors fail the upload.
   */
  readonly readSettings?: (() => UploadSettings) | undefined;
  /** The same file at Telegram, to send it there without an upload. */
  readonly telegram?: TelegramFile | undefined;
}

/** Reference to a file at Telegram. */
export interface TelegramFile {
  readonly fileId: string;
  readonly kind: 'document' | 'photo' | 'video' | 'audio' | 'voice' | 'animation' | 'sticker' | 'video_note';
}

export interface NewTelegramFile extends Pick<UploadOptions, 'id' | 'name' | 'mediaType'> {
  readonly userId: number;
  readonly sizeBytes: number;
  readonly telegram: TelegramFile;
}

/** A complete file: its bytes are in the blob store, or only at Telegram. */
export interface StoredFile {
  /** 22 characters of base64url: 122 random bits. */
  readonly id: string;
  readonly kind: FileKind;
  readonly name: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
  /** 64 lowercase hexadecimal digits; undefined if only Telegram has the bytes, see `hasStoredBytes`. */
  readonly sha256: string | undefined;
  readonly userId: number | undefined;
  readonly createdAt: Date;
  readonly expiresAt: Date | undefined;
  readonly downloadsLeft: number | undefined;
  readonly hasPassword: boolean;
  readonly isInline: boolean;
  readonly telegram: TelegramFile | undefined;
}

/** Returns whether the blob store has the bytes of a file, so that it has a link. Others are sent by their Telegram id. */
export function hasStoredBytes({ sha256 }: Pick<StoredFile, 'sha256'>): boolean {
  return sha256 !== undefined;
}

export interface UploadedFile extends StoredFile {
  /** 43 characters of base64url: 256 random bits. Shown once; only its SHA-256 is stored. */
  readonly ownerKey: string;
}

/** Proof of the right to delete or change a file. */
export type Credential =
  | { readonly ownerKey: string }
  /** The user who owns the file, authenticated by the bot. */
  | { readonly userId: number };

/** Client that tries a password. */
export type PasswordClient = { readonly address: string } | { readonly userId: number };

/** Result of a password check. */
export type PasswordVerdict =
  /** Also if the file has no password. */
  | 'right'
  /** Also if there is no such file. */
  | 'wrong'
  /** Too many wrong passwords: nothing was compared. */
  | { readonly retryAfterMs: number };

export interface FileChanges {
  readonly name?: string;
  /** `null` means never. */
  readonly expiresAt?: Date | null;
  /** `null` means none. */
  readonly password?: string | null;
}

export interface SweepResult {
  readonly expiredFiles: number;
  readonly abandonedUploads: number;
  readonly removedBlobs: number;
}

/** Thrown when a file is larger than `maxBytes`. */
export class FileTooLargeError extends Error {
  override readonly name = 'FileTooLargeError';
  readonly maxBytes: number;
  constructor(maxBytes: number) {
    super(`Files may have at most ${maxBytes} bytes.`);
    this.maxBytes = maxBytes;
  }
}

/** Thrown when a client has stored too much in 24 hours, or sends too much at once. */
export class QuotaExceededError extends Error {
  override readonly name = 'QuotaExceededError';
  readonly retryAfterMs: number;
  constructor(message: string, retryAfterMs: number) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

/** Thrown when the store can't accept or return bytes now. */
export class StorageUnavailableError extends Error {
  override readonly name = 'StorageUnavailableError';
  readonly retryAfterMs: number;
  constructor(message: string, retryAfterMs: number, options?: ErrorOptions) {
    super(message, options);
    this.retryAfterMs = retryAfterMs;
  }
}

/** Thrown when the disk has too little space for uploads. */
export class InsufficientStorageError extends Error {
  override readonly name = 'InsufficientStorageError';
  constructor(options?: ErrorOptions) {
    super('The disk of the service is full.', options);
  }
}

/** Thrown when the bytes of a file are missing or not those that were stored. */
export class FileUnreadableError extends Error {
  override readonly name = 'FileUnreadableError';
}

/** Thrown when the operator has blocked these bytes. */
export class FileBlockedError extends Error {
  override readonly name = 'FileBlockedError';
}

/** Thrown when the source had more or fewer bytes than announced. */
export class FileSizeMismatchError extends Error {
  override readonly name = 'FileSizeMismatchError';
  constructor() {
    super('The size of the file differs from the announced size.');
  }
}
