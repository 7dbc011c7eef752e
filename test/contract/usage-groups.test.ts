import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import type { UsageGroup } from '../../src/core/management/index.ts';
import { createUsageLedger } from '../../src/core/management/usage/usage-ledger.ts';
import type { Database } from '../../src/database/connect.ts';
import { describeOnEveryDatabase } from '../support/stores/test-database.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const USERS = 1200;
const FILTER = { from: new Date('2026-01-01'), to: new Date('2027-01-01'), timeZone: 'UTC' };
const GROUPING = { period: 'month', column: 'user' } as const;

/** Adds a row in January and one in March for each user. */
async function fill(db: Database): Promise<void> {
  await db.execute(sql`
    insert into usage (id, user_id, kind, model, provider, prompt_tokens, completion_tokens, cost_usd, is_estimated,
      duration_ms, created_at)
    select gen_random_uuid(), user_id, 'chat', 'm', 'p', user_id, 1, 0.25, false, 1, month::timestamptz
    from generate_series(1, ${USERS}) as user_id, unnest(array['2026-01-15', '2026-03-31']) as month`);
}

describeOnEveryDatabase('sums by user and month', (createDatabase) => {
  const database = startBeforeAll(() => createDatabase());

  it('have each user once a month over all pages, in order, and as many as are counted', async () => {
    await fill(database.db);
    const ledger = createUsageLedger({ db: database.db, recorder: { flush: async () => {} } });
    const groups: UsageGroup[] = [];
    for (let after: readonly (string | number)[] | undefined, isFirst = true; isFirst || after; isFirst = false) {
      const page = await ledger.group(FILTER, GROUPING, { limit: 500, after });
      groups.push(...page.items);
      after = page.next;
    }
    const users = Array.from({ length: USERS }, (_, index) => index + 1);
    const expected = ['2026-01-01', '2026-03-01'].flatMap((month) =>
      users.map((user) => [month, String(user), user + 1]),
    );
    expect(groups.map(({ periodStart, value, tokens }) => [periodStart, value, tokens])).toEqual(expected);
    expect(new Set(groups.map(({ costUsd, requests }) => costUsd / requests))).toEqual(new Set([0.25]));
    expect(await ledger.countGroups(FILTER, GROUPING, 10_000)).toBe(2 * USERS);
    expect(await ledger.countGroups(FILTER, GROUPING, 100)).toBe(100);
    expect(await ledger.countGroups(FILTER, { column: 'user' }, 10_000)).toBe(USERS);
    expect(await ledger.countGroups({ ...FILTER, userId: 7 }, { period: 'day' }, 10_000)).toBe(2);
    expect(await ledger.countGroups({ ...FILTER, timeZone: 'Pacific/Auckland' }, { period: 'month' }, 10)).toBe(2);
  });
});
