import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createUsageRecorder } from '../../src/core/accounts/index.ts';
import { createLimits } from '../../src/core/limits/index.ts';
import type { Database } from '../../src/database/connect.ts';
import { users } from '../../src/database/schema/index.ts';
import { toErrorFacts } from '../../src/http/server/errors/error-response.ts';
import { createLogger } from '../../src/lib/log/logger.ts';
import { createFakeClock } from '../support/machine/fake-clock.ts';
import { createUsageEntry } from '../support/samples/usage-entry.ts';
import { describeOnEveryDatabase, type TestDatabase } from '../support/stores/test-database.ts';
import { watchDatabase } from '../support/stores/watched-database.ts';

const logger = createLogger({ level: 'silent' });

describeOnEveryDatabase('batched statements of usage', (createDatabase) => {
  let database: TestDatabase;
  let db: Database;
  let userId: number;
  let statementCount: number;
  let gate: PromiseWithResolvers<void> | undefined;
  beforeAll(async () => {
    database = await createDatabase();
    db = watchDatabase(database.db, async (moment) => {
      if (moment === 'after') return;
      statementCount += 1;
      await gate?.promise;
    });
    const [person] = await database.db.insert(users).values({}).returning();
    userId = person?.id ?? 0;
  });
  afterAll(() => database.close());
  beforeEach(() => {
    statementCount = 0;
    gate = undefined;
  });
  const holdUp = () => {
    gate = Promise.withResolvers();
    return gate;
  };

  const entry = () => createUsageEntry(userId);

  /** A recorder whose first statement runs until `end`. */
  const startWriting = async () => {
    const clock = createFakeClock();
    const recorder = createUsageRecorder({ db, clock, logger });
    const { resolve } = holdUp();
    recorder.record(entry());
    await clock.advance(500);
    const end = () => {
      gate = undefined;
      resolve();
    };
    return { clock, recorder, end };
  };

  it('usage recorded during a statement waits for more of it', async () => {
    const { clock, recorder, end } = await startWriting();
    expect(statementCount).toBe(1);
    for (let count = 0; count < 30; count++) recorder.record(entry());
    end();
    await vi.waitFor(() => expect(recorder.waitingCount()).toBe(30));
    await clock.advance(400);
    const before = statementCount;
    expect(recorder.waitingCount()).toBe(30);
    await clock.advance(100);
    await vi.waitFor(() => expect(recorder.waitingCount()).toBe(0));
    expect(statementCount - before).toBe(1);
    await recorder.close();
  });

  it('usage waits at most half a second behind a slow statement', async () => {
    const { clock, recorder, end } = await startWriting();
    recorder.record(entry());
    await clock.advance(500);
    end();
    // Directly after it, without further delay.
    await vi.waitFor(() => expect(recorder.waitingCount()).toBe(0));
    await recorder.close();
  });

  it('usage is written at once when it fills a statement', async () => {
    const recorder = createUsageRecorder({ db, clock: createFakeClock(), logger }, { batchRows: 20 });
    for (let count = 0; count < 19; count++) recorder.record(entry());
    expect(statementCount).toBe(0);
    recorder.record(entry());
    await vi.waitFor(() => expect(recorder.waitingCount()).toBe(0));
    await recorder.close();
  });

  it('flush writes all recorded usage, also usage recorded during the flush', async () => {
    const recorder = createUsageRecorder({ db, clock: createFakeClock(), logger });
    const { resolve } = holdUp();
    recorder.record(entry());
    const first = recorder.flush();
    recorder.record(entry());
    const second = recorder.flush();
    resolve();
    await Promise.all([first, second]);
    expect(recorder.waitingCount()).toBe(0);
    await recorder.close();
  });

  describe('batched statements of limits', () => {
    const expected = { tokens: () => 10, moreTokens: 0, images: 0 };
    const plans = { free: { user: { tokensPerDay: 1000 } } };
    /** Stored budgets are read once a second: the first time before the statements are counted. */
    const open = async (clock = createFakeClock()) => {
      const limits = createLimits({ db, clock, logger, plans, findPlan: async () => 'free' });
      await limits.readQuotas({ userId: 100 });
      statementCount = 0;
      return limits;
    };

    it('requests that arrive together, or during a statement, are reserved in one statement', async () => {
      const limits = await open();
      const together = (count: number) =>
        Array.from({ length: count }, () => limits.reserve({ userId: 101 }, expected));
      const { resolve } = holdUp();
      const first = together(20);
      await vi.waitFor(() => expect(statementCount).toBe(1));
      const followers = together(40);
      gate = undefined;
      resolve();
      const made = await Promise.all([...first, ...followers]);
      expect(made.map(({ quotas }) => quotas?.tokens?.remaining)).toEqual(made.map((_, at) => 990 - 10 * at));
      expect(statementCount).toBe(2);
      await limits.close();
    });

    it('a settlement is written with the next reservation, or after 20 ms', async () => {
      const clock = createFakeClock();
      const limits = await open(clock);
      for (let count = 0; count < 10; count++) {
        (await limits.reserve({ userId: 102 }, expected)).settle({ tokens: 3, images: 0 });
      }
      expect(statementCount).toBe(10);
      await clock.advance(19);
      expect(statementCount).toBe(10);
      await clock.advance(1);
      await vi.waitFor(() => expect(statementCount).toBe(11));
      expect((await limits.readQuotas({ userId: 102 }))?.tokens?.remaining).toBe(970);
      await limits.close();
    });

    it('a reservation fails after 10 s without the database, and reserves nothing then', async () => {
      const clock = createFakeClock();
      const limits = await open(clock);
      const { resolve } = holdUp();
      const sent = limits.reserve({ userId: 103 }, expected);
      await vi.waitFor(() => expect(statementCount).toBe(1));
      const queued = limits.reserve({ userId: 103 }, expected);
      const failures = Promise.allSettled([sent, queued]);
      await clock.advance(10_000);
      for (const failure of await failures) {
        expect(failure).toMatchObject({ status: 'rejected', reason: { name: 'ReservationTimeoutError' } });
        if (failure.status === 'rejected') expect(toErrorFacts(failure.reason)).toMatchObject({ status: 503 });
      }
      gate = undefined;
      resolve();
      await vi.waitFor(async () => expect((await limits.readQuotas({ userId: 103 }))?.tokens?.remaining).toBe(1000));
      await limits.close();
    });
  });
});
