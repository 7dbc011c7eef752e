import { sql } from 'drizzle-orm';
import { createId } from '../lib/ids.ts';
import { isJsonObject, type JsonObject, parseJson } from '../lib/json/json.ts';
import type { Logger } from '../lib/log/logger.ts';
import type { Database, DatabaseConfig } from './connect.ts';
import { createServerClient } from './server-client.ts';

export interface ProcessChannelDeps {
  readonly db: Database;
  readonly logger: Logger;
}

export interface ProcessChannelParams {
  readonly database: DatabaseConfig;
  /** Name of the notification channel, shared by the processes. */
  readonly channel: string;
  /** Called for each message of another process. Every user of the database can send messages, so validate them. */
  readonly onMessage: (message: JsonObject) => void;
}

/**
 * Short messages between the processes of one database, by `LISTEN` and `NOTIFY`. Delivery is not guaranteed: messages
 * are lost while a connection is down, and behind proxies that pool transactions. Use it only to speed up what happens
 * anyway.
 */
export interface ProcessChannel {
  /** Sends a message of at most 8000 bytes of JSON to the other processes. Never throws. */
  notify(message: JsonObject): Promise<void>;
  /** Stops listening. */
  close(): Promise<void>;
}

/**
 * Starts listening, and reconnects after connection losses. Does nothing for an embedded database, which has only one
 * process.
 */
export function openProcessChannel(deps: ProcessChannelDeps, params: ProcessChannelParams): ProcessChannel {
  const { database, channel } = params;
  if (database.kind === 'embedded') return { notify: async () => {}, close: async () => {} };
  const senderId = createId();
  // The driver listens on a separate connection and reconnects by itself.
  const client = createServerClient(database.url, {
    max: 1,
    keep_alive: 10,
    connection: { application_name: 'switchboard listener' },
  });
  const receive = (text: string) => {
    const notification = parseJson(text);
    if (!isJsonObject(notification) || notification['sender'] === senderId || !isJsonObject(notification['message']))
      return;
    params.onMessage(notification['message']);
  };
  client.sql.listen(channel, receive).catch((error: unknown) => {
    deps.logger.warn({ err: error }, 'notifications of other processes cannot be received yet; polling instead');
  });
  return {
    async notify(message) {
      try {
        await deps.db.execute(sql`select pg_notify(${channel}, ${JSON.stringify({ sender: senderId, message })})`);
      } catch (error) {
        deps.logger.debug({ err: error }, 'other processes could not be notified; they poll');
      }
    },
    close: () => client.end(1000),
  };
}
