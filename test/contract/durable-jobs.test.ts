import { eq, sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type DurableJob, DurableJobs, RetryLaterError, TooManyJobsError } from '../../src/core/jobs/index.ts';
import type { Database } from '../../src/database/connect.ts';
import { jobs, users } from '../../src/database/schema/index.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { createRecordingLogger } from '../support/harness/foundation.ts';
import { createFakeClock } from '../support/machine/fake-clock.ts';
import { describeOnEveryDatabase, type TestDatabase } from '../support/stores/test-database.ts';
import { watchDatabase } from '../support/stores/watched-database.ts';

const KIND = 'work';
const BOUNDS = { maxRunning: 3, maxPerUser: 5, maxOpen: 7, maxAttempts: 3, graceMs: 0 };
type Run = (job: DurableJob, signal: AbortSignal) => Promise<void>;
interface StartOptions {
  readonly run?: Run;
  readonly giveUp?: () => Promise<void>;
  readonly isOnlyProcess?: boolean;
  readonly maxRunning?: number;
  readonly clock?: Clock;
  readonly db?: Database;
}

describeOnEveryDatabase('durable jobs', (createDatabase) => {
  let database: TestDatabase;
  let ann: number;
  let bob: number;
  /** Keys of jobs in the order in which they were begun, with the process. */
  let begun: string[];
  let processes: DurableJobs[];
  beforeEach(async () => {
    database = await createDatabase();
    const added = await database.db.insert(users).values([{}, {}]).returning();
    [ann, bob] = added.map(({ id }) => id) as [number, number];
    begun = [];
    processes = [];
  });
  afterEach(async () => {
    for (const each of processes) await each.close();
    await database.close();
  });

  /** Starts a process. Its jobs last until they are aborted unless `run` says otherwise. */
  const start = (
    name: string,
    {
      run = untilAborted,
      giveUp = async () => {},
      isOnlyProcess = false,
      maxRunning = BOUNDS.maxRunning,
      clock = systemClock,
      db = database.db,
    }: StartOptions = {},
  ) => {
    const { logger } = createRecordingLogger();
    const started = new DurableJobs({ db, clock, logger }, { isOnlyProcess });
    processes.push(started);
    started.register(KIND, {
      ...BOUNDS,
      maxRunning,
      async run(job, signal) {
        begun.push(`${name} ${job.key} ${job.attempts}`);
        await run(job, signal);
      },
      async giveUp({ key }) {
        begun.push(`${name} gives up ${key}`);
        await giveUp();
      },
    });
    return started;
  };
  const add = (to: DurableJobs, key: string, userId = ann) =>
    to.add(KIND, { key, userId, payload: `about ${key}` }, async () => {});
  const untilAborted: Run = (_job, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const rowOf = async (key: string) => (await database.db.select().from(jobs).where(eq(jobs.key, key)))[0];
  /** Does what time does: lets a lease end, or a pause. */
  const passes = (key: string) => database.db.update(jobs).set({ dueAt: sql`now()` }).where(eq(jobs.key, key));
  const begins = (...expected: string[]) => vi.waitFor(() => expect(begun).toEqual(expected), { timeout: 20_000 });
  const ends = (key: string) => vi.waitFor(async () => expect(await rowOf(key)).toBeUndefined(), { timeout: 20_000 });

  it('run at once in the process that adds them, and leave nothing', async () => {
    const one = start('one', { run: async () => {} });
    expect(await add(one, 'a')).toBe('running');
    await ends('a');
    expect(begun).toEqual(['one a 1']);
  });

  it('are stored together with what belongs to them', async () => {
    const one = start('one');
    const failing = one.add(KIND, { key: 'a', userId: ann, payload: '' }, async () => {
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await rowOf('a')).toBeUndefined();
    expect(begun).toEqual([]);
  });

  it('wait for a free slot, in this process or another', async () => {
    const released = Promise.withResolvers<void>();
    const one = start('one', { run: () => released.promise });
    for (const key of ['a', 'b', 'c']) await add(one, key);
    await vi.waitFor(() => expect(begun).toHaveLength(3));
    expect(await add(one, 'd')).toBe('waiting');
    expect(await one.count()).toEqual({ [KIND]: 4 });
    expect(await rowOf('d')).toMatchObject({ holder: null, attempts: 0, payload: 'about d' });
    start('two', { run: async () => {} });
    await ends('d');
    expect(await add(one, 'e')).toBe('waiting');
    await ends('e');
    released.resolve();
    await Promise.all(['a', 'b', 'c'].map(ends));
    expect(await one.count()).toEqual({ [KIND]: 0 });
    expect(begun.toSorted()).toEqual(['one a 1', 'one b 1', 'one c 1', 'two d 1', 'two e 1']);
  });

  it('that find no free slot while others are looked for begin right after that', async () => {
    const [looked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let lookups = 0;
    const db = watchDatabase(database.db, async (moment) => {
      // After it is registered, the jobs of a kind are looked for twice.
      if (moment === 'before' || ++lookups !== 2) return;
      looked.resolve();
      await answer.promise;
    });
    const one = start('one', { run: async () => {}, maxRunning: 1, clock: createFakeClock(), db });
    await looked.promise;
    expect(await add(one, 'a')).toBe('waiting');
    answer.resolve();
    await begins('one a 1');
  });

  it('that wait for the slot of one that is not added begin right after that', async () => {
    const [stored, loss] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let isLost = false;
    const db = watchDatabase(database.db, async (moment, isInTransaction) => {
      if (!isLost || moment === 'before' || isInTransaction) return;
      isLost = false;
      stored.resolve();
      await loss.promise;
      throw new Error('the connection is lost');
    });
    const clock = createFakeClock();
    const one = start('one', { run: async () => {}, maxRunning: 1, clock, db });
    await vi.waitFor(() => expect(clock.pending).toBe(1));
    isLost = true;
    const lost = expect(add(one, 'a')).rejects.toThrow('the connection is lost');
    await stored.promise;
    expect(await add(one, 'b')).toBe('waiting');
    loss.resolve();
    await lost;
    await begins('one b 1');
  });

  it('of one user, and of all, have a limit over all processes', async () => {
    const [one, two] = [start('one'), start('two')];
    const results = await Promise.allSettled(
      Array.from({ length: 12 }, (_, at) => add(at % 2 === 0 ? one : two, `a${at}`)),
    );
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused).toHaveLength(7);
    expect(refused[0]?.reason).toBeInstanceOf(TooManyJobsError);
    expect(await add(one, 'b', bob)).toMatch(/running|waiting/);
    expect(await add(one, 'c', bob)).toMatch(/running|waiting/);
    await expect(add(one, 'd', bob)).rejects.toThrow(TooManyJobsError);
  });

  it('of a dead process are taken over when their lease ends, by one of the others', async () => {
    const [key, payload] = ['left', '{}'];
    const left = { kind: KIND, key, payload, userId: ann, holder: 'dead', attempts: 1 };
    await database.db.insert(jobs).values({ ...left, dueAt: sql`now() + interval '1 hour'` });
    for (const name of ['one', 'two', 'three']) start(name, { run: async () => {} });
    await add(processes[0] as DurableJobs, 'other');
    await ends('other');
    expect(begun).toEqual(['one other 1']);
    await passes('left');
    await ends('left');
    expect(begun).toEqual(['one other 1', expect.stringMatching(/^\w+ left 2$/)]);
  });

  it('are taken over at once by the only process', async () => {
    const left = { kind: KIND, key: 'left', payload: '{}', userId: ann, holder: 'dead', attempts: 1 };
    await database.db.insert(jobs).values({ ...left, dueAt: sql`now() + interval '1 hour'` });
    const one = start('one', { isOnlyProcess: true });
    await add(one, 'own');
    await vi.waitFor(() => expect(begun.toSorted()).toEqual(['one left 2', 'one own 1']));
  });

  it('that fail are tried again after a pause, and given up after the last attempt', async () => {
    const one = start('one', { run: () => Promise.reject(new Error('broken')) });
    await add(one, 'a');
    await vi.waitFor(async () => expect((await rowOf('a'))?.holder).toBeNull());
    expect((await rowOf('a'))?.dueAt.getTime()).toBeGreaterThan(Date.now());
    await passes('a');
    await begins('one a 1', 'one a 2');
    await vi.waitFor(async () => expect((await rowOf('a'))?.holder).toBeNull());
    await passes('a');
    await begins('one a 1', 'one a 2', 'one a 3', 'one gives up a');
    await ends('a');
  });

  it('that are done are not run again when their end can not be stored at once', async () => {
    let failures = 3;
    const db = new Proxy(database.db, {
      get(target, name) {
        if (name === 'delete' && failures-- > 0) throw new Error('the connection is lost');
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const one = start('one', { run: async () => {}, db });
    await add(one, 'a');
    await ends('a');
    expect(begun).toEqual(['one a 1']);
  });

  it('that can not begin yet are tried again after the pause they ask for, and the attempt does not count', async () => {
    const one = start('one', {
      run: () => Promise.reject(begun.length < 3 ? new RetryLaterError(60_000) : new Error('broken')),
    });
    await add(one, 'a');
    for (const time of [1, 2]) {
      await begins(...Array.from({ length: time }, () => 'one a 1'));
      await vi.waitFor(async () => expect(await rowOf('a')).toMatchObject({ holder: null, attempts: 0 }));
      expect((await rowOf('a'))?.dueAt.getTime()).toBeGreaterThan(Date.now() + 30_000);
      await passes('a');
    }
    await vi.waitFor(async () => expect(await rowOf('a')).toMatchObject({ holder: null, attempts: 1 }), 20_000);
  }, 30_000);

  it('whose processes die each time are given up as well', async () => {
    const left = { kind: KIND, key: 'left', payload: '{}', userId: ann, holder: 'dead', attempts: 3 };
    await database.db.insert(jobs).values(left);
    start('one');
    await begins('one gives up left');
    await ends('left');
  });

  it('that can not be given up now are given up later, after longer and longer pauses', async () => {
    for (const [key, attempts, pauseMs] of [
      ['early', 3, 5000],
      ['late', 5000, 10 * 60_000],
    ] as const) {
      const left = { kind: KIND, key, payload: '', userId: ann, holder: 'dead', attempts };
      await database.db.insert(jobs).values(left);
      const one = start('one', { giveUp: () => Promise.reject(new Error('broken')) });
      const released = { holder: null, attempts: attempts + 1 };
      await vi.waitFor(async () => expect(await rowOf(key)).toMatchObject(released), { timeout: 20_000 });
      const waitMs = ((await rowOf(key))?.dueAt.getTime() ?? 0) - Date.now();
      expect(waitMs).toBeGreaterThan(pauseMs - 5 * 60_000);
      expect(waitMs).toBeLessThanOrEqual(pauseMs);
      await one.close();
    }
  });

  it('of a process that stops are left to another one, and the attempt does not count', async () => {
    const one = start('one');
    await add(one, 'a');
    await one.close();
    expect(await rowOf('a')).toMatchObject({ holder: null, attempts: 0 });
    expect(await add(one, 'b')).toBe('waiting');
    start('two', { run: async () => {} });
    await Promise.all(['a', 'b'].map(ends));
    expect(begun.toSorted()).toEqual(['one a 1', 'two a 1', 'two b 1']);
  });

  it('that are added while their process stops are left to another one', async () => {
    const one = start('one');
    const [written, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const adding = one.add(KIND, { key: 'a', userId: ann, payload: '' }, async () => {
      written.resolve();
      await closed.promise;
    });
    await written.promise;
    // On the embedded database no other statement ends before the transaction does.
    await one.close();
    closed.resolve();
    expect(await adding).toBe('waiting');
    expect(await rowOf('a')).toMatchObject({ holder: null, attempts: 0 });
    expect(begun).toEqual([]);
  });

  it('end soon when they are cancelled, also by another process', async () => {
    const aborted: string[] = [];
    const run: Run = ({ key }, signal) => untilAborted({} as DurableJob, signal).catch(() => void aborted.push(key));
    const [one, two] = [start('one', { run }), start('two', { run })];
    for (const key of ['a', 'b']) await add(one, key);
    await one.cancel(KIND, 'a');
    expect(await rowOf('a')).toBeUndefined();
    await vi.waitFor(() => expect(aborted).toEqual(['a']));
    await two.cancel(KIND, 'unknown');
    expect(await rowOf('b')).toMatchObject({ attempts: 1 });
    await two.cancel(KIND, 'b');
    expect(await rowOf('b')).toBeUndefined();
    await vi.waitFor(() => expect(aborted).toEqual(['a', 'b']), { timeout: 20_000 });
    expect(begun).toEqual(['one a 1', 'one b 1']);
  });

  it('of a process that has lost them do not change the row of the next one', async () => {
    const released = Promise.withResolvers<void>();
    const one = start('one', { run: () => released.promise });
    await add(one, 'a');
    const id = (await rowOf('a'))?.id ?? 0;
    expect(await one.renew({ id })).toBe(true);
    await passes('a');
    const two = start('two');
    await begins('one a 1', 'two a 2');
    expect(await one.renew({ id })).toBe(false);
    expect(await two.renew({ id })).toBe(true);
    const held = await rowOf('a');
    released.resolve();
    await one.close();
    expect((await rowOf('a'))?.holder).toBe(held?.holder);
  });
});
