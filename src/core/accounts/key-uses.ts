import { sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { apiKeys } from '../../database/schema/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { describeError } from '../../lib/describe-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { toNetwork } from '../../lib/network.ts';

/** Remembers when keys were used last, off the way of the answers. */
export interface KeyUses {
  /** Takes note without waiting for the database. @param address the client's IP address; its network is kept */
  note(keyId: number, route: string, address: string): void;
  /** Resolves when all uses so far are in the database, or could not be written. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

const FLUSH_EVERY_MS = 2000;
/** Keys used within two seconds; what is beyond is not noted. */
const MAX_WAITING = 10_000;
/** So much of an address is kept: enough to recognise a place, not enough for a household. */
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
      deps.logger.warn({ reason: describeError(error), keys: uses.length }, 'the last use of keys was not noted');
    }
  };
  const flush = () => {
    writing = writing.then(write);
    return writing;
  };

  return {
    note(keyId, route, address) {
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

/** Once for all uses of two seconds: reading an address takes longer than finding the key. */
function toUse([id, { at, route, address }]: readonly [number, Noted]): Use {
  return {
    id,
    last_used_at: new Date(at),
    last_used_route: route,
    last_used_network: toNetwork(address, NETWORK_BITS),
  };
}

/** Rows are locked in the order of their ids; another process may have noted a later use meanwhile. */
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
