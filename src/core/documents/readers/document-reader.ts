/** Limits for reading one document. */
export interface ReadingLimits {
  /** Maximum number of characters that are kept; the rest is cut. */
  readonly maxCharacters: number;
  /** Maximum number of pages that are read. */
  readonly maxPages: number;
  /** Maximum total size of an unpacked archive. */
  readonly maxUnpackedBytes: number;
}

/** Text of a document. */
export interface ReadText {
  readonly text: string;
  /** Total number of pages, if the format has pages. */
  readonly pageCount?: number | undefined;
  /** Share of the document that was read, from 0 to 1; undefined means all of it. */
  readonly readShare?: number | undefined;
}

/**
 * Reads one kind of document. Runs in a child process that may be killed at any time.
 * @throws DocumentUnreadableError; any other error means that the document is damaged.
 */
export type DocumentReader = (bytes: Buffer, limits: ReadingLimits) => Promise<ReadText>;
