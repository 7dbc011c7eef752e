import type { TakenDown } from './take-down.ts';

/** Files: bytes in a blob store, everything else in the database. */
export interface Storage {
  /** Larger files are refused. */
  readonly maxFileBytes: number;
  /**
   * Takes a file in. Reads the source only as fast as the store takes it; nothing can be reached before everything is
   * stored. Whatever ends it early leaves nothing that the sweeper does not remove.
   * @throws FileTooLargeError, QuotaExceededError, StorageUnavailableError, FileBlockedError,
   * FileSizeMismatchError; the source's error; the signal's reason.
   */
  upload(source: AsyncIterable<Buffer>, order: UploadOrder, signal: AbortSignal): Promise<UploadedFile>;
  /** Undefined for files that are unknown, not complete, expired, used up or deleted. */
  find(id: string): Promise<StoredFile | undefined>;
  /**
   * The bytes from `start` to `end` (both included; of an empty file nothing). Whatever can fail before the first byte has
   * failed before this resolves. The iteration throws where the bytes break off or are not what was stored.
   * @throws FileUnreadableError, StorageUnavailableError; the signal's reason.
   */
  read(id: string, range: ByteRange, signal: AbortSignal, options?: ReadOptions): Promise<AsyncIterable<Buffer>>;
  /** Counts a download where the file has a limit of them. False where none is left. */
  countDownload(id: string): Promise<boolean>;
  /** In one moment the file's key is gone and it can't be reached; its bytes are removed afterwards. */
  delete(id: string, by: Credential): Promise<'deleted' | 'unknown' | 'forbidden'>;
  /**
   * The operator takes a file down: it is deleted with all others that have the same bytes, and these bytes are refused
   * from now on. Undefined where the file is unknown.
   * @param reason kept for the operator; nobody else sees it.
   */
  takeDown(id: string, reason: string): Promise<TakenDown | undefined>;
  /** Changes what people may change afterwards. Undefined where the file is unknown or not theirs. */
  change(id: string, by: Credential, changes: FileChanges): Promise<StoredFile | undefined>;
  /** Files of a person, of one kind or all, newest first, and how many there are on all pages. `search` is a part of the name, in any case. */
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
   * Compares in constant time. Wrong passwords are counted for each file and sender, over all faces of this process.
   * @param sender an address or a person.
   * @throws StorageUnavailableError where too many wait; that try does not count.
   */
  checkPassword(id: string, password: string, sender: PasswordSender): Promise<PasswordVerdict>;
  /** Notes a file that lies at Telegram only and is handed over there by its file id: too large for the store. */
  keepTelegramFile(order: TelegramFileOrder): Promise<UploadedFile>;
  /** Removes files that have expired and blobs that no file owns. For tests; it runs by itself while started. */
  sweep(signal: AbortSignal): Promise<SweepResult>;
  /** Starts the sweeper. */
  start(): void;
  /** Ends the sweeper, cuts uploads. */
  close(): Promise<void>;
}

export interface ReadOptions {
  /**
   * A chunk is gone as soon as the next one is asked for: for whoever has written it out by then. Saves some 100 MiB of memory
   * that would wait for the garbage collector. Default false: chunks stay.
   */
  readonly areChunksBrief?: boolean | undefined;
}

/** Bytes, both ends included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** `conversation`: one that was shared, with a page of its own. */
export type FileKind = 'file' | 'conversation';

