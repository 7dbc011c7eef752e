import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Budgets, createBudgets } from '../../src/core/limits/index.ts';
import { MAX_DOLLARS } from '../../src/lib/dollars.ts';
import { createFakeClock } from '../support/machine/fake-clock.ts';
import { describeOnEveryDatabase, type TestDatabase } from '../support/stores/test-database.ts';

describeOnEveryDatabase('stored budgets', (createDatabase) => {
  let database: TestDatabase;
  let budgets: Budgets;
  let keys = 0;
  beforeAll(async () => {
    database = await createDatabase();
    budgets = createBudgets({ db: database.db, clock: createFakeClock() });
  });
  afterAll(() => database.close());
  const makeScope = () => `key:${++keys}`;

  it('are empty until they are set, and change field by field', async () => {
    const scope = makeScope();
    expect(await budgets.readBudget(scope)).toEqual({});
    expect(await budgets.setBudget(scope, { usdPerDay: 0.000000001, usdPerMonth: 5 })).toEqual({
      usdPerDay: 0.000000001,
      usdPerMonth: 5,
    });
    await budgets.setBudget(scope, { usdPerDay: null, usdTotal: 0 });
    expect(await budgets.readBudget(scope)).toEqual({ usdPerMonth: 5, usdTotal: 0 });
    expect(await budgets.readBudget(makeScope())).toEqual({});
  });

  it.each([-1, -0.000000001, Number.NaN, Number.POSITIVE_INFINITY, 1e308])('refuse %s dollars', async (usdTotal) => {
    const scope = makeScope();
    await expect(budgets.setBudget(scope, { usdTotal })).rejects.toThrow();
    expect(await budgets.readBudget(scope)).toEqual({});
  });

  it('are raised from the amount that applies, exactly, and by concurrent raises together', async () => {
    const scope = makeScope();
    const raise = { period: 'month', byUsd: 0.1, fromUsd: 0.2 } as const;
    expect(await budgets.raiseBudget(scope, raise)).toEqual({ usdPerMonth: 0.3 });
    await Promise.all(Array.from({ length: 20 }, () => budgets.raiseBudget(scope, raise)));
    expect(await budgets.readBudget(scope)).toEqual({ usdPerMonth: 2.3 });
    expect(await budgets.raiseBudget(scope, { ...raise, byUsd: MAX_DOLLARS })).toEqual({ usdPerMonth: MAX_DOLLARS });
  });

  it('of a scope without usage have spent nothing', async () => {
    expect(await budgets.readSpent(makeScope())).toEqual({ dayUsd: 0, monthUsd: 0, totalUsd: 0 });
  });
});
