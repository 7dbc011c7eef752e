import type { PartSecret } from './encryption.ts';

/** Bytes of an upload that wait to be stored, or are just being stored: what will be one part of a file. */
export interface Piece {
  readonly fileId: string;
  /** The file's key. */
  readonly key: PartSecret['key'];
  /** From 0, in the file. */
  readonly position: number;
  /** Where it begins in the file. */
  readonly fileOffset: number;
  readonly sizeBytes: number;
  /** The bytes, all segments full but the last. Whoever encrypts them gives the segments back. */
  readonly segments: readonly Buffer[];
  /** Aborts when its upload has ended without it. */
  readonly signal: AbortSignal;
  /** Its segments are free again. */
  onTaken(): void;
  onStored(): void;
  onFailed(error: unknown): void;
}

/** An upload that is still receiving. */
export interface Receiver {
  /** Bytes that have arrived and are in no piece yet. */
  readonly heldBytes: number;
  /** Makes a piece of them now, in order to free their memory. */
  cut(): void;
}
