import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { createUsageRecorder } from '../../src/core/accounts/index.ts';
import { createLimits } from '../../src/core/limits/index.ts';
import type { Database } from '../../src/database/connect.ts';
import { people } from '../../src/database/schema/index.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { describeOnEveryDatabase, type TestDatabase } from '../support/test-database.ts';
import { createUsageEntry } from '../support/usage-entry.ts';
import { watchDatabase } from '../support/watched-database.ts';

const logger = createLogger({ level: 'silent' });

describeOnEveryDatabase('what is written down behind the answers', (createDatabase) => {
  let database: TestDatabase;
  let db: Database;
  let personId: number;
  let statementCount: number;
  let gate: PromiseWithResolvers<void> | undefined;
  beforeAll(async () => {
    database = await createDatabase();
    db = watchDatabase(database.db, async (moment) => {
      if (moment === 'after') return;
      statementCount += 1;
      await gate?.promise;
    });
    const [person] = await database.db.insert(people).values({}).returning();
    personId = person?.id ?? 0;
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

  const entry = () => createUsageEntry(personId);

  /** A recorder whose first statement goes on until `end`. */
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

  it('usage that comes while other is written waits for more of it', async () => {
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

  it('usage waits for half a second at most behind a statement that takes long', async () => {
    const { clock, recorder, end } = await startWriting();
    recorder.record(entry());
    await clock.advance(500);
    end();
    // Right behind it, without any further time.
    await vi.waitFor(() => expect(recorder.waitingCount()).toBe(0));
    await recorder.close();
  });

  it('usage is written at once where there is enough for a statement', async () => {
    const recorder = createUsageRecorder({ db, clock: createFakeClock(), logger }, { batchRows: 20 });
    for (let count = 0; count < 19; count++) recorder.record(entry());
    expect(statementCount).toBe(0);
    recorder.record(entry());
    await vi.waitFor(() => expect(recorder.waitingCount()).toBe(0));
    await recorder.close();
  });

  it('all that was recorded is written by a flush, also what comes while it is written', async () => {
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

  it('room to spare is asked for ahead among many, and not for one alone', async () => {
    const plans = { free: { person: { tokensPerDay: 1_000_000 } } };
    const limits = createLimits({ db, clock: createFakeClock(), logger, plans, findPlan: async () => 'free' });
    const expected = { tokens: () => 10, moreTokens: 0, pictures: 0 };
    const alone = () => limits.reserve({ personId: 100 }, expected);
    // For itself, and then for itself and eight more.
    for (let count = 0; count < 10; count++) (await alone()).settle({ tokens: 3, pictures: 0 });
    expect(statementCount).toBe(2);
    await alone();
    expect(statementCount).toBe(3);

    statementCount = 0;
    const together = (count: number) =>
      Promise.all(Array.from({ length: count }, () => limits.reserve({ personId: 101 }, expected)));
    // For themselves, and for four times as many.
    await together(8);
    await together(8);
    expect(statementCount).toBe(1);
    // Half of that.
    await together(8);
    await vi.waitFor(() => expect(statementCount).toBe(2));
    await together(8);
    expect(statementCount).toBe(2);
    await limits.close();
  });

  it('who comes while a crowd is being counted needs no statement of his own', async () => {
    const plans = { free: { person: { tokensPerDay: 1_000_000 } } };
    const limits = createLimits({ db, clock: createFakeClock(), logger, plans, findPlan: async () => 'free' });
    const together = (count: number) =>
      Array.from({ length: count }, () =>
        limits.reserve({ personId: 102 }, { tokens: () => 10, moreTokens: 0, pictures: 0 }),
      );
    const { resolve } = holdUp();
    const first = together(20);
    await vi.waitFor(() => expect(statementCount).toBe(1));
    const followers = together(60);
    gate = undefined;
    resolve();
    expect(
      new Set((await Promise.all([...first, ...followers])).map(({ standing }) => standing?.tokens?.remaining)).size,
    ).toBe(80);
    expect(statementCount).toBe(1);
    await limits.close();
  });

  it('ends of work that come while others are counted wait for more of them', async () => {
    const clock = createFakeClock();
    const plans = { free: { person: { tokensPerDay: 1000 } } };
    const limits = createLimits({ db, clock, logger, plans, findPlan: async () => 'free' });
    const expected = { tokens: () => 10, moreTokens: 0, pictures: 0 };
    const works = await Promise.all(
      Array.from({ length: 8 }, (_, at) => limits.reserve({ personId: at + 1 }, expected)),
    );
    statementCount = 0;
    const { resolve } = holdUp();
    works[0]?.settle({ tokens: 3, pictures: 0 });
    await clock.advance(250);
    expect(statementCount).toBe(1);
    for (const work of works.slice(1)) work.settle({ tokens: 3, pictures: 0 });
    gate = undefined;
    resolve();
    await clock.advance(10);
    expect(statementCount).toBe(1);
    await clock.advance(250);
    await vi.waitFor(() => expect(statementCount).toBe(2));
    expect((await limits.look({ personId: 8 }))?.tokens?.remaining).toBe(997);
    await limits.close();
  });
});
