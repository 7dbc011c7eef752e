import { eq, inArray } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createUsageRecorder, type UsageRecorder } from '../../src/core/accounts/index.ts';
import { usage, users } from '../../src/database/schema/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log/logger.ts';
import { createRecordingLogger } from '../support/harness/foundation.ts';
import { createFakeClock } from '../support/machine/fake-clock.ts';
import { createUsageEntry } from '../support/samples/usage-entry.ts';
import { describeOnEveryDatabase, type TestDatabase } from '../support/stores/test-database.ts';
import { watchDatabase } from '../support/stores/watched-database.ts';

describeOnEveryDatabase('usage recorder', (createDatabase) => {
  let database: TestDatabase;
  let recorder: UsageRecorder;
  let userId: number;
  beforeAll(async () => {
    database = await createDatabase();
    recorder = createUsageRecorder({ db: database.db, clock: systemClock, logger: createLogger({ level: 'silent' }) });
    const [person] = await database.db.insert(users).values({}).returning();
    userId = person?.id ?? 0;
  });
  afterAll(async () => {
    await recorder.close();
    await database.close();
  });

  const entry = () => createUsageEntry(userId, { replyId: 'chatcmpl-1', promptTokens: 5, completionTokens: 7 });

  it('writes the recorded usage', async () => {
    recorder.record(entry());
    await recorder.flush();
    const { keyId, ...rest } = entry();
    const unreported = { cachedTokens: null, reasoningTokens: null, audioSeconds: null, characters: null };
    expect(await database.db.select().from(usage)).toMatchObject([
      { ...rest, ...unreported, keyId: null, chatId: null, costUsd: null },
    ]);
  });

  it('writes the parts of the tokens, audio, characters, the chat and the cost to nine decimals', async () => {
    const details = {
      replyId: 'detailed',
      chatId: -1_001_234_567_890,
      ...{ cachedTokens: 0, cacheWriteTokens: 2, reasoningTokens: 3, audioInputTokens: 4, audioOutputTokens: 5 },
      ...{ audioSeconds: 12.5, characters: 4096, costUsd: 999_999.999_999_999 },
    };
    recorder.record({ ...entry(), ...details });
    await recorder.flush();
    const rows = await database.db.select().from(usage).where(eq(usage.replyId, 'detailed'));
    expect(rows).toMatchObject([details]);
  });

  it.each([
    ['numbers beyond all bounds', { promptTokens: 1e300, completionTokens: 3_000_000_000 }],
    ['invalid numbers', { promptTokens: -5, completionTokens: Number.NaN, durationMs: 1.5 }],
    ['invalid measures', { audioSeconds: Number.NaN, characters: 1e300, cachedTokens: -1, costUsd: 1e308 }],
    ['text that Postgres refuses', { replyId: 'a\u0000b', model: 'c\u0000d', finishReason: 'e\u0000f\ud800' }],
    ['text without end', { replyId: 'x'.repeat(1_000_000), model: 'y'.repeat(1_000_000) }],
  ])('continues after %s', async (_what, odd) => {
    const before = (await database.db.select().from(usage)).length;
    recorder.record({ ...entry(), ...odd });
    recorder.record(entry());
    await recorder.flush();
    expect(await database.db.select().from(usage)).toHaveLength(before + 2);
  });

  it('holds a bounded number of records while the database does not answer, and logs this once', async () => {
    const { logger, lines } = createRecordingLogger();
    const silent = watchDatabase(database.db, () => new Promise(() => {}));
    const stuck = createUsageRecorder({ db: silent, clock: createFakeClock(), logger });
    stuck.record(entry());
    void stuck.flush();
    for (let count = 0; count < 50_100; count += 1) stuck.record(entry());
    expect(stuck.waitingCount()).toBe(50_000);
    expect(lines.filter((line) => line.includes('dropped'))).toHaveLength(1);
  });

  it('continues when a user is deleted before the request ends', async () => {
    recorder.record({ ...entry(), replyId: 'gone', userId: 1_000_000 });
    recorder.record({ ...entry(), replyId: 'there' });
    await recorder.flush();
    const rows = await database.db
      .select()
      .from(usage)
      .where(inArray(usage.replyId, ['gone', 'there']));
    expect(rows).toMatchObject([{ replyId: 'there' }]);
    expect(recorder.waitingCount()).toBe(0);
  });

  it('writes no usage of users who are deleted before or during the write', async () => {
    const [leaver] = await database.db.insert(users).values({}).returning();
    const userId = leaver?.id ?? 0;
    const theirs = () => database.db.select().from(usage).where(eq(usage.userId, userId));
    recorder.record({ ...entry(), userId });
    await recorder.flush();
    expect(await theirs()).toHaveLength(1);
    for (let count = 0; count < 50; count += 1) recorder.record({ ...entry(), userId });
    await Promise.all([recorder.flush(), database.db.delete(users).where(eq(users.id, userId))]);
    expect(await theirs()).toEqual([]);
    expect(recorder.waitingCount()).toBe(0);
  });

  it('writes the usage of several recorders', async () => {
    const options = { db: database.db, clock: systemClock, logger: createLogger({ level: 'silent' }) };
    const recorders = [createUsageRecorder(options), createUsageRecorder(options)];
    for (let count = 0; count < 1100; count += 1)
      for (const one of recorders) one.record({ ...entry(), replyId: 'two' });
    await Promise.all(recorders.map((one) => one.close()));
    expect(await database.db.select().from(usage).where(eq(usage.replyId, 'two'))).toHaveLength(2200);
  });
});
