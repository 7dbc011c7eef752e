import { eq, sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLimits, LimitExceededError } from '../../src/core/limits/index.ts';
import { limitCounters, limitHolds } from '../../src/database/schema/index.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { describeOnEveryDatabase, type TestDatabase } from '../support/test-database.ts';

const MOMENT = new Date(Date.UTC(2026, 10, 21, 9));
const LIMIT = 1000;

/** JSON texts of amounts that no honest process sends. */
const HOSTILE_AMOUNTS = [
  'null',
  '-1',
  '-1000000',
  '-5e9',
  '-1e300',
  '0.5',
  '-0.5',
  '-0',
  '1e18',
  '1e300',
  '9223372036854775807',
  '"12"',
  '"NaN"',
  '"-1e308"',
  'true',
  '[]',
  '{}',
];

describeOnEveryDatabase('the SQL of limits', (createDatabase) => {
  let database: TestDatabase;
  let scopeCount = 0;
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(() => database.close());

  const makeScope = () => `person:${++scopeCount}`;
  /** Calls the function with orders as JSON text, the way nothing but a broken process would. */
  const call = async (orders: readonly string[]) => {
    const text = `[${orders.join(',')}]`;
    const answers = sql<
      (readonly { refusal: string | null }[] | null)[]
    >`use_limits(${text}::jsonb, ${MOMENT.toISOString()}::timestamptz, '60 s'::interval)`;
    const [row] = await database.db.select({ answers }).from(sql`(select 1) as one`);
    return row?.answers ?? [];
  };
  const take = (scope: string, amounts: Readonly<Record<string, string>> = {}, limits = `"tokens":${LIMIT}`) => {
    const usual = {
      hold: `"${scope}-hold"`,
      count: '1',
      tokens: '1',
      more: '0',
      pictures: '0',
      spare: '0',
      spareTokens: '0',
    };
    const fields = Object.entries({ ...usual, ...amounts }).map(([name, value]) => `"${name}":${value}`);
    return `{"kind":"take",${fields.join(',')},"scopes":[{"scope":"${scope}",${limits}}]}`;
  };
  const settle = (scope: string, amounts: Readonly<Record<string, string>> = {}) => {
    const usual = { hold: `"${scope}-hold"`, count: '1', unused: '0', tokens: '0', pictures: '0', freed: '0' };
    const fields = Object.entries({ ...usual, ...amounts }).map(([name, value]) => `"${name}":${value}`);
    return `{"kind":"settle",${fields.join(',')},"scopes":[{"scope":"${scope}","minuteBeganAt":${MOMENT.getTime()}}]}`;
  };
  const look = async (scope: string) => {
    const [row] = await database.db.select().from(limitCounters).where(eq(limitCounters.scope, scope));
    return {
      requests: row?.minuteRequests ?? 0,
      tokens: row?.dayTokens ?? 0,
      heldTokens: row?.heldTokens ?? 0,
      pictures: row?.dayPictures ?? 0,
      works: row?.works ?? 0,
    };
  };

  // A wish for 0 tokens, however it is written, is work without tokens: pictures, speech.
  it.each(HOSTILE_AMOUNTS.filter((amount) => amount !== '-0'))(
    'a budget that is used up refuses a wish for %s tokens',
    async (amount) => {
      const scope = makeScope();
      await call([settle(scope, { tokens: String(LIMIT) })]);
      const [standings] = await call([take(scope, { tokens: amount })]);
      expect(standings?.[0]?.refusal).toBe('tokens');
      expect(await look(scope)).toMatchObject({ tokens: LIMIT, heldTokens: 0, works: 0 });
    },
  );

  it.each(HOSTILE_AMOUNTS)('a settlement of %s neither credits a user nor fails', async (amount) => {
    const scope = makeScope();
    await call([settle(scope, { tokens: '100', pictures: '3' }), take(scope, { tokens: '10', pictures: '1' })]);
    const before = await look(scope);
    const names = ['tokens', 'pictures', 'freed', 'unused', 'count'];
    await call([settle(scope, Object.fromEntries(names.map((name) => [name, amount])))]);
    const after = await look(scope);
    expect(after.tokens).toBeGreaterThanOrEqual(before.tokens);
    expect(after.pictures).toBeGreaterThanOrEqual(before.pictures);
    expect(after.requests).toBeGreaterThanOrEqual(before.requests - 1);
    expect(after).toMatchObject({ heldTokens: 0, works: 0 });
  });

  it('sums of the largest settlements neither overflow nor begin anew', async () => {
    const scope = makeScope();
    const most = settle(scope, { tokens: '9223372036854775807', pictures: '9223372036854775807' });
    for (let round = 0; round < 3; round++) await call(Array.from({ length: 50 }, () => most));
    const [standings] = await call([take(scope)]);
    expect(standings?.[0]?.refusal).toBe('tokens');
    expect((await look(scope)).pictures).toBe(2_147_483_647);
  });

  it('an order with hostile amounts does not spoil those of others in the same batch', async () => {
    const [scope, other] = [makeScope(), makeScope()];
    const hostile = HOSTILE_AMOUNTS.map((amount) => settle(scope, { tokens: amount, count: amount, freed: amount }));
    const answers = await call([...hostile, take(other)]);
    const standings = answers.at(-1);
    expect(standings?.[0]?.refusal).toBeNull();
  });

  it('no sequence of orders raises what is left, or leaves more than was set aside', async () => {
    const amount = fc.oneof(fc.constantFrom(...HOSTILE_AMOUNTS), fc.integer({ min: 0, max: 400 }).map(String));
    const order = fc.record({
      kind: fc.constantFrom('take', 'settle'),
      hold: fc.constantFrom('a', 'b', 'c'),
      amounts: fc.record({
        count: amount,
        tokens: amount,
        more: amount,
        spare: amount,
        spareTokens: amount,
        unused: amount,
        freed: amount,
      }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(order, { minLength: 1, maxLength: 8 }), async (made) => {
        const scope = makeScope();
        const open = new Set<string>();
        for (const { kind, hold, amounts } of made) {
          const before = await look(scope);
          const name = `${scope}-${hold}`;
          const fields = { ...amounts, hold: `"${name}"` };
          if (kind === 'settle') await call([settle(scope, fields)]);
          else if (!open.has(name)) {
            const [standings] = await call([take(scope, fields)]);
            if (before.tokens >= LIMIT && amounts.tokens !== '0' && amounts.tokens !== '-0')
              expect(standings?.[0]?.refusal).toBe('tokens');
          }
          const after = await look(scope);
          expect(after.tokens).toBeGreaterThanOrEqual(before.tokens);
          expect(Math.min(after.heldTokens, after.works, after.requests)).toBeGreaterThanOrEqual(0);
          open.clear();
          const rows = await database.db.select().from(limitHolds).where(sql`${scope} = any(${limitHolds.scopes})`);
          for (const { id } of rows) open.add(id);
          const held = rows.reduce((sum, { tokens }) => sum + (tokens[0] ?? 0), 0);
          expect(after.heldTokens).toBe(held);
          expect(held).toBeLessThanOrEqual(LIMIT);
        }
      }),
      { numRuns: 20, seed: 1 },
    );
  });

  describe('through the process', () => {
    it.each([-1_000_000, Number.NaN, Number.NEGATIVE_INFINITY, -0.5])(
      'a wish and a use of %s tokens get nothing',
      async (amount) => {
        const clock = createFakeClock(MOMENT.getTime());
        const plans = { free: { person: { tokensPerDay: 100, picturesPerDay: 5 } } };
        const logger = createLogger({ level: 'silent' });
        const limits = createLimits({ db: database.db, clock, logger, plans, findPlan: async () => 'free' });
        const caller = { personId: 1_000_000 + ++scopeCount };
        const wish = { tokens: () => 100, moreTokens: 0, pictures: 0 };
        (await limits.reserve(caller, wish)).settle({ tokens: 100, pictures: 0 });
        const hostile = { tokens: () => amount, moreTokens: amount, pictures: amount };
        const outcome = await limits.reserve(caller, hostile).catch((error: unknown) => error);
        if (!(outcome instanceof LimitExceededError))
          (outcome as { settle(use: object): void }).settle({ tokens: amount, pictures: amount });
        await expect(limits.reserve(caller, { ...wish, tokens: () => 1 })).rejects.toThrow(LimitExceededError);
        expect((await limits.look(caller))?.tokens?.remaining).toBe(0);
        await limits.close();
      },
    );
  });
});
