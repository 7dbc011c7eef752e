import { sql } from 'drizzle-orm';
import { createId } from '../lib/ids.ts';
import { isJsonObject, type JsonObject, parseJson } from '../lib/json.ts';
import type { Logger } from '../lib/logger.ts';
import type { Database, DatabaseConfig } from './connect.ts';
import { createServerClient } from './server-client.ts';

export interface BroadcastDeps {
  readonly db: Database;
  readonly logger: Logger;
}

export interface BroadcastOptions {
  readonly database: DatabaseConfig;
  /** What the processes have in common that are to hear one another. */
  readonly channel: string;
  /** Gets what others have told. Anybody who may use the database can tell something: nothing is sure of it. */
  readonly onMessage: (message: JsonObject) => void;
}

/**
 * Short messages between the processes on one database, a moment after they are told. Nothing is sure to arrive: not while a
 * connection is lost, and never behind a proxy that shares connections between transactions. So it may only hasten what happens anyway.
 */
export interface Broadcast {
  /** Tells the others, at most 8000 bytes of JSON. Never throws. */
  tell(message: JsonObject): Promise<void>;
  /** Hears nothing more. */
  close(): Promise<void>;
}

/** Listens from now on, and again whenever the connection was lost. An embedded database has one process: nobody is told anything. */
export function openBroadcast(deps: BroadcastDeps, options: BroadcastOptions): Broadcast {
  const { database, channel } = options;
  if (database.kind === 'embedded') return { tell: async () => {}, close: async () => {} };
  const sender = createId('');
  // The driver listens on a connection of its own beside those of the pool, and connects anew by itself.
  const client = createServerClient(database.url, {
    max: 1,
    keep_alive: 10,
    connection: { application_name: 'switchboard listener' },
  });
  const hear = (text: string) => {
    const told = parseJson(text);
    if (!isJsonObject(told) || told['sender'] === sender || !isJsonObject(told['message'])) return;
    options.onMessage(told['message']);
  };
  client.sql.listen(channel, hear).catch((error: unknown) => {
    deps.logger.warn({ err: error }, 'other processes can not be heard yet; what they leave is looked for instead');
  });
  return {
    async tell(message) {
      try {
        await deps.db.execute(sql`select pg_notify(${channel}, ${JSON.stringify({ sender, message })})`);
      } catch (error) {
        deps.logger.debug({ err: error }, 'other processes could not be told; they look by themselves');
      }
    },
    close: () => client.end(1000),
  };
}
