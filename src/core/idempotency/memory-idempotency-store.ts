import type { Clock } from '../../lib/clock.ts';
import type { Answer, IdempotencyStore, IdempotentRequest, StoredRequest } from './idempotency-store.ts';

interface MemoryRow {
  readonly id: string;
  readonly request: IdempotentRequest;
  state: 'running' | 'complete' | 'failed';
  answer: Answer | undefined;
  /** Unix milliseconds. */
  expiresAt: number;
}

/** Creates a store for one process, on its clock. */
export function createMemoryIdempotencyStore({ clock }: { readonly clock: Clock }): IdempotencyStore {
  /** Rows by id, oldest first. */
  const rows = new Map<string, MemoryRow>();

  const findKept = (id: string) => {
    const row = rows.get(id);
    return row && row.expiresAt > clock.now() ? row : undefined;
  };
  const end = async (id: string, state: 'complete' | 'failed', answer: Answer, keepMs: number) => {
    const row = rows.get(id);
    if (row?.state === 'running') Object.assign(row, { state, answer, expiresAt: clock.now() + keepMs });
  };
  return {
    async claim(id, request, leaseMs) {
      const row = rows.values().find((one) => hasSameKey(one.request, request));
      if (row && row.state !== 'failed' && findKept(row.id)) return toStoredRequest(row);
      if (row) rows.delete(row.id);
      const claimed = { id, request, state: 'running', answer: undefined, expiresAt: clock.now() + leaseMs } as const;
      rows.set(id, claimed);
      return toStoredRequest(claimed);
    },
    async find(ids) {
      return ids.map((id) => {
        const row = findKept(id);
        return row && toStoredRequest(row);
      });
    },
    async renew(ids, leaseMs) {
      for (const id of ids) {
        const row = rows.get(id);
        if (row?.state === 'running') row.expiresAt = clock.now() + leaseMs;
      }
    },
    complete: (id, answer, keepMs) => end(id, 'complete', answer, keepMs),
    fail: (id, answer, keepMs) => end(id, 'failed', answer, keepMs),
    async remove(id) {
      rows.delete(id);
    },
    async *readBody(id) {
      yield* rows.get(id)?.answer?.body ?? [];
    },
    async trim(userId, { maxBytes, minAnswerBytes }) {
      let bytes = 0;
      for (const { id, request, answer } of [...rows.values()].reverse()) {
        if (!answer || request.userId !== userId) continue;
        bytes += Math.max(answer.sizeBytes, minAnswerBytes);
        if (bytes > maxBytes) rows.delete(id);
      }
    },
  };
}

function hasSameKey(a: IdempotentRequest, b: IdempotentRequest): boolean {
  return a.userId === b.userId && a.keyHash === b.keyHash;
}

function toStoredRequest({ id, request, answer }: MemoryRow): StoredRequest {
  return { id, bodyHash: request.bodyHash, answer };
}
