import { and, asc, eq, inArray, isNull } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { apiKeyNetworks, apiKeys } from '../../database/schema/index.ts';

/** First use of a key from a network, as seen by this process. */
export interface SeenNetwork {
  readonly keyId: number;
  readonly network: string;
  readonly route: string;
  /** Unix milliseconds. */
  readonly at: number;
}

/** Use of a key from a network other than those of its earlier uses. */
export interface NewNetwork extends SeenNetwork {
  readonly userId: number;
}

/** Maximum number of stored networks of a key. Further ones are neither stored nor reported. */
const MAX_NETWORKS = 50;
/** Keys in one transaction. */
const BATCH = 100;

/**
 * Stores the networks that are new for their keys, the universal key excepted.
 * @returns those that are not the first of their key. Of several processes only one gets each.
 */
export async function storeNetworks(db: Database, seen: readonly SeenNetwork[]): Promise<readonly NewNetwork[]> {
  const byKey = [...Map.groupBy(seen, ({ keyId }) => keyId)].sort(([one], [other]) => one - other);
  const found: NewNetwork[] = [];
  for (let start = 0; start < byKey.length; start += BATCH) {
    found.push(...(await storeBatch(db, new Map(byKey.slice(start, start + BATCH)))));
  }
  return found;
}

async function storeBatch(
  db: Database,
  seen: ReadonlyMap<number, readonly SeenNetwork[]>,
): Promise<readonly NewNetwork[]> {
  return db.transaction(async (tx) => {
    // The lock makes processes take turns, so that each sees what the others have stored.
    const keys = await tx
      .select({ id: apiKeys.id, userId: apiKeys.userId })
      .from(apiKeys)
      .where(and(inArray(apiKeys.id, [...seen.keys()]), eq(apiKeys.isUniversal, false), isNull(apiKeys.revokedAt)))
      .orderBy(asc(apiKeys.id))
      .for('no key update');
    if (keys.length === 0) return [];
    const keyIds = keys.map(({ id }) => id);
    const rows = await tx.select().from(apiKeyNetworks).where(inArray(apiKeyNetworks.keyId, keyIds));
    const stored = Map.groupBy(rows, ({ keyId }) => keyId);
    const added = keys.flatMap(({ id, userId }) => {
      const known = (stored.get(id) ?? []).map(({ network }) => network);
      const fresh = listFresh(seen.get(id) ?? [], new Set(known));
      return fresh
        .slice(0, Math.max(0, MAX_NETWORKS - known.length))
        .map((one, at) => ({ ...one, userId, isFirst: known.length + at === 0 }));
    });
    if (added.length === 0) return [];
    await tx
      .insert(apiKeyNetworks)
      .values(added.map(({ keyId, network, at }) => ({ keyId, network, firstSeenAt: new Date(at) })));
    return added.flatMap(({ isFirst, ...one }) => (isFirst ? [] : [one]));
  });
}

/** Returns the earliest use from each unknown network, in order of time. */
function listFresh(seen: readonly SeenNetwork[], known: ReadonlySet<string>): readonly SeenNetwork[] {
  const fresh = new Map<string, SeenNetwork>();
  for (const one of seen.toSorted((first, second) => first.at - second.at)) {
    if (!known.has(one.network) && !fresh.has(one.network)) fresh.set(one.network, one);
  }
  return [...fresh.values()];
}
