import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createInbox, type Inbox } from '../../src/core/inbox/index.ts';
import { type DatabaseConnection, openDatabase } from '../../src/database/connect.ts';
import { chatQueueOwners, updateWorkers } from '../../src/database/schema/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log/logger.ts';
import { type SeverableProxy, startSeverableProxy } from '../support/stores/severable-proxy.ts';
import { createServerTestDatabase, findServerUrl, type TestDatabase } from '../support/stores/test-database.ts';
import { watchDatabase } from '../support/stores/watched-database.ts';

const serverUrl = findServerUrl();
const BOT_ID = 4242;
const CHAT_QUEUE = 7;

describe.skipIf(!serverUrl)('a takeover of a chat whose confirmation by the database is lost', () => {
  let database: TestDatabase;
  let proxy: SeverableProxy;
  let connection: DatabaseConnection;
  let inbox: Inbox;
  const handled: string[] = [];
  /** Number of transactions and statements in them that the process has got answers to. */
  let answerCount = 0;
  beforeEach(async () => {
    database = await createServerTestDatabase(serverUrl ?? '');
    const url = new URL(database.config.kind === 'postgres' ? database.config.url : '');
    proxy = await startSeverableProxy({ host: url.hostname, port: Number(url.port || 5432) });
    url.host = `127.0.0.1:${proxy.port}`;
    connection = await openDatabase({ kind: 'postgres', url: url.href });
    inbox = createInbox(
      {
        clock: systemClock,
        logger: createLogger({ level: 'silent' }),
        db: watchDatabase(connection.db, async (moment, isInTransaction) => {
          if (moment === 'after' && isInTransaction) answerCount += 1;
        }),
      },
      {
        botId: BOT_ID,
        isOnlyProcess: false,
        handle: async (payload) => void handled.push(String(payload)),
        onTakenOver: async (chatQueue) => void handled.push(`recovery of ${chatQueue}`),
        listBusyChatQueues: () => new Set(),
        pollMs: 50,
      },
    );
    handled.length = 0;
    answerCount = 0;
  });
  afterEach(async () => {
    await inbox?.drain(100);
    await inbox?.close();
    await connection?.close();
    await proxy?.close();
    await database?.close();
  });

  /** Returns whether a statement that ends like this waits for a lock. Others do, too, such as the sweep. */
  const waitsForLock = async (end: string) => {
    const isWaiting = sql`datname = current_database() and wait_event_type = 'Lock' and query like ${`%${end}`}`;
    const waiting = await database.db.select({ pid: sql`pid` }).from(sql`pg_stat_activity`).where(isWaiting);
    return waiting.length > 0;
  };

  it('recovers the chat although the first attempt commits after the second one has begun', async () => {
    await database.db.insert(updateWorkers).values({ id: 'dead', aliveUntil: new Date(0) });
    await database.db.insert(chatQueueOwners).values({ botId: BOT_ID, chatQueue: CHAT_QUEUE, workerId: 'dead' });
    // Commits of owners take as long as this test holds the lock.
    await database.db.execute(sql`
      create function wait_for_test() returns trigger language plpgsql as $$
      begin
        perform pg_advisory_xact_lock_shared(1);
        return null;
      end $$`);
    await database.db.execute(sql`
      create constraint trigger slow_commit after update on ${chatQueueOwners} deferrable initially deferred
      for each row execute function wait_for_test()`);
    await database.db.transaction(async (tx) => {
      await tx.execute(sql`select pg_advisory_xact_lock(1)`);
      await inbox.start();
      await inbox.accept([{ id: 1, chatQueue: CHAT_QUEUE, payload: 'an update' }]);
      await expect.poll(() => waitsForLock('commit')).toBe(true);
      const answersBefore = answerCount;
      await proxy.sever();
      await proxy.mend();
      await expect.poll(async () => answerCount > answersBefore || (await waitsForLock('for update'))).toBe(true);
    });
    await expect.poll(() => handled).toEqual([`recovery of ${CHAT_QUEUE}`, 'an update']);
  });
});
