import { sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { apiKeys } from '../../database/schema/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { describeError } from '../../lib/describe-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { toNetwork } from '../../lib/network.ts';

/** Records the last use of keys outside the request path. */
export interface KeyUses {
  /**
   * Records a use without waiting for the database.
   * @param address IP address of the client; only its network is stored.
   */
  record(keyId: number, route: string, address: string): void;
  /** Resolves when all recorded uses are in the database, or writing them has failed. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

const FLUSH_EVERY_MS = 2000;
/** Maximum number of keys recorded between two writes; further ones are not recorded. */
const MAX_WAITING = 10_000;
/** Stored prefix lengths of addresses: enough to recognize a network, too little to identify a connection. */
const NETWORK_BITS = { ipv4: 24, ipv6: 48 };

interface Noted {
  /** Unix milliseconds. */
  readonly at: number;
  readonly route: string;
  readonly address: string;
}

interface Use {
  readonly id: number;
  readonly last_used_at: Date;
  readonly last_used_route: string;
  readonly last_used_network: string;
}

export function createKeyUses(deps: {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
}): KeyUses {
  let waiting = new Map<number, Noted>();
  let cancelTimer: (() => void) | undefined;
  let writing: Promise<void> = Promise.resolve();

  const write = async () => {
    if (waiting.size === 0) return;
    const uses = [...waiting].map(toUse).sort((one, other) => one.id - other.id);
    waiting = new Map();
    try {
      await writeUses(deps.db, uses);
    } catch (error) {
      deps.logger.warn(
        { reason: describeError(error), keys: uses.length },
        'the last use of API keys could not be saved',
      );
    }
  };
  const flush = () => {
    writing = writing.then(write);
    return writing;
  };

  return {
    record(keyId, route, address) {
      if (waiting.size >= MAX_WAITING && !waiting.has(keyId)) return;
      waiting.set(keyId, { at: deps.clock.now(), route, address });
      cancelTimer ??= deps.clock.setTimer(FLUSH_EVERY_MS, () => {
        cancelTimer = undefined;
        void flush();
      });
    },
    flush,
    async close() {
      cancelTimer?.();
      cancelTimer = undefined;
      await flush();
    },
  };
}

/** Addresses are parsed once per write, because parsing takes longer than finding the key. */
function toUse([id, { at, route, address }]: readonly [number, Noted]): Use {
  return {
    id,
    last_used_at: new Date(at),
    last_used_route: route,
    last_used_network: toNetwork(address, NETWORK_BITS),
  };
}

/**
 * Locks rows in the order of their ids, which avoids deadlocks. Another process may have written a later use, which is
 * kept.
 */
async function writeUses(db: Database, uses: readonly Use[]): Promise<void> {
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
