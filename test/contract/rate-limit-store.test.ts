import { beforeEach, describe, expect, it } from 'vitest';
import {
  createDatabaseRateLimitStore,
  createMemoryRateLimitStore,
  type RateLimitBudget,
  type RateLimitRoute,
  type RateLimitStore,
} from '../../src/core/storage/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { describeOnEveryDatabase } from '../support/stores/test-database.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const HOUR = 3_600_000;

/** Long windows: nothing becomes free again while a test runs. */
function describeRateLimitStore(open: () => Promise<{ stores: readonly RateLimitStore[]; close(): Promise<void> }>) {
  let test = 0;
  const opened = startBeforeAll(() => open());
  beforeEach(() => {
    test++;
  });
  const keyOf = (name: string) => `${test} ${name}`;
  const budget = (name: string, count: number, gapMs = 0): RateLimitBudget => ({
    key: keyOf(name),
    count,
    perMs: HOUR,
    gapMs,
  });
  const route = (...budgets: RateLimitRoute['budgets']): RateLimitRoute => ({ budgets });
  const store = () => opened.stores[0] ?? expect.fail('there is one');

  it('grants as many permits as the budget has under concurrent requests', async () => {
    const turns = await Promise.all(
      Array.from({ length: 30 }, (_, at) =>
        (opened.stores[at % opened.stores.length] ?? store()).acquire([route(budget('one', 20))]),
      ),
    );
    expect(turns.filter(({ kind }) => kind === 'go')).toHaveLength(20);
    for (const turn of turns) if (turn.kind === 'wait') expect(turn.waitMs).toBeGreaterThan(HOUR - 60_000);
  });

  it('serves its queues in turn', async () => {
    const chatQueues = ['a', 'b', 'c'].map((key) => route(budget(key, 20)));
    const taken = [];
    for (let count = 0; count < 6; count++) taken.push(await store().acquire(chatQueues));
    expect(taken.map((turn) => (turn.kind === 'go' ? turn.route : -1))).toEqual([0, 1, 2, 0, 1, 2]);
  });

  it('counts a permit in every budget of its queue', async () => {
    const shared = budget('all', 3);
    const chatQueues = ['a', 'b'].map((key) => route(budget(key, 2), shared));
    const taken = [];
    for (let count = 0; count < 4; count++) taken.push((await store().acquire(chatQueues)).kind);
    expect(taken).toEqual(['go', 'go', 'go', 'wait']);
  });

  it('keeps the interval between two permits', async () => {
    const one = [route(budget('one', 20, 60_000))];
    expect((await store().acquire(one)).kind).toBe('go');
    const turn = await store().acquire(one);
    expect(turn.kind === 'wait' && turn.waitMs > 50_000 && turn.waitMs <= 60_000).toBe(true);
  });

  it('freezes for all processes and has a smaller budget afterwards', async () => {
    await store().slowDown(keyOf('one'), 60_000);
    const turn = await (opened.stores.at(-1) ?? store()).acquire([route(budget('one', 20))]);
    expect(turn.kind === 'wait' && turn.waitMs > 50_000 && turn.waitMs <= 60_000).toBe(true);
    await store().slowDown(keyOf('two'), 0);
    const turns = [];
    for (let count = 0; count < 12; count++) turns.push((await store().acquire([route(budget('two', 20))])).kind);
    expect(turns.filter((kind) => kind === 'go')).toHaveLength(10);
  });
}

describe('pace store (memory)', () =>
  describeRateLimitStore(async () => ({
    stores: [createMemoryRateLimitStore({ clock: systemClock })],
    close: async () => {},
  })));

describeOnEveryDatabase('pace store', (createDatabase) =>
  describeRateLimitStore(async () => {
    const database = await createDatabase();
    const stores = [1, 2, 3].map(() => createDatabaseRateLimitStore({ db: database.db }));
    return { stores, close: () => database.close() };
  }),
);
