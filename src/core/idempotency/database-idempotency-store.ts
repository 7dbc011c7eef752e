import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { and, eq, gt, inArray, ne, not, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { fromBase64, inMs } from '../../database/expressions.ts';
import { idempotentAnswerParts, idempotentRequests } from '../../database/schema/index.ts';
import type { Answer, IdempotencyStore, IdempotentRequest, StoredRequest } from './idempotency-store.ts';

/** Minimum size of a stored part. Larger ones block the embedded database, which runs in this thread. */
const PART_BYTES = 128 * 1024;
/** Maximum size of the parts in which an answer is stored and read. */
export const MAX_PART_BYTES = 2 * PART_BYTES;
/** A claim is repeated when the request that held the key has ended in between. */
const MAX_CLAIMS = 20;

/** Creates a store for all processes of one database. Leases and retention follow the database's clock. */
export function createDatabaseIdempotencyStore({ db }: { readonly db: Database }): IdempotencyStore {
  const { id: requestId, userId, bodyHash, state, status, headers, sizeBytes, expiresAt } = idempotentRequests;
  const columns = { id: requestId, bodyHash, status, headers, sizeBytes };
  const isKept = gt(expiresAt, sql`now()`);
  const hasKey = (request: IdempotentRequest) =>
    and(eq(userId, request.userId), eq(idempotentRequests.keyHash, request.keyHash));
  const holdsKey = and(isKept, ne(state, 'failed'));

  const tryToClaim = async (id: string, request: IdempotentRequest, leaseMs: number) => {
    const [claimed] = await db
      .insert(idempotentRequests)
      .values({ id, ...request, state: 'running', expiresAt: inMs(leaseMs) })
      .onConflictDoNothing()
      .returning(columns);
    if (claimed) return claimed;
    const [holder] = await db
      .select(columns)
      .from(idempotentRequests)
      .where(and(hasKey(request), holdsKey));
    if (!holder) await db.delete(idempotentRequests).where(and(hasKey(request), not(holdsKey as SQL)));
    return holder;
  };

  const end = async (id: string, ended: 'complete' | 'failed', answer: Answer, keepMs: number) => {
    let position = 0;
    for (const part of toParts(answer.body)) {
      await db.insert(idempotentAnswerParts).values({ requestId: id, position, bytes: fromBase64(part) });
      position += 1;
      // The embedded database resolves without yielding to the event loop: yield between parts.
      await yieldToEventLoop();
    }
    await db
      .update(idempotentRequests)
      .set({
        state: ended,
        status: answer.status,
        headers: answer.headers,
        sizeBytes: answer.sizeBytes,
        expiresAt: inMs(keepMs),
      })
      .where(and(eq(requestId, id), eq(state, 'running')));
  };

  return {
    async claim(id, request, leaseMs) {
      for (let count = 0; count < MAX_CLAIMS; count += 1) {
        const holder = await tryToClaim(id, request, leaseMs);
        if (holder) return toStoredRequest(holder);
      }
      throw new Error('an idempotency key could not be claimed');
    },
    async find(ids) {
      const rows = await db
        .select(columns)
        .from(idempotentRequests)
        .where(and(inArray(requestId, [...ids]), isKept));
      const byId = new Map(rows.map((row) => [row.id, toStoredRequest(row)]));
      return ids.map((id) => byId.get(id));
    },
    async renew(ids, leaseMs) {
      await db
        .update(idempotentRequests)
        .set({ expiresAt: inMs(leaseMs) })
        .where(and(inArray(requestId, [...ids]), eq(state, 'running')));
    },
    complete: (id, answer, keepMs) => end(id, 'complete', answer, keepMs),
    fail: (id, answer, keepMs) => end(id, 'failed', answer, keepMs),
    async remove(id) {
      await db.delete(idempotentRequests).where(eq(requestId, id));
    },
    async *readBody(id) {
      const { position, bytes } = idempotentAnswerParts;
      for (let next = 0; ; next += 1) {
        const [row] = await db
          .select({ base64: sql<string>`encode(${bytes}, 'base64')` })
          .from(idempotentAnswerParts)
          .where(and(eq(idempotentAnswerParts.requestId, id), eq(position, next)));
        if (!row) return;
        yield Buffer.from(row.base64, 'base64');
      }
    },
    async trim(owner, { maxBytes, minAnswerBytes }) {
      const newest = sql`order by ${idempotentRequests.createdAt} desc, ${requestId}`;
      const ranked = db
        .select({
          id: requestId,
          bytes: sql`sum(greatest(${sizeBytes}, ${minAnswerBytes}::integer)) over (${newest})`.as('bytes'),
        })
        .from(idempotentRequests)
        .where(and(eq(userId, owner), ne(state, 'running')))
        .as('ranked');
      const excess = db.select({ id: ranked.id }).from(ranked).where(sql`${ranked.bytes} > ${maxBytes}`);
      await db.delete(idempotentRequests).where(inArray(requestId, excess));
    },
  };
}

function toStoredRequest(
  row: Pick<typeof idempotentRequests.$inferSelect, 'id' | 'bodyHash' | 'status' | 'headers' | 'sizeBytes'>,
): StoredRequest {
  const { id, bodyHash, status, headers, sizeBytes } = row;
  return { id, bodyHash, answer: status === null ? undefined : { status, headers, sizeBytes } };
}

/** Returns the same bytes in parts of `PART_BYTES` to `MAX_PART_BYTES`; the last one may be smaller. */
function* toParts(body: readonly Buffer[]): Generator<Buffer> {
  let part: Buffer[] = [];
  let sizeBytes = 0;
  for (const chunk of body) {
    for (let start = 0; start < chunk.length; start += PART_BYTES) {
      const slice = chunk.subarray(start, start + PART_BYTES);
      part.push(slice);
      sizeBytes += slice.length;
      if (sizeBytes < PART_BYTES) continue;
      yield Buffer.concat(part);
      part = [];
      sizeBytes = 0;
    }
  }
  if (sizeBytes > 0) yield Buffer.concat(part);
}
