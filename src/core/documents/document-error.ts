/** Reasons why a document gives no text. */
export const DOCUMENT_PROBLEMS = [
  /** The document requires a password. */
  'encrypted',
  /** Its pages are images. */
  'scanned',
  'empty',
  /** The file is truncated, or its content does not match its type. */
  'damaged',
  /** It is a text, but not Unicode, and its encoding can't be told. */
  'encoding',
  /** The file, or its unpacked content, is larger than the limit. */
  'too-large',
  /** Reading it takes longer than the limit. */
  'too-slow',
  /** Its reader crashed or ran out of memory, or the service ended while it was being read. */
  'too-complex',
  /** Too many documents are being read at once. */
  'busy',
] as const;

export type DocumentProblem = (typeof DOCUMENT_PROBLEMS)[number];

/** Thrown when a document gives no text. */
export class DocumentUnreadableError extends Error {
  override readonly name = 'DocumentUnreadableError';
  readonly problem: DocumentProblem;
  /** Number of pages of a scanned document. */
  readonly pageCount: number | undefined;
  constructor(problem: DocumentProblem, options: ErrorOptions & { readonly pageCount?: number | undefined } = {}) {
    super(`The document can't be read: ${problem}`, options);
    this.problem = problem;
    this.pageCount = options.pageCount;
  }
}
