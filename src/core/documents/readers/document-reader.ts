/** What a reader may take and give. */
export interface ReadingLimits {
  /** Characters of text that are kept; what comes after them is left out. */
  readonly maxCharacters: number;
  /** Pages that are looked at. */
  readonly maxPages: number;
  /** What a packed document may unpack to, in all. */
  readonly maxUnpackedBytes: number;
}

/** What stands in a document. */
export interface ReadText {
  readonly text: string;
  /** Pages it has in all, where it has such. */
  readonly pageCount?: number | undefined;
  /** How much of it was read, from 0 to 1, where that was not all of it. */
  readonly readShare?: number | undefined;
}

/**
 * Reads one kind of document. Runs in a child process that may be killed at any moment.
 * @throws DocumentUnreadableError; anything else means that the document is damaged.
 */
export type DocumentReader = (bytes: Buffer, limits: ReadingLimits) => Promise<ReadText>;
