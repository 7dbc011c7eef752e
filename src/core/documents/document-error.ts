/** Why nothing can be read in a document. */
export type DocumentProblem =
  /** It asks for a password. */
  | 'encrypted'
  /** Its pages are pictures. */
  | 'scanned'
  /** There is nothing in it. */
  | 'empty'
  /** It is not what its name says, or it is cut. */
  | 'damaged'
  /** It unpacks to more than anybody could read, or is as large as that already. */
  | 'too-large'
  /** Reading it takes too long. */
  | 'too-slow'
  /** Too many documents are being read at once. */
  | 'busy';

/** A document has no text to give. */
export class DocumentUnreadableError extends Error {
  override readonly name = 'DocumentUnreadableError';
  readonly problem: DocumentProblem;
  constructor(problem: DocumentProblem, options?: ErrorOptions) {
    super(`The document can't be read: ${problem}`, options);
    this.problem = problem;
  }
}
