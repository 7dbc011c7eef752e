import type { ServerResponse } from 'node:http';
import type { Clock } from '../../../lib/clock.ts';
import { toNetwork } from '../../../lib/http/network.ts';
import type { Logger } from '../../../lib/log/logger.ts';
import { HttpError, type HttpErrorFacts } from '../../../protocols/http-error.ts';
import { createClientShares } from './client-shares.ts';

type Kind = Exclude<Refusal['kind'], 'connection'>;

export interface InFlightLimits {
  /** Maximum number of open requests. */
  readonly maxOpen: number;
  /** Maximum number of open requests of one client, and never more than remain for others. */
  readonly maxPerClient: number;
  /** Part of `maxOpen` that is reserved for requests with an API key. */
  readonly reservedForKeys?: number;
}

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

/** Counter of open requests. */
export type InFlightRequests = ReturnType<typeof createInFlightRequests>;

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

/** Limits the open requests of one kind, in total and per client. */
function createInFlightRequests(
  deps: { readonly kind: Refusal['kind']; readonly logRefusal: (refusal: Refusal) => void },
  limits: InFlightLimits,
) {
  const shares = createClientShares(limits);
  const open = new Set<AbortController>();
  const refuse = (reason: Refusal['reason'], address: string) => {
    deps.logRefusal({ kind: deps.kind, reason, address });
    return new TooManyOpenError(reason === 'full' ? ALL_TAKEN : SHARE_TAKEN);
  };
  return {
    /**
     * Counts a request until its response closes.
     * @param client its IP address, and whether it sends an API key, which allows the reserved slots.
     * @throws TooManyOpenError 429 if the client has too many open requests, 503 if all clients together have.
     */
    open(
      response: ServerResponse,
      { address, hasKey = false }: { readonly address: string; readonly hasKey?: boolean },
    ): InFlightRequest {
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
    /** Aborts all open requests. */
    abortAll(reason: Error): void {
      for (const controller of open) controller.abort(reason);
    },
  };
}

/** Abort reason after the client disconnected before its response was complete. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
  constructor() {
    super('The client closed the connection');
  }
}

/** Thrown when too many requests are open. The refusal is logged elsewhere, so the request gets no log line. */
export class TooManyOpenError extends HttpError {}

const RETRY_AFTER_SECONDS = 1;

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

export interface Refusal {
  readonly kind: 'generation' | 'management' | 'account' | 'upload' | 'download' | 'page' | 'connection';
  /** `share`: the client has reached its share. `full`: all slots are taken. */
  readonly reason: 'full' | 'share';
  /** The client's IP address. */
  readonly address: string;
}

const LINE_EVERY_MS = 60_000;

/**
 * Returns a function that logs refusals at most once a minute: the latest one, with the count since the previous line.
 */
export function createRefusalLog(deps: { readonly clock: Clock; readonly logger: Logger }): (refusal: Refusal) => void {
  let quietUntil = 0;
  let refusedCount = 0;
  return ({ kind, reason, address }) => {
    refusedCount++;
    const now = deps.clock.now();
    if (now < quietUntil) return;
    // The log contains no individual addresses.
    const network = toNetwork(address, { ipv4: 24, ipv6: 48 });
    deps.logger.warn({ kind, reason, network, refusedCount }, 'requests refused: too many in flight');
    quietUntil = now + LINE_EVERY_MS;
    refusedCount = 0;
  };
}
