import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAccounts, createApiKeys, ensureUniversalKey } from '../../src/core/accounts/index.ts';
import { createManagedBudgets, type ManagedBudgetsDeps } from '../../src/core/management/managed-budgets.ts';
import type { Database } from '../../src/database/connect.ts';
import { apiKeys, budgets as budgetRows, groups } from '../../src/database/schema/index.ts';
import { NO_KEY_FILE } from '../support/harness/http.ts';
import { createFakeClock } from '../support/machine/fake-clock.ts';
import { describeOnEveryDatabase, type TestDatabase } from '../support/stores/test-database.ts';
import { watchDatabase } from '../support/stores/watched-database.ts';

const PLANS = {
  free: { user: { usdPerDay: 1 }, key: { usdPerMonth: 2 }, chat: { usdPerDay: 3 } },
  trusted: { user: { usdPerDay: 10, usdTotal: 100 } },
  universal: { key: { usdTotal: 7 } },
  group: { chat: { usdPerMonth: 5 } },
};

describeOnEveryDatabase('budgets as admins see them', (createDatabase) => {
  const clock = createFakeClock();
  let database: TestDatabase;
  let userId: number;
  let keyId: number;
  let rules: ManagedBudgetsDeps['rules'];
  const open = (db: Database = database.db) => createManagedBudgets({ db, clock, rules });
  const order = (scope: string) => ({
    scope,
    manager: { userId, telegramId: 7, keyId },
    check: () => {},
  });
  beforeAll(async () => {
    database = await createDatabase();
    rules = { plans: PLANS, budget: { usdPerDay: 50 }, adminIds: [7], allowedIds: [] };
    const accounts = createAccounts({ db: database.db, clock, adminIds: [7] });
    userId = (await accounts.ensureTelegramUser(100)).id;
    keyId = (await createApiKeys({ db: database.db, clock }).create(userId, 'mine'))?.key.id ?? 0;
    const payer = { settings: { payer: 'group' } };
    await database.db.insert(groups).values([
      { chatId: -1, ...payer },
      { chatId: -2, ...payer, plan: 'nowhere' },
      { chatId: -3, settings: {}, plan: 'group' },
    ]);
  });
  afterAll(() => database.close());

  it('are those of the plan or of the settings until they are set', async () => {
    const found = async (scope: string) => {
      const { plan, configured, effective, amounts } = (await open().find(scope)) ?? {};
      expect([amounts, effective]).toEqual([{}, configured]);
      return [plan, configured];
    };
    expect(await found(`user:${userId}`)).toEqual(['free', { usdPerDay: 1 }]);
    expect(await found(`key:${keyId}`)).toEqual(['free', { usdPerMonth: 2 }]);
    expect(await found('chat:100')).toEqual(['free', { usdPerDay: 3 }]);
    expect(await found('chat:-1')).toEqual(['group', { usdPerMonth: 5 }]);
    // Their users pay.
    for (const scope of ['chat:-2', 'chat:-3', 'chat:-4']) expect(await found(scope)).toEqual([undefined, {}]);
    expect(await found('instance')).toEqual([undefined, { usdPerDay: 50 }]);
  });

  it('of the universal key are those of its own plan', async () => {
    await ensureUniversalKey(database.db, 'sk-sb-universal', NO_KEY_FILE);
    const [row] = await database.db.select().from(apiKeys).where(eq(apiKeys.isUniversal, true));
    expect(await open().find(`key:${row?.id}`)).toMatchObject({ plan: 'universal', effective: { usdTotal: 7 } });
  });

  it('are set field by field over those of the plan, and raised from what applies', async () => {
    const scope = `user:${userId}`;
    expect(await open().raise(order(scope), { period: 'day', byUsd: 0.5 })).toMatchObject({
      amounts: { usdPerDay: 1.5 },
      configured: { usdPerDay: 1 },
      effective: { usdPerDay: 1.5 },
    });
    await Promise.all([1, 2, 3].map(() => open().raise(order(scope), { period: 'day', byUsd: 0.1 })));
    expect(await open().find(scope)).toMatchObject({ amounts: { usdPerDay: 1.8 } });
    expect(await open().raise(order(scope), { period: 'month', byUsd: 1 })).toBe('unlimited');
    expect(await open().raise(order('chat:-3'), { period: 'day', byUsd: 1 })).toBe('unlimited');
    expect(await open().raise(order('instance'), { period: 'day', byUsd: 1 })).toMatchObject({
      effective: { usdPerDay: 51 },
    });
    const set = await open().set(order(scope), { usdTotal: 0 });
    expect(set).toMatchObject({ amounts: { usdTotal: 0 }, effective: { usdPerDay: 1, usdTotal: 0 } });
  });

  it('are listed with as many statements for many scopes as for few', async () => {
    const scopes = Array.from({ length: 60 }, (_, index) => `key:${1000 + index}`);
    const updatedAt = new Date(0);
    await database.db.insert(budgetRows).values(scopes.map((scope) => ({ scope, usdPerDay: 1, updatedAt })));
    let statements = 0;
    const watched = watchDatabase(database.db, async (moment) => {
      if (moment === 'before') statements += 1;
    });
    const count = async (limit: number) => {
      statements = 0;
      const { items } = await open(watched).list({ limit, after: ['instance'] });
      expect(items).toHaveLength(limit);
      expect(items[0]).toMatchObject({ amounts: { usdPerDay: 1 }, spent: { dayUsd: 0, monthUsd: 0, totalUsd: 0 } });
      return statements;
    };
    const few = await count(2);
    expect(few).toBeGreaterThan(0);
    expect(await count(50)).toBe(few);
  });
});
