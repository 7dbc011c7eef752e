import type { ServerResponse } from 'node:http';
import { createClientShares } from './client-shares.ts';
import { HttpError, type HttpErrorFacts } from './http-error.ts';
import type { Refusal } from './refusal-log.ts';

/** Abort reason after the client disconnected before its response was complete. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
  constructor() {
    super('The client closed the connection');
  }
}

/** Thrown when too many requests are open. The refusal is logged elsewhere, so the request gets no log line. */
export class TooManyOpenError extends HttpError {}

/** Counter of open requests. */
export interface InFlightRequests {
  /**
   * Counts a request until its response closes.
   * @param client its IP address, and whether it sends an API key, which allows the reserved slots.
   * @throws TooManyOpenError 429 if the client has too many open requests, 503 if all clients together have.
   */
  open(response: ServerResponse, client: { readonly address: string; readonly hasKey?: boolean }): InFlightRequest;
  /** Aborts all open requests. */
  abortAll(reason: Error): void;
}

/** A counted request. */
export interface InFlightRequest {
  /** Aborts when the client disconnects, or with the reason of `abortAll`. */
  readonly signal: AbortSignal;
  /**
   * Counts the request also for the holder of its credentials, such as `key:12`.
   * @throws TooManyOpenError 429
   */
  countFor(holder: string): void;
  /** Stops counting the request before its response closes. */
  leave(): void;
}

export interface InFlightLimits {
  /** Maximum number of open requests. */
  readonly maxOpen: number;
  /** Maximum number of open requests of one client, and never more than remain for others. */
  readonly maxPerClient: number;
  /** Part of `maxOpen` that is reserved for requests with an API key. */
  readonly reservedForKeys?: number;
}

type Kind = Exclude<Refusal['kind'], 'connection'>;
export type InFlightLimitsByKind = Readonly<Record<Kind, InFlightLimits>>;

/** Limits of each kind of request. A client, or a key, never has more than half of the slots. */
export const IN_FLIGHT_LIMITS: InFlightLimitsByKind = {
  generation: { maxOpen: 1000, maxPerClient: 1000 },
  management: { maxOpen: 50, maxPerClient: 50 },
  /** Requests of consoles. */
  account: { maxOpen: 200, maxPerClient: 20 },
  /** Fewer than the storage allows in total, as many of one client. */
  upload: { maxOpen: 400, maxPerClient: 20, reservedForKeys: 80 },
  download: { maxOpen: 1000, maxPerClient: 100 },
  /** Requests for file pages, shared conversations and deletions. */
  page: { maxOpen: 500, maxPerClient: 50 },
};

/** Counters of open requests, one for each kind of request. */
export type InFlightCounters = ReturnType<typeof createInFlightCounters>;

/** Creates the counters of open requests. */
export function createInFlightCounters(logRefusal: (refusal: Refusal) => void, limits: InFlightLimitsByKind) {
  const create = (kind: Kind) => createInFlightRequests({ kind, logRefusal }, limits[kind]);
  return {
    generation: create('generation'),
    management: create('management'),
    account: create('account'),
    uploads: create('upload'),
    downloads: create('download'),
    pages: create('page'),
  };
}

const RETRY_AFTER_SECONDS = 1;

/** Limits the open requests of one kind, in total and per client. */
function createInFlightRequests(
  deps: { readonly kind: Refusal['kind']; readonly logRefusal: (refusal: Refusal) => void },
  limits: InFlightLimits,
): InFlightRequests {
  const shares = createClientShares(limits);
  const open = new Set<AbortController>();
  const refuse = (reason: Refusal['reason'], address: string) => {
    deps.logRefusal({ kind: deps.kind, reason, address });
    return new TooManyOpenError(reason === 'full' ? ALL_TAKEN : SHARE_TAKEN);
  };
  return {
    open(response, { address, hasKey = false }) {
      const slot = shares.enter(address, hasKey ? 0 : limits.reservedForKeys);
      if (typeof slot === 'string') throw refuse(slot, address);
      const controller = new AbortController();
      open.add(controller);
      response.on('close', () => {
        open.delete(controller);
        slot.leave();
        if (!response.writableFinished) controller.abort(new ClientGoneError());
      });
      return {
        signal: controller.signal,
        countFor(holder) {
          if (!slot.countFor(holder)) throw refuse('share', address);
        },
        leave: slot.leave,
      };
    },
    abortAll(reason) {
      for (const controller of open) controller.abort(reason);
    },
  };
}

const headers = { 'retry-after': String(RETRY_AFTER_SECONDS) };

const ALL_TAKEN: HttpErrorFacts = {
  status: 503,
  type: 'server_error',
  code: 'unavailable',
  message: 'Too many requests are being answered right now.',
  headers,
};

const SHARE_TAKEN: HttpErrorFacts = {
  status: 429,
  type: 'rate_limit_error',
  code: 'too_many_requests',
  message: 'Too many concurrent requests from your address or with your key.',
  headers,
};
