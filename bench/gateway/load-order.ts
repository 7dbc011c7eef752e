import type { AnswerKind } from './fixed-answers.ts';

/** What the load client is told to do, once: a bounded number of requests to one target. */
export interface LoadOrder {
  readonly url: string;
  /** One after the other in turn. */
  readonly apiKeys: readonly string[];
  /** Asks for so many models in turn: the kind itself, then `kind-1`, `kind-2`, … Default 1. */
  readonly modelCount?: number;
  /** Closes each connection at the first piece of the answer. Default false. */
  readonly leaves?: boolean;
  /** Beside the usual ones. */
  readonly headers: Readonly<Record<string, string>>;
  readonly kind: AnswerKind;
  /** Length of the text in each request. */
  readonly textBytes: number;
  /** Requests in flight at once, each on a connection of its own. */
  readonly concurrency: number;
  readonly count: number;
  /** Whose CPU time is read before and after. */
  readonly targetPid: number;
  /** How long to wait behind the last answer before the CPU time is read. */
  readonly settleMs: number;
  /** Beyond this the whole run is void. */
  readonly timeLimitMs: number;
}

/** What came of it. */
export interface LoadSample {
  readonly perSecond: number;
  /** From sending a request to the last byte of its answer. */
  readonly medianMs: number;
  readonly p99Ms: number;
  /** Median time from sending a request to the first bytes of its body. */
  readonly firstChunkMs: number;
  /** CPU time of the target for each request, what it does behind the answers included. */
  readonly cpuMs: number;
}

export type LoadReport = { readonly sample: LoadSample } | { readonly problem: string };
