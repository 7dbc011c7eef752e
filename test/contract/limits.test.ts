import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createLimits,
  LimitExceededError,
  type Limits,
  type Plans,
  type Reservation,
} from '../../src/core/limits/index.ts';
import type { Database } from '../../src/database/connect.ts';
import { createLogger } from '../../src/lib/log/logger.ts';
import { createFakeClock, type FakeClock } from '../support/machine/fake-clock.ts';
import { describeOnEveryDatabase, type TestDatabase } from '../support/stores/test-database.ts';
import { createBusyDatabase, watchDatabase } from '../support/stores/watched-database.ts';

const logger = createLogger({ level: 'silent' });
const MORNING = Date.UTC(2026, 10, 21, 9);
const DAY_MS = 86_400_000;

/** A request whose number of output tokens is known. */
const ofTokens = (tokens: number) => ({ tokens: () => tokens, moreTokens: 0, images: 0 });
const ofPictures = (images: number) => ({ tokens: () => 0, moreTokens: 0, images });
const ANYTHING = ofTokens(1);

describeOnEveryDatabase('limits', (createDatabase) => {
  let database: TestDatabase;
  let users = 0;
  const opened: Limits[] = [];
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(async () => {
    await Promise.all(opened.map((limits) => limits.close()));
    await database.close();
  });

  /** The limits of one process; several processes share the database. */
  const open = (plans: Plans, clock: FakeClock = createFakeClock(MORNING), db: Database = database.db) => {
    const limits = createLimits({ db, clock, logger, plans, findPlan: async () => 'free' });
    opened.push(limits);
    return limits;
  };
  /** Returns a user without any usage. */
  const createUser = () => ({ userId: ++users });

  const tryAll = async (tries: readonly Promise<Reservation>[]) => {
    const settled = await Promise.allSettled(tries);
    const taken = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const refusals = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as LimitExceededError] : []));
    expect(refusals.every((refusal) => refusal instanceof LimitExceededError)).toBe(true);
    return { taken, refusals };
  };
  const refusalOf = async (work: Promise<Reservation>): Promise<LimitExceededError> => {
    const refusal = await work.then(
      () => undefined,
      (error: unknown) => error,
    );
    if (!(refusal instanceof LimitExceededError)) throw new Error(`not refused: ${String(refusal)}`);
    return refusal;
  };

  describe('many concurrent requests', () => {
    const askAtOnce = (plans: Plans, expected: Parameters<Limits['reserve']>[1]) => {
      const processes = [open(plans), open(plans), open(plans)];
      const person = createUser();
      return tryAll(Array.from({ length: 100 }, (_, at) => (processes[at % 3] as Limits).reserve(person, expected)));
    };

    it.each([
      ['requests', { requestsPerMinute: 10 }, ANYTHING],
      ['tokens', { tokensPerDay: 1000 }, ofTokens(100)],
      ['images', { imagesPerDay: 20 }, ofPictures(2)],
      ['requests in flight', { atOnce: 10 }, ANYTHING],
    ])('a quota of %s for ten requests admits exactly ten of a hundred', async (_, user, expected) => {
      const { taken, refusals } = await askAtOnce({ free: { user } }, expected);
      expect([taken.length, refusals.length]).toEqual([10, 90]);
    });

    it('all quotas hold when requests are limited by different ones', async () => {
      const plans: Plans = { free: { user: { requestsPerMinute: 8 }, key: { requestsPerMinute: 5 } } };
      const processes = [open(plans), open(plans)];
      const { userId } = createUser();
      const asks = Array.from({ length: 60 }, (_, at) =>
        (processes[at % 2] as Limits).reserve({ userId, keyId: userId * 100 + (at % 3) }, ANYTHING),
      );
      const { taken, refusals } = await tryAll(asks);
      expect(taken).toHaveLength(8);
      expect(new Set(refusals.map(({ scope }) => scope))).toContain('user');
    });

    it('processes that count the same users in different orders never deadlock', async () => {
      const plans: Plans = { free: { user: { requestsPerMinute: 1000 }, chat: { requestsPerMinute: 1000 } } };
      const processes = [open(plans), open(plans)];
      const sharedUsers = Array.from({ length: 10 }, createUser);
      const asks = Array.from({ length: 200 }, async (_, at) => {
        const ordered = at % 2 === 0 ? sharedUsers : sharedUsers.toReversed();
        const who = { ...(ordered[(at >> 1) % 10] as { userId: number }), chatId: -1 - (at % 7) };
        (await (processes[at % 2] as Limits).reserve(who, ANYTHING)).settle({ tokens: 1, images: 0 });
      });
      expect((await Promise.allSettled(asks)).filter(({ status }) => status === 'rejected')).toEqual([]);
    });
  });

  it('a request that one limit refuses uses nothing of the other limits', async () => {
    const limits = open({ free: { user: { requestsPerMinute: 5 }, key: { requestsPerMinute: 1 } } });
    const { userId } = createUser();
    await limits.reserve({ userId, keyId: 1 }, ANYTHING);
    for (let round = 0; round < 5; round++) {
      expect((await refusalOf(limits.reserve({ userId, keyId: 1 }, ANYTHING))).scope).toBe('key');
    }
    expect((await limits.readQuotas({ userId }))?.requests?.remaining).toBe(4);
  });

  it('a minute begins with its first request and ends after sixty seconds', async () => {
    const clock = createFakeClock(MORNING);
    const limits = open({ free: { user: { requestsPerMinute: 2 } } }, clock);
    const person = createUser();
    const first = await limits.reserve(person, ANYTHING);
    expect(first.quotas?.requests).toEqual({ limit: 2, remaining: 1, resetMs: 60_000 });
    await clock.advance(20_000);
    await limits.reserve(person, ANYTHING);
    await clock.advance(39_000);
    const refusal = await refusalOf(limits.reserve(person, ANYTHING));
    expect(refusal).toMatchObject({ kind: 'requests', limit: 2, retryAfterMs: 1000, isUsedUp: false });
    await clock.advance(1000);
    expect((await limits.reserve(person, ANYTHING)).quotas?.requests?.remaining).toBe(1);
  });

  it('a clock set back or forward by an hour locks no user out; clocks that differ a little count together', async () => {
    const plans = { free: { user: { requestsPerMinute: 1 } } };
    const person = createUser();
    const at = (ms: number) => open(plans, createFakeClock(MORNING + ms));
    const HOUR_MS = 3_600_000;
    await at(0).reserve(person, ANYTHING);
    expect(await refusalOf(at(-30_000).reserve(person, ANYTHING))).toMatchObject({ kind: 'requests' });
    expect((await at(-30_000).readQuotas(person))?.requests?.remaining).toBe(0);
    // Set back, as by a machine that got the right time only later.
    const back = at(-HOUR_MS);
    expect((await back.readQuotas(person))?.requests?.remaining).toBe(1);
    await back.reserve(person, ANYTHING);
    const refusal = await refusalOf(back.reserve(person, ANYTHING));
    expect(refusal.retryAfterMs).toBeLessThanOrEqual(60_000);
    // Set forward again.
    await at(HOUR_MS).reserve(person, ANYTHING);
  });

  it('a request that is running while the clock is set forward is counted once', async () => {
    const busy = createBusyDatabase(database.db);
    const clock = createFakeClock(MORNING, busy.waitForWork);
    const limits = open({ free: { user: { tokensPerDay: 1000 } } }, clock, busy.db);
    const person = createUser();
    const reservation = await limits.reserve(person, ofTokens(100));
    await clock.advance(3_600_000);
    reservation.settle({ tokens: 40, images: 0 });
    expect((await limits.readQuotas(person))?.tokens?.remaining).toBe(960);
  });

  it('the daily quota of every user is reset at midnight UTC', async () => {
    const busy = createBusyDatabase(database.db);
    const clock = createFakeClock(MORNING, busy.waitForWork);
    const limits = open({ free: { user: { tokensPerDay: 100, imagesPerDay: 1 } } }, clock, busy.db);
    const person = createUser();
    (await limits.reserve(person, ofTokens(60))).settle({ tokens: 100, images: 0 });
    (await limits.reserve(person, ofPictures(1))).settle({ tokens: 0, images: 1 });
    const midnightMs = 15 * 3_600_000;
    const refused = { isUsedUp: true, retryAfterMs: midnightMs };
    expect(await refusalOf(limits.reserve(person, ANYTHING))).toMatchObject({ kind: 'tokens', ...refused });
    expect(await refusalOf(limits.reserve(person, ofPictures(1)))).toMatchObject({ kind: 'images', ...refused });
    await clock.advance(midnightMs - 1);
    expect((await refusalOf(limits.reserve(person, ANYTHING))).retryAfterMs).toBe(1);
    await clock.advance(1);
    expect((await limits.readQuotas(person))?.tokens?.remaining).toBe(100);
    await limits.reserve(person, ofTokens(100));
  });

  it('an answer of unknown length reserves the remaining quota and returns the unused part', async () => {
    const limits = open({ free: { user: { tokensPerDay: 500 } } });
    const person = createUser();
    const question = { tokens: () => 20, moreTokens: 1024, images: 0 };
    const first = await limits.reserve(person, question);
    expect(first.quotas?.tokens?.remaining).toBe(0);
    // Only requests in flight block the user: they may leave some quota.
    expect(await refusalOf(limits.reserve(person, question))).toMatchObject({ kind: 'tokens', isUsedUp: false });
    first.settle({ tokens: 130, images: 0 });
    first.settle({ tokens: 130, images: 0 });
    const second = await limits.reserve(person, question);
    second.settle({ tokens: 9, images: 0 });
    expect((await limits.reserve(person, question)).quotas?.tokens?.limit).toBe(500);
  });

  it('an in-flight slot is free as soon as its request has ended', async () => {
    const limits = open({ free: { user: { atOnce: 1 } } });
    const person = createUser();
    for (let round = 0; round < 20; round++) {
      (await limits.reserve(person, ANYTHING)).settle({ tokens: 1, images: 0 });
    }
    await limits.reserve(person, ANYTHING);
    expect(await refusalOf(limits.reserve(person, ANYTHING))).toMatchObject({ kind: 'atOnce', retryAfterMs: 1000 });
  });

  it('a long request keeps its in-flight slot; a slot of a killed process is free after a minute', async () => {
    const busy = createBusyDatabase(database.db);
    const plans: Plans = { free: { user: { atOnce: 1, tokensPerDay: 100 } } };
    const clock = createFakeClock(MORNING, busy.waitForWork);
    const alive = open(plans, clock, busy.db);
    const person = createUser();
    const work = await alive.reserve(person, ofTokens(70));
    for (let minute = 0; minute < 10; minute++) await clock.advance(60_000);
    expect((await refusalOf(alive.reserve(person, ofTokens(1)))).kind).toBe('atOnce');
    work.settle({ tokens: 30, images: 0 });
    await clock.advance(20);

    const doomedClock = createFakeClock(clock.now());
    const doomed = open(plans, doomedClock);
    await expect
      .poll(() =>
        doomed.reserve(person, ofTokens(70)).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    // From here on the clock of that process stands still: it is dead.
    await clock.advance(59_000);
    expect((await refusalOf(alive.reserve(person, ofTokens(70)))).kind).toBe('atOnce');
    await clock.advance(1000);
    expect((await alive.reserve(person, ofTokens(70))).quotas?.tokens?.remaining).toBe(0);
  });

  it('settlements before the shutdown are written before the shutdown ends', async () => {
    const plans: Plans = { free: { user: { tokensPerDay: 1000 } } };
    const first = open(plans);
    const person = createUser();
    const works = await Promise.all(Array.from({ length: 30 }, () => first.reserve(person, ofTokens(5))));
    for (const work of works) work.settle({ tokens: 7, images: 0 });
    await first.close();
    expect((await open(plans).readQuotas(person))?.tokens).toMatchObject({ limit: 1000, remaining: 1000 - 210 });
  });

  it('settlements that the database did not accept are written when it is back', async () => {
    let isAway = false;
    const db = watchDatabase(database.db, async (moment) => {
      if (isAway && moment === 'before') throw new Error('the database is away');
    });
    const busy = createBusyDatabase(db);
    const clock = createFakeClock(MORNING, busy.waitForWork);
    const limits = open({ free: { user: { tokensPerDay: 1000 } } }, clock, busy.db);
    const person = createUser();
    const work = await limits.reserve(person, ofTokens(5));
    isAway = true;
    work.settle({ tokens: 400, images: 0 });
    await expect(limits.reserve(person, ofTokens(5))).rejects.toThrow('away');
    isAway = false;
    await clock.advance(2000);
    expect((await limits.readQuotas(person))?.tokens?.remaining).toBe(600);
  });

  it('users on another plan have other limits, and an unknown plan counts as the free one', async () => {
    const limits = open({ free: { user: { requestsPerMinute: 1 } }, trusted: { user: { requestsPerMinute: 3 } } });
    const { userId } = createUser();
    const ask = (plan: string) => limits.reserve({ userId, plan }, ANYTHING);
    expect((await ask('trusted')).quotas?.requests?.remaining).toBe(2);
    expect((await refusalOf(ask('free'))).limit).toBe(1);
    expect((await refusalOf(ask('no-such-plan'))).limit).toBe(1);
    expect((await ask('admin')).quotas).toBeUndefined();
    expect((await ask('universal')).quotas).toBeUndefined();
    expect(limits.planNames).toEqual(['free', 'trusted']);
  });

  it('unlimited requests query the database once a second, for budgets that are new', async () => {
    let statements = 0;
    const db = watchDatabase(database.db, async (moment) => {
      if (moment === 'before') statements++;
    });
    const findPlan = async () => {
      statements++;
      return 'free';
    };
    for (const plans of [{}, { free: {} }, { free: { user: {} } }] satisfies Plans[]) {
      const limits = createLimits({ db, clock: createFakeClock(MORNING), logger, plans, findPlan });
      (await limits.reserve(createUser(), ANYTHING)).settle({ tokens: 5, images: 0 });
      expect(await limits.readQuotas(createUser())).toBeUndefined();
      await limits.close();
    }
    const clock = createFakeClock(MORNING);
    const limits = createLimits({ db, clock, logger, findPlan, plans: { free: { key: { atOnce: 1 } } } });
    statements = 0;
    for (let count = 0; count < 100; count++) await limits.reserve({ ...createUser(), plan: 'free' }, ANYTHING);
    expect(statements).toBe(1);
    await clock.advance(1000);
    await limits.reserve({ ...createUser(), plan: 'free' }, ANYTHING);
    await limits.close();
    expect(statements).toBe(2);
  });

  it('counters of past days are deleted, those of today are kept', async () => {
    const busy = createBusyDatabase(database.db);
    const clock = createFakeClock(MORNING, busy.waitForWork);
    const limits = open({ free: { user: { tokensPerDay: 1000 } } }, clock, busy.db);
    const person = createUser();
    (await limits.reserve(person, ofTokens(5))).settle({ tokens: 5, images: 0 });
    const count = async () =>
      (await database.db.query.limitCounters.findMany()).filter(({ scope }) => scope === `user:${person.userId}`)
        .length;
    await clock.advance(3_600_000);
    expect(await count()).toBe(1);
    await clock.advance(2 * DAY_MS);
    expect(await count()).toBe(0);
  });
});
