import { sql } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import type { Database } from '../../database/connect.ts';
import { apiKeys } from '../../database/schema/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { describeError } from '../../lib/errors/describe-error.ts';
import { toStoredNetwork } from '../../lib/http/network.ts';
import type { Logger } from '../../lib/log/logger.ts';
import { type NewNetwork, type SeenNetwork, storeNetworks } from './key-networks.ts';

const FLUSH_EVERY_MS = 2000;
/** Maximum number of keys recorded between two writes; further ones are not recorded. */
const MAX_WAITING = 10_000;
/** Maximum number of addresses of a key between two writes; further ones are only recorded as the last one. */
const MAX_ADDRESSES = 20;
/** Networks that this process has stored, so that they are not looked up again. */
const MAX_KNOWN = 20_000;

interface AddressUse {
  /** Unix milliseconds. */
  readonly at: number;
  readonly route: string;
}

/** Uses of a key between two writes. */
interface RecentUses extends AddressUse {
  readonly address: string;
  /** First use from each address. */
  readonly firstUses: Map<string, AddressUse>;
}

/** Row to write: the last use of a key. */
interface LastUse {
  readonly id: number;
  readonly last_used_at: Date;
  readonly last_used_route: string;
  readonly last_used_network: string;
}

/** Records the uses of keys outside the request path. */
export function createKeyUses(deps: { readonly db: Database; readonly clock: Clock; readonly logger: Logger }) {
  const { db, clock, logger } = deps;
  const known = new LRUCache<string, true>({ max: MAX_KNOWN });
  let waiting = new Map<number, RecentUses>();
  let cancelTimer: (() => void) | undefined;
  let writing: Promise<void> = Promise.resolve();
  let listener: (use: NewNetwork) => void = () => {};

  const writeNetworks = async (recent: readonly (readonly [number, RecentUses])[]) => {
    const unknown = recent.flatMap(toSeenNetworks).filter((seen) => !known.has(toKnownKey(seen)));
    if (unknown.length === 0) return;
    const news = await storeNetworks(db, unknown);
    for (const seen of unknown) known.set(toKnownKey(seen), true);
    for (const one of news) listener(one);
  };
  const write = async () => {
    if (waiting.size === 0) return;
    const recent = [...waiting].sort(([one], [other]) => one - other);
    waiting = new Map();
    try {
      await writeUses(db, recent.map(toLastUse));
      await writeNetworks(recent);
    } catch (error) {
      logger.warn({ reason: describeError(error), keys: recent.length }, 'the uses of API keys could not be saved');
    }
  };
  /** Resolves when all recorded uses are in the database, or writing them has failed. */
  const flush = (): Promise<void> => {
    writing = writing.then(write);
    return writing;
  };

  return {
    /**
     * Records a use without waiting for the database.
     * @param address IP address of the client; only its network is stored.
     */
    record(keyId: number, route: string, address: string): void {
      const before = waiting.get(keyId);
      if (!before && waiting.size >= MAX_WAITING) return;
      const at = clock.now();
      const firstUses = before?.firstUses ?? new Map<string, AddressUse>();
      if (firstUses.size < MAX_ADDRESSES && !firstUses.has(address)) firstUses.set(address, { at, route });
      waiting.set(keyId, { at, route, address, firstUses });
      cancelTimer ??= clock.setTimer(FLUSH_EVERY_MS, () => {
        cancelTimer = undefined;
        void flush();
      });
    },
    /** Sets the function that is called once for each use of a key from a new network. It must not throw. */
    onNewNetwork(given: (use: NewNetwork) => void): void {
      listener = given;
    },
    flush,
    async close(): Promise<void> {
      cancelTimer?.();
      cancelTimer = undefined;
      await flush();
    },
  };
}

function toKnownKey({ keyId, network }: SeenNetwork): string {
  return `${keyId} ${network}`;
}

function toSeenNetworks([keyId, { firstUses }]: readonly [number, RecentUses]): readonly SeenNetwork[] {
  return [...firstUses].map(([address, use]) => ({ keyId, network: toStoredNetwork(address), ...use }));
}

/** Addresses are parsed once per write, because parsing takes longer than finding the key. */
function toLastUse([id, { at, route, address }]: readonly [number, RecentUses]): LastUse {
  return {
    id,
    last_used_at: new Date(at),
    last_used_route: route,
    last_used_network: toStoredNetwork(address),
  };
}

/**
 * Locks rows in the order of their ids, which avoids deadlocks. Another process may have written a later use, which is
 * kept.
 */
async function writeUses(db: Database, uses: readonly LastUse[]): Promise<void> {
  await db.execute(sql`
    with uses as (
      select u.* from json_populate_recordset(null::${apiKeys}, ${JSON.stringify(uses)}::json) u
      join (select id from ${apiKeys} where id in (${sql.join(
        uses.map(({ id }) => sql`${id}`),
        sql`, `,
      )}) order by id for no key update) locked on locked.id = u.id
    )
    update ${apiKeys} k set last_used_at = uses.last_used_at, last_used_route = uses.last_used_route,
      last_used_network = uses.last_used_network
    from uses where k.id = uses.id and (k.last_used_at is null or k.last_used_at <= uses.last_used_at)`);
}
