import type { DialectName } from './dialect-requests.ts';
import type { AnswerKind } from './fixed-answers.ts';

/** Job of the load client: a bounded number of requests to one target. */
export interface LoadOrder {
  readonly url: string;
  /** Used in rotation. */
  readonly apiKeys: readonly string[];
  /** Number of models used in rotation: the kind itself, then `kind-1`, `kind-2`, … Default 1. */
  readonly modelCount?: number;
  /** Closes each connection at the first chunk of the answer. Default false. */
  readonly leaves?: boolean;
  /** Additional headers. */
  readonly headers: Readonly<Record<string, string>>;
  readonly kind: AnswerKind;
  /** Dialect of the requests, which `url` must serve. Default: chat completions. */
  readonly dialect?: DialectName;
  /** Length of the text in each request. */
  readonly textBytes: number;
  /** Concurrent requests, each on a separate connection. */
  readonly concurrency: number;
  readonly count: number;
  /** Process whose CPU time is read before and after. */
  readonly targetPid: number;
  /** Delay between the last answer and reading the CPU time. */
  readonly settleMs: number;
  /** Longer runs are invalid. */
  readonly timeLimitMs: number;
}

/** Result of a load order. */
export interface LoadSample {
  readonly perSecond: number;
  /** Time from sending a request to the last byte of its answer. */
  readonly medianMs: number;
  readonly p99Ms: number;
  /** Median time from sending a request to the first bytes of its body. */
  readonly firstChunkMs: number;
  /** CPU time of the target per request, including its work after the answers. */
  readonly cpuMs: number;
}

export type LoadReport = { readonly sample: LoadSample } | { readonly problem: string };
