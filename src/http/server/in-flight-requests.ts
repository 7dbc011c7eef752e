import type { ServerResponse } from 'node:http';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { toClientNetworks, toNetwork } from '../../lib/network.ts';
import { HttpError, type HttpErrorFacts } from './http-error.ts';

const LINE_EVERY_MS = 60_000;

export interface Refusal {
  readonly kind: 'generation' | 'management' | 'account' | 'upload' | 'download' | 'page' | 'connection';
  /** `share`: the client has reached its share. `full`: all slots are taken. */
  readonly reason: 'full' | 'share';
  /** The client's IP address. */
  readonly address: string;
}

/** Factor by which the limit of a wide IPv6 network (/48) exceeds that of a client. */
const WIDE_NETWORK_FACTOR = 4;

export interface Slot {
  /**
   * Counts the slot also under another name, such as an API key.
   * @returns false if that name already holds its share.
   */
  countFor(name: string): boolean;
  /** Releases the slot. Idempotent. */
  leave(): void;
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

/**
 * Creates slots of which a client may hold `maxPerClient`, but never more than remain free for all others. A client
 * that comes later can thus always get as many.
 */
export function createClientShares(limits: { readonly maxOpen: number; readonly maxPerClient: number }) {
  const counts = new Map<string, number>();
  let openCount = 0;

  const isWithinShare = (name: string, max: number, freeCount: number) =>
    (counts.get(name) ?? 0) < Math.min(max, freeCount);
  const count = (name: string, change: number) => {
    const next = (counts.get(name) ?? 0) + change;
    if (next === 0) counts.delete(name);
    else counts.set(name, next);
  };

  return {
    get openCount() {
      return openCount;
    },
    /**
     * Takes a slot for a client.
     * @param address the client's IP address.
     * @param reservedCount slots that must remain free for others. Default 0.
     * @returns the slot, or why there is none: `full` if all are taken, `share` if the client holds its share.
     */
    enter(address: string, reservedCount = 0): Slot | 'full' | 'share' {
      const freeCount = limits.maxOpen - reservedCount - openCount;
      if (freeCount <= 0) return 'full';
      const names = [...toClientNetworks(address)];
      const isAllowed = names.every((name, at) =>
        isWithinShare(name, at === 0 ? limits.maxPerClient : limits.maxPerClient * WIDE_NETWORK_FACTOR, freeCount),
      );
      if (!isAllowed) return 'share';
      openCount++;
      for (const name of names) count(name, 1);
      let isHeld = true;
      return {
        countFor(name) {
          // `openCount` already includes this slot.
          if (!isWithinShare(name, limits.maxPerClient, limits.maxOpen - openCount + 1)) return false;
          names.push(name);
          count(name, 1);
          return true;
        },
        leave() {
          if (!isHeld) return;
          isHeld = false;
          openCount--;
          for (const name of names) count(name, -1);
        },
      };
    },
  };
}

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
