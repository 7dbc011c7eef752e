import type { PartSecret } from './encryption.ts';

/** A part of a file that waits to be stored or is being stored. */
export interface BlobPart {
  readonly fileId: string;
  /** Key of the file. */
  readonly key: PartSecret['key'];
  /** Position in the file, from 0. */
  readonly position: number;
  /** Offset of its first byte in the file. */
  readonly fileOffset: number;
  readonly sizeBytes: number;
  /** The bytes. All segments are full but the last. Released after encryption. */
  readonly segments: readonly Buffer[];
  /** Aborts when the upload has ended and the part is no longer needed. */
  readonly signal: AbortSignal;
  /** Called when the segments have been read and may be reused. */
  onTaken(): void;
  onStored(): void;
  onFailed(error: unknown): void;
}

/** An upload that is receiving. */
export interface Receiver {
  /** Received bytes that belong to no part yet. */
  readonly heldBytes: number;
  /** Makes a part of them now, to free their memory. */
  cut(): void;
}
