/** One upload or download of the client. */
export interface Transfer {
  readonly kind: 'upload' | 'download';
  readonly url: string;
  readonly sizeBytes: number;
  /** Bandwidth of the client. Undefined: unlimited. */
  readonly bytesPerSecond?: number | undefined;
}

/** Concurrent transfers for the client. */
export interface TransferOrder {
  readonly transfers: readonly Transfer[];
  /** Longer runs are invalid. */
  readonly timeLimitMs: number;
}

/** Result of a transfer whose bytes have all been compared. */
export interface TransferSample {
  readonly durationMs: number;
  /** Time to the first byte of the response body. */
  readonly firstByteMs: number;
  /** For an upload: the path for downloads. */
  readonly path: string;
}

export type TransferReport =
  | { readonly samples: readonly TransferSample[]; readonly durationMs: number }
  | { readonly problem: string };
