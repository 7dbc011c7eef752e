import { randomUUID } from 'node:crypto';
import { BatchLoader } from '../../lib/async/batch-loader.ts';
import { leaveOnAbort } from '../../lib/async/leave-on-abort.ts';
import { runWithin, sleep } from '../../lib/clock.ts';
import type { AnswerHead, IdempotentRequest, StoredRequest } from './idempotency-store.ts';
import { type Claim, createOwnClaims, type OwnClaimsDeps } from './own-claims.ts';

/** Requests with idempotency keys: each key is answered once, over all processes of the store. */
export type Idempotency = ReturnType<typeof createIdempotency>;

export type BegunRequest =
  | { readonly kind: 'claimed'; readonly claim: Claim }
  | { readonly kind: 'answered'; readonly answer: AnswerHead; readonly body: AsyncIterable<Buffer> };

/** Times are milliseconds. */
export interface IdempotencyOptions {
  /** Retention of complete answers. Default 24 h. */
  readonly keepMs?: number;
  /** Lifetime of a claim without renewal: the keys of a killed process are free after it. Default 15 s. */
  readonly leaseMs?: number;
  /** Interval of looking for the end of a request of another process. Default 500. */
  readonly pollMs?: number;
  /** Maximum wait for an earlier request. Default 15 min, longer than a generation may take. */
  readonly joinTimeoutMs?: number;
  /** Maximum size of all answers of a user; the oldest are removed. Default 256 MiB. */
  readonly maxUserBytes?: number;
}

const DAY_MS = 86_400_000;

export function createIdempotency(deps: OwnClaimsDeps, options: IdempotencyOptions = {}) {
  const { store, clock } = deps;
  const { leaseMs = 15_000, pollMs = 500, joinTimeoutMs = 15 * 60_000 } = options;
  const { keepMs = DAY_MS, maxUserBytes = 256 * 1024 * 1024 } = options;
  const claims = createOwnClaims(deps, { keepMs, leaseMs, maxUserBytes });
  const finder = new BatchLoader((ids: readonly string[]) => store.find(ids), { maxBatchSize: 1000, maxInFlight: 1 });

  /** Waits for the end of a request. Returns undefined if it was removed or its process is dead. */
  const join = async (id: string, signal: AbortSignal): Promise<StoredRequest | undefined> => {
    for (;;) {
      await leaveOnAbort(claims.findEnd(id) ?? sleep(clock, pollMs, signal), signal);
      const found = await finder.load(id);
      if (!found || found.answer) return found;
    }
  };

  const claimOrJoin = async (request: IdempotentRequest, signal: AbortSignal): Promise<BegunRequest> => {
    for (;;) {
      const id = randomUUID();
      const holder = await store.claim(id, request, leaseMs);
      if (holder.id === id) {
        const claim = claims.create(id, request.userId);
        if (!signal.aborted) return { kind: 'claimed', claim };
        await claim.release();
        throw signal.reason;
      }
      if (holder.bodyHash !== request.bodyHash) throw new IdempotencyConflictError();
      const ended = holder.answer ? holder : await join(holder.id, signal);
      if (ended?.answer) return { kind: 'answered', answer: ended.answer, body: store.readBody(ended.id) };
    }
  };

  return {
    /**
     * Claims the key of a request, or returns the answer to an earlier request with this key. Waits for one that is still
     * running; if that one is removed or its process dies, claims its key.
     * @throws IdempotencyConflictError if the key belongs to a request with another body; StillRunningError after
     * `joinTimeoutMs`; the signal's reason.
     */
    async begin(request: IdempotentRequest, signal: AbortSignal): Promise<BegunRequest> {
      const limit = { timeoutMs: joinTimeoutMs, toReason: () => new StillRunningError(), signal };
      return runWithin(clock, limit, (inTime) => claimOrJoin(request, inTime));
    },
    /** Stops renewing leases. Resolves when the answers so far are stored. */
    close: (): Promise<void> => claims.close(),
  };
}

/** Thrown if an idempotency key was used with another body. */
export class IdempotencyConflictError extends Error {
  override readonly name = 'IdempotencyConflictError';
  constructor() {
    super('This idempotency key belongs to a request with another body');
  }
}

/** Thrown if an earlier request with the same idempotency key runs for too long. */
export class StillRunningError extends Error {
  override readonly name = 'StillRunningError';
  constructor() {
    super('The earlier request with this idempotency key is still running');
  }
}
