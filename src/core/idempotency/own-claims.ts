import { createCache } from '../../lib/async/cache.ts';
import { LeaseRenewal } from '../../lib/async/lease-renewal.ts';
import type { Clock } from '../../lib/clock.ts';
import { describeError } from '../../lib/errors/describe-error.ts';
import type { Logger } from '../../lib/log/logger.ts';
import type { Answer, IdempotencyStore } from './idempotency-store.ts';

/**
 * The right to answer a key, which exactly one of the calls ends. They resolve when this is stored or has failed, and
 * never reject.
 */
export interface Claim {
  /** Stores an answer for later requests with the key. */
  complete(answer: Answer): Promise<void>;
  /** Gives an answer to the requests that wait for it, and frees the key for later ones. */
  fail(answer: Answer): Promise<void>;
  /** Frees the key. One of the waiting requests claims it. */
  release(): Promise<void>;
}

export interface OwnClaimsDeps {
  readonly store: IdempotencyStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface OwnClaimsParams {
  readonly keepMs: number;
  readonly leaseMs: number;
  readonly maxUserBytes: number;
}

/** Time in which requests that wait in other processes find a failed answer. */
const KEEP_FAILED_MS = 30_000;
const MAX_CLAIM_MS = 30 * 60_000;
/** Size that an answer counts for at least, which bounds the number of rows. */
const MIN_ANSWER_BYTES = 16 * 1024;
/** A user's answers are trimmed whenever this part of the maximum was added. */
const TRIM_FRACTION = 1 / 16;

/** Creates the list of the claims of this process. */
export function createOwnClaims(
  { store, clock, logger }: OwnClaimsDeps,
  { keepMs, leaseMs, maxUserBytes }: OwnClaimsParams,
) {
  const ends = new Map<string, Promise<void>>();
  const writes = new Set<Promise<void>>();
  const addedBytes = createCache<number, number>(clock, { max: 10_000, ttlMs: keepMs });
  const warn = (message: string) => (error: unknown) => logger.warn({ reason: describeError(error) }, message);
  const renewal = new LeaseRenewal(clock, {
    everyMs: leaseMs / 3,
    maxDurationMs: MAX_CLAIM_MS,
    renew: (ids) => void store.renew(ids, leaseMs).catch(warn('leases of idempotency keys could not be renewed')),
  });

  const trim = async (userId: number, sizeBytes: number) => {
    const bytes = (addedBytes.get(userId) ?? 0) + Math.max(sizeBytes, MIN_ANSWER_BYTES);
    const isDue = bytes > maxUserBytes * TRIM_FRACTION;
    addedBytes.set(userId, isDue ? 0 : bytes);
    if (isDue) await store.trim(userId, { maxBytes: maxUserBytes, minAnswerBytes: MIN_ANSWER_BYTES });
  };

  return {
    /** Creates the claim of a stored request, and renews its lease until it ends. */
    create(id: string, userId: number): Claim {
      const ended = Promise.withResolvers<void>();
      ends.set(id, ended.promise);
      renewal.add(id);
      const end = async (storing: Promise<void>) => {
        const write = storing.catch(warn('the end of a request with an idempotency key could not be stored'));
        writes.add(write);
        await write;
        writes.delete(write);
        renewal.remove(id);
        ends.delete(id);
        ended.resolve();
      };
      const complete = async (answer: Answer) => {
        await store.complete(id, answer, keepMs);
        await trim(userId, answer.sizeBytes);
      };
      return {
        complete: (answer) => end(complete(answer)),
        fail: (answer) => end(store.fail(id, answer, KEEP_FAILED_MS)),
        release: () => end(store.remove(id)),
      };
    },
    /** Returns a promise of the end of a claim, undefined if this process has no such claim. */
    findEnd: (id: string): Promise<void> | undefined => ends.get(id),
    /** Stops renewing leases. Resolves when the answers so far are stored. */
    async close(): Promise<void> {
      renewal.close();
      await Promise.all(writes);
    },
  };
}
