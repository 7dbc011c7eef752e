/** One file on its way, as the client is told to bring or fetch it. */
export interface Transfer {
  readonly kind: 'upload' | 'download';
  readonly url: string;
  readonly sizeBytes: number;
  /** The client's link. Undefined: as fast as it goes. */
  readonly bytesPerSecond?: number | undefined;
}

/** What the client is told, once for all transfers that run side by side. */
export interface TransferOrder {
  readonly transfers: readonly Transfer[];
  /** Beyond this the whole run is void. */
  readonly timeLimitMs: number;
}

/** What became of a transfer: every byte has been compared. */
export interface TransferSample {
  readonly durationMs: number;
  /** To the first byte of the answer's body. */
  readonly firstByteMs: number;
  /** Of an upload: the path under which the file can be fetched. */
  readonly path: string;
}

export type TransferReport =
  | { readonly samples: readonly TransferSample[]; readonly durationMs: number }
  | { readonly problem: string };