export interface UploadOrder {
  /**
   * Chosen beforehand by whoever has to find the file again, whatever becomes of the process: 22 characters of base64url, random. An
   * upload of the same id that has not come to its end gives way; where a complete file has it the upload fails. Default a new one.
   */
  readonly id?: string | undefined;
  /** Default `file`. No face lets people choose it. */
  readonly kind?: FileKind | undefined;
  /** As the sender gave it; cleaned here. */
  readonly name: string;
  /** As the sender gave it; `application/octet-stream` where it is missing or malformed. */
  readonly mediaType: string | undefined;
  /** Where the sender said so beforehand; a file that turns out larger or smaller is refused. */
  readonly sizeBytes?: number | undefined;
  /** Who owns it beside the holder of the owner key. */
  readonly userId?: number | undefined;
  /** From where it came, for quotas: an address, never kept in clear. */
  readonly address?: string | undefined;
  readonly expiresAt?: Date | undefined;
  /** How often it may be downloaded. */
  readonly maxDownloads?: number | undefined;
  readonly password?: string | undefined;
  /** Shown in the browser instead of saved, where its type is harmless. */
  readonly isInline?: boolean | undefined;
  /** The same file at Telegram, for handing it over there. */
  readonly telegram?: TelegramFile | undefined;
}

/** A file that Telegram knows. */
export interface TelegramFile {
  readonly fileId: string;
  readonly kind: 'document' | 'photo' | 'video' | 'audio' | 'voice' | 'animation' | 'sticker' | 'video_note';
}

export interface TelegramFileOrder extends Pick<UploadOrder, 'id' | 'name' | 'mediaType'> {
  readonly userId: number;
  readonly sizeBytes: number;
  readonly telegram: TelegramFile;
}

/** A file that can be reached. */
export interface StoredFile {
  /** 22 characters of base64url: 128 random bits. */
  readonly id: string;
  readonly kind: FileKind;
  readonly name: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
  /** 64 lowercase hexadecimal digits; undefined where only Telegram has the bytes. */
  readonly sha256: string | undefined;
  readonly userId: number | undefined;
  readonly createdAt: Date;
  readonly expiresAt: Date | undefined;
  readonly downloadsLeft: number | undefined;
  readonly hasPassword: boolean;
  readonly isInline: boolean;
  readonly telegram: TelegramFile | undefined;
}

export interface UploadedFile extends StoredFile {
  /** 43 characters of base64url: 256 random bits. Shown once; only its SHA-256 is kept. */
  readonly ownerKey: string;
}

/** What proves that somebody may delete or change a file. */
export type Credential =
  | { readonly ownerKey: string }
  /** Its owner, as the bot knows people. */
  | { readonly userId: number };

/** Who tries a password. */
export type PasswordSender = { readonly address: string } | { readonly userId: number };

/** What comes of trying a password. */
export type PasswordVerdict =
  /** Or the file has none. */
  | 'right'
  /** Or there is no such file. */
  | 'wrong'
  /** Too many wrong ones: nothing was compared. */
  | { readonly retryAfterMs: number };

export interface FileChanges {
  readonly name?: string;
  /** `null` is never. */
  readonly expiresAt?: Date | null;
}

export interface SweepResult {
  readonly expiredFiles: number;
  readonly abandonedUploads: number;
  readonly removedBlobs: number;
}

/** The file is larger than files may be. */
export class FileTooLargeError extends Error {
  override readonly name = 'FileTooLargeError';
  readonly maxBytes: number;
  constructor(maxBytes: number) {
    super(`Files of at most ${maxBytes} bytes are taken.`);
    this.maxBytes = maxBytes;
  }
}

/** The sender has stored as much as may be stored in a time, or sends too much at once. */
export class QuotaExceededError extends Error {
  override readonly name = 'QuotaExceededError';
  readonly retryAfterMs: number;
  constructor(message: string, retryAfterMs: number) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

/** The store can't take or give anything now. */
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

/** The bytes in the store are not the ones that were stored. */
export class FileUnreadableError extends Error {
  override readonly name = 'FileUnreadableError';
}

/** The operator does not keep files with these bytes. */
export class FileBlockedError extends Error {
  override readonly name = 'FileBlockedError';
}

/** The source had more or fewer bytes than its sender had announced. */
export class FileSizeMismatchError extends Error {
  override readonly name = 'FileSizeMismatchError';
  constructor() {
    super('The file has another size than was announced.');
  }
}
