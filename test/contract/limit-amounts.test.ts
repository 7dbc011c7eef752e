import { eq, sql } from 'drizzle-orm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLimits, LimitExceededError } from '../../src/core/limits/index.ts';
import { limitCounters, limitReservations } from '../../src/database/schema/index.ts';
import { createLogger } from '../../src/lib/log/logger.ts';
import { createFakeClock } from '../support/machine/fake-clock.ts';
import { describeOnEveryDatabase } from '../support/stores/test-database.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const MOMENT = new Date(Date.UTC(2026, 10, 21, 9));
const LIMIT = 1000;

/** Amounts as JSON texts that no correct process sends. */
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

describeOnEveryDatabase('SQL of limits', (createDatabase) => {
  let scopeCount = 0;
  const database = startBeforeAll(() => createDatabase());

  const makeScope = () => `user:${++scopeCount}`;
  /** Calls the function with amounts as JSON text, as only a faulty process would. */
  const call = async (settlements: readonly string[], reservations: readonly string[]) => {
    const written = sql<{
      readonly reservations: readonly { readonly uses: Readonly<Record<string, { refusal: string | null }>> }[];
    }>`settle_and_reserve(${`[${settlements.join(',')}]`}::jsonb, ${`[${reservations.join(',')}]`}::jsonb, ${MOMENT.toISOString()}::timestamptz, '60 s'::interval)`;
    const [row] = await database.db.select({ written }).from(sql`(select 1) as one`);
    return (row?.written.reservations ?? []).map(({ uses }) => uses);
  };
  const toFields = (fields: Readonly<Record<string, string>>) =>
    Object.entries(fields)
      .map(([name, value]) => `"${name}":${value}`)
      .join(',');
  const reservation = (scope: string, amounts: Readonly<Record<string, string>> = {}) => {
    const usual = { id: `"${scope}-reservation"`, tokens: '1', more: '0', images: '0' };
    return `{${toFields({ ...usual, ...amounts })},"scopes":[{"scope":"${scope}","tokens":${LIMIT}}]}`;
  };
  const settlement = (scope: string, amounts: Readonly<Record<string, string>> = {}) =>
    `{${toFields({ id: `"${scope}-reservation"`, tokens: '0', images: '0', ...amounts })}}`;
  const reserve = (scope: string, amounts?: Readonly<Record<string, string>>) =>
    call([], [reservation(scope, amounts)]);
  const settle = (scope: string, amounts?: Readonly<Record<string, string>>) => call([settlement(scope, amounts)], []);
  const look = async (scope: string) => {
    const [row] = await database.db.select().from(limitCounters).where(eq(limitCounters.scope, scope));
    const reserved = await database.db.select().from(limitReservations).where(eq(limitReservations.scope, scope));
    return {
      requests: row?.minuteRequests ?? 0,
      tokens: row?.dayTokens ?? 0,
      images: row?.dayImages ?? 0,
      reservedTokens: reserved.reduce((total, { tokens }) => total + tokens, 0),
      inFlight: reserved.length,
    };
  };

  // 0 tokens, in any notation, are a request without tokens, such as images or speech.
  it.each(HOSTILE_AMOUNTS.filter((amount) => amount !== '-0'))(
    'refuses a reservation of %s tokens when the quota is used up',
    async (amount) => {
      const scope = makeScope();
      await reserve(scope);
      await settle(scope, { tokens: String(LIMIT) });
      const [uses] = await reserve(scope, { tokens: amount });
      expect(uses?.[scope]?.refusal).toBe('tokens');
      expect(await look(scope)).toMatchObject({ tokens: LIMIT, reservedTokens: 0, inFlight: 0 });
    },
  );

  it.each(HOSTILE_AMOUNTS)('neither credits a user nor fails for a settlement of %s', async (amount) => {
    const scope = makeScope();
    await reserve(scope);
    await settle(scope, { tokens: '100', images: '3' });
    await reserve(scope, { tokens: '10', images: '1' });
    const before = await look(scope);
    await settle(scope, { tokens: amount, images: amount });
    const after = await look(scope);
    expect(after.tokens).toBeGreaterThanOrEqual(before.tokens);
    expect(after.images).toBeGreaterThanOrEqual(before.images);
    expect(after).toMatchObject({ requests: before.requests, reservedTokens: 0, inFlight: 0 });
  });

  it('neither overflows nor wraps around after the largest settlements', async () => {
    const scope = makeScope();
    const most = { tokens: '9223372036854775807', images: '9223372036854775807' };
    const ids = Array.from({ length: 50 }, (_, at) => ({ id: `"${scope}-${at}"` }));
    await call(
      [],
      ids.map((id) => reservation(scope, id)),
    );
    await call(
      ids.map((id) => settlement(scope, { ...id, ...most })),
      [],
    );
    const [uses] = await reserve(scope);
    expect(uses?.[scope]?.refusal).toBe('tokens');
    expect((await look(scope)).images).toBe(2_147_483_647);
  });

  it('applies the rest of a batch that contains a settlement with hostile amounts', async () => {
    const [scope, other] = [makeScope(), makeScope()];
    const hostile = HOSTILE_AMOUNTS.map((amount, at) => ({ id: `"${scope}-${at}"`, tokens: amount, images: amount }));
    await call(
      [],
      hostile.map(({ id }) => reservation(scope, { id })),
    );
    const [uses] = await call(
      hostile.map((amounts) => settlement(scope, amounts)),
      [reservation(other)],
    );
    expect(uses?.[other]?.refusal).toBeNull();
    expect((await look(scope)).inFlight).toBe(0);
  });

  it('never raises the remaining quota, nor reserves more than there is, in any sequence', async () => {
    const amount = fc.oneof(fc.constantFrom(...HOSTILE_AMOUNTS), fc.integer({ min: 0, max: 400 }).map(String));
    const step = fc.record({
      kind: fc.constantFrom('reserve', 'settle'),
      id: fc.constantFrom('a', 'b', 'c'),
      amounts: fc.record({ tokens: amount, more: amount }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        const scope = makeScope();
        const open = new Set<string>();
        for (const { kind, id, amounts } of steps) {
          const before = await look(scope);
          const fields = { ...amounts, id: `"${scope}-${id}"` };
          if (kind === 'settle') {
            await settle(scope, fields);
            open.delete(id);
          } else {
            const [uses] = await reserve(scope, fields);
            const refusal = uses?.[scope]?.refusal;
            const isForTokens = amounts.tokens !== '0' && amounts.tokens !== '-0';
            if (before.tokens >= LIMIT && isForTokens && !open.has(id)) expect(refusal).toBe('tokens');
            if (!refusal) open.add(id);
          }
          const after = await look(scope);
          expect(after.tokens).toBeGreaterThanOrEqual(before.tokens);
          expect(after.requests).toBeGreaterThanOrEqual(before.requests);
          expect(after.inFlight).toBe(open.size);
          expect(after.reservedTokens).toBeLessThanOrEqual(LIMIT);
        }
      }),
      { numRuns: 20, seed: 1 },
    );
  });

  describe('limits in the process', () => {
    it.each([-1_000_000, Number.NaN, Number.NEGATIVE_INFINITY, -0.5])(
      'grant nothing for a reservation and a usage of %s tokens',
      async (amount) => {
        const clock = createFakeClock(MOMENT.getTime());
        const plans = { free: { user: { tokensPerDay: 100, imagesPerDay: 5 } } };
        const logger = createLogger({ level: 'silent' });
        const limits = createLimits({ db: database.db, clock, logger, plans, findPlan: async () => 'free' });
        const requester = { userId: 1_000_000 + ++scopeCount };
        const expected = { tokens: () => 100, moreTokens: 0, images: 0 };
        (await limits.reserve(requester, expected)).settle({ tokens: 100, images: 0 });
        const hostile = { tokens: () => amount, moreTokens: amount, images: amount };
        const outcome = await limits.reserve(requester, hostile).catch((error: unknown) => error);
        if (!(outcome instanceof LimitExceededError))
          (outcome as { settle(use: object): void }).settle({ tokens: amount, images: amount });
        await expect(limits.reserve(requester, { ...expected, tokens: () => 1 })).rejects.toThrow(LimitExceededError);
        expect((await limits.readQuotas(requester))?.tokens?.remaining).toBe(0);
        await limits.close();
      },
    );
  });
});
