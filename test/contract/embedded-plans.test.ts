import { sql } from 'drizzle-orm';
import { expect, onTestFinished, test } from 'vitest';
import { createConversations } from '../../src/core/conversations/index.ts';
import { createTaskLedger, toTaskLimits } from '../../src/core/tasks/index.ts';
import { users } from '../../src/database/schema/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createEmbeddedTestDatabase } from '../support/stores/test-database.ts';

test('the embedded database checks foreign keys by index after a small table has grown', async () => {
  const database = await createEmbeddedTestDatabase({ isNew: true });
  onTestFinished(() => database.close());
  const { db } = database;
  const [user] = await db.insert(users).values({}).returning();
  const chatTopic = { chatId: 1, topicId: undefined };
  const { id } = await createConversations({ db }).currentConversation(chatTopic, user?.id ?? 0);
  const insert = (count: number) =>
    db.execute(
      sql`insert into messages (conversation_id, role, content) select ${id}, 'user', 'x' from generate_series(1, ${count}::int)`,
    );
  const link = (from: number) => db.execute(sql`update messages set parent_id = id - 1 where id > ${from}::int`);
  const countRowsOfScans = async () => {
    await db.execute(sql`select pg_stat_force_next_flush()`);
    const table = sql`pg_stat_user_tables where relname = 'messages'`;
    const [row] = await db.select({ rows: sql`seq_tup_read`.mapWith(Number) }).from(table);
    return row?.rows;
  };
  await insert(3);
  await db.execute(sql`vacuum messages`);
  // After some checks, the plan is kept.
  for (let round = 0; round < 10; round += 1) {
    await link(1);
    await db.execute(sql`update messages set parent_id = null`);
  }
  const before = await countRowsOfScans();
  await insert(300);
  await link(3);
  expect(await countRowsOfScans()).toBe(before);
});

test('the scheduler of tasks does not read runs that have ended', async () => {
  const database = await createEmbeddedTestDatabase({ isNew: true });
  onTestFinished(() => database.close());
  const { db } = database;
  await db.insert(users).values({ telegramId: 1 });
  await db.execute(sql`
    insert into tasks (user_id, kind, prompt, rule, starts_at, time_zone, next_due_at)
    select id, 'question', 'x', 'FREQ=DAILY', '2026-01-01T08:00', 'UTC', now() + number * interval '1 hour'
    from users, generate_series(1, 100) number`);
  await db.execute(sql`
    insert into task_runs (task_id, due_at, state, created_at, ended_at)
    select id, now() - number * interval '1 day', 'done', now(), now() from tasks, generate_series(1, 50) number`);
  await db.execute(sql`analyze`);
  const ledger = createTaskLedger({ db, clock: systemClock, readLimits: async () => toTaskLimits() });
  const countRowsRead = async () => {
    await db.execute(sql`select pg_stat_force_next_flush()`);
    const rows = sql`seq_tup_read + idx_tup_fetch`.mapWith(Number);
    const [row] = await db.select({ rows }).from(sql`pg_stat_user_tables where relname = 'task_runs'`);
    return row?.rows ?? 0;
  };
  const before = await countRowsRead();
  // After some calls, the plan is kept.
  for (let round = 0; round < 10; round += 1) {
    await ledger.endSettledRuns();
    await ledger.addDueRuns();
    await ledger.claimRuns();
    await ledger.findNextDue();
  }
  expect((await countRowsRead()) - before).toBeLessThan(1000);
});
