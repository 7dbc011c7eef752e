import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createEmbeddedTestDatabase, type TestDatabase } from '../support/stores/test-database.ts';

const HOUR_MS = 3_600_000;
const ROWS = 2000;

let database: TestDatabase;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  database = await createEmbeddedTestDatabase({ isNew: true });
});
afterEach(async () => {
  vi.useRealTimers();
  await database.close();
});

const sizeBytes = async () => {
  const [row] = await database.db
    .select({ bytes: sql`pg_relation_size('updates')`.mapWith(Number) })
    .from(sql`(select 1) as one`);
  return row?.bytes ?? 0;
};
const fill = (from: number) =>
  database.db.execute(sql`insert into updates (bot_id, update_id, chat_queue, payload)
    select 1, ${from}::integer + n, 1, jsonb_build_object('text', repeat('x', 500)) from generate_series(1, ${ROWS}::integer) n`);
const empty = () => database.db.execute(sql`delete from updates`);

it('the embedded database reuses the space of deleted rows: its files do not grow without bound', async () => {
  await fill(0);
  const full = await sizeBytes();
  await empty();
  expect(await sizeBytes()).toBe(full);
  await vi.advanceTimersByTimeAsync(60_000);
  await expect.poll(sizeBytes).toBe(0);

  // It runs again every hour.
  for (let round = 1; round <= 3; round++) {
    await fill(round * ROWS);
    expect(await sizeBytes()).toBeLessThanOrEqual(full);
    await empty();
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    await expect.poll(sizeBytes).toBe(0);
  }
});

it('the database closes during a vacuum', async () => {
  await fill(0);
  await empty();
  vi.advanceTimersByTime(60_000);
  await database.release();
});
