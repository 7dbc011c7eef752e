/** A request with an idempotency key. */
export interface IdempotentRequest {
  /** Owner of the API key: the same key text of another user is another key. */
  readonly userId: number;
  /** SHA-256 of route and key. */
  readonly keyHash: string;
  /** SHA-256 of the body. */
  readonly bodyHash: string;
}

/** Status and headers of an answer. */
export interface AnswerHead {
  readonly status: number;
  /** Headers to repeat, by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly sizeBytes: number;
}

export interface Answer extends AnswerHead {
  /** The body in parts of any size. */
  readonly body: readonly Buffer[];
}

/** The request that holds a key. */
export interface StoredRequest {
  readonly id: string;
  readonly bodyHash: string;
  /** Undefined while the request is running. */
  readonly answer: AnswerHead | undefined;
}

/** Requests by their idempotency keys, shared by all processes. */
export interface IdempotencyStore {
  /**
   * Stores the request as running, with a lease, unless a running or a complete one holds its key. May be repeated if
   * the response was lost.
   * @returns the request that holds the key: the given one if its id is `id`.
   */
  claim(id: string, request: IdempotentRequest, leaseMs: number): Promise<StoredRequest>;
  /** Finds requests that are running, complete or have failed recently. */
  find(ids: readonly string[]): Promise<readonly (StoredRequest | undefined)[]>;
  /** Renews the leases of running requests. */
  renew(ids: readonly string[], leaseMs: number): Promise<void>;
  /** Stores the answer of a running request and keeps it for `keepMs`. Without effect if another one holds the key now. */
  complete(id: string, answer: Answer, keepMs: number): Promise<void>;
  /** Same as `complete`, but frees the key: only `find` returns the answer. */
  fail(id: string, answer: Answer, keepMs: number): Promise<void>;
  /** Removes a request, which frees its key. */
  remove(id: string): Promise<void>;
  /** Reads the body of an answer. It ends early if the answer is removed meanwhile. */
  readBody(id: string): AsyncIterable<Buffer>;
  /** Removes the oldest answers of a user beyond `maxBytes`, where each counts for at least `minAnswerBytes`. */
  trim(userId: number, limits: { readonly maxBytes: number; readonly minAnswerBytes: number }): Promise<void>;
}
