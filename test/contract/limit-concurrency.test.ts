import { randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { limitCounters, limitReservations } from '../../src/database/schema/index.ts';
import { describeOnEveryDatabase } from '../support/stores/test-database.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const MOMENT = new Date(Date.UTC(2026, 10, 21, 9));
const LIMITS = { requests: 12, tokens: 300, atOnce: 4, usdPerDay: 3 };

/** A statement of a process: what it reserves, if anything, and how many of its reservations it settles. */
const steps = fc.array(
  fc.record({
    wanted: fc.array(fc.record({ tokens: fc.nat(80), more: fc.nat(200), usd: fc.nat(100) }), { maxLength: 3 }),
    settled: fc.nat(3),
    /** Part of the reserved tokens and dollars that was used. */
    used: fc.double({ min: 0, max: 1, noNaN: true }),
    /** Whether the statement is sent twice at once, as after a lost connection. */
    isRepeated: fc.boolean(),
  }),
  { minLength: 1, maxLength: 8 },
);

interface Written {
  readonly reservations: readonly {
    readonly uses: Readonly<Record<string, { readonly refusal: string | null }>>;
    readonly grantedUsd: number | null;
  }[];
}

describeOnEveryDatabase('limits of several processes', (createDatabase) => {
  const database = startBeforeAll(() => createDatabase());
  let runCount = 0;

  /** Calls as a process of this version, or of the last one, which may run beside it during an upgrade. */
  const call = async (isFormer: boolean, settlements: readonly object[], reservations: readonly object[]) => {
    const name = sql.raw(isFormer ? 'reserve_limits' : 'settle_and_reserve');
    const written = sql<Written>`${name}(${JSON.stringify(settlements)}::jsonb, ${JSON.stringify(reservations)}::jsonb, ${MOMENT.toISOString()}::timestamptz, '60 s'::interval)`;
    const [row] = await database.db.select({ written }).from(sql`(select 1) as one`);
    return row?.written.reservations ?? [];
  };

  /** Returns what a scope has used and reserved, as one statement sees it. */
  const look = async (scope: string) => {
    const sumOf = (column: 'tokens' | 'usd') =>
      sql`coalesce((select sum(${sql.identifier(column)}) from ${limitReservations} where scope = ${scope}), 0)`.mapWith(
        Number,
      );
    const [row] = await database.db
      .select({
        requests: limitCounters.minuteRequests,
        atOnce: database.db.$count(limitReservations, eq(limitReservations.scope, scope)),
        usedTokens: limitCounters.dayTokens,
        reservedTokens: sumOf('tokens'),
        usedUsd: limitCounters.dayUsd,
        reservedUsd: sumOf('usd'),
      })
      .from(limitCounters)
      .where(eq(limitCounters.scope, scope));
    return row ?? { requests: 0, atOnce: 0, usedTokens: 0, reservedTokens: 0, usedUsd: 0, reservedUsd: 0 };
  };

  const expectWithin = async (scope: string) => {
    const use = await look(scope);
    expect(use.requests).toBeLessThanOrEqual(LIMITS.requests);
    expect(use.atOnce).toBeLessThanOrEqual(LIMITS.atOnce);
    expect(use.usedTokens + use.reservedTokens).toBeLessThanOrEqual(LIMITS.tokens);
    expect(use.usedUsd + use.reservedUsd).toBeLessThanOrEqual(LIMITS.usdPerDay + 1e-9);
    return use;
  };

  it('are never exceeded, and every use is counted once, in any sequence of statements', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 2, maxLength: 4 }), async (processes) => {
        // The counters have other names each time; the processes name them in different orders.
        const number = ++runCount;
        const shared = [`key:${number}`, `user:${number}`, `chat:${number}`] as const;
        const total = { requests: 0, tokens: 0, usd: 0 };
        const run = async (index: number) => {
          const open: { readonly id: string; readonly tokens: number; readonly usd: number }[] = [];
          const names = index % 2 === 0 ? shared : shared.toReversed();
          for (const { wanted, settled, used, isRepeated } of processes[index] ?? []) {
            const ended = open.splice(0, settled).map(({ id, tokens, usd }) => {
              const use = { id, tokens: Math.floor(tokens * used), images: 0, usd: Math.floor(usd * used * 1e9) / 1e9 };
              total.tokens += use.tokens;
              total.usd += use.usd;
              return use;
            });
            const requests = wanted.map(({ tokens, more, usd }) => {
              const scopes = names.map((scope) => ({ scope, ...LIMITS }));
              const amounts = { tokens, more, images: 0, usd: usd / 100, mostUsd: usd / 50 };
              return { id: randomUUID(), ...amounts, scopes };
            });
            const isFormer = index % 4 > 1;
            const answers = await Promise.all(
              Array.from({ length: isRepeated ? 2 : 1 }, () => call(isFormer, ended, requests)),
            );
            for (const [at, { id, tokens, usd }] of requests.entries()) {
              // One of two equal statements may find the reservation of the other, or the limits used up by it.
              const isMade = answers.some((answer) =>
                Object.values(answer[at]?.uses ?? {}).every(({ refusal }) => refusal === null),
              );
              if (!isMade) continue;
              total.requests++;
              open.push({ id, tokens, usd });
            }
            await expectWithin(shared[index % 3] ?? shared[0]);
          }
          await call(
            index % 4 > 1,
            open.map(({ id }) => ({ id, tokens: 0, images: 0, usd: 0 })),
            [],
          );
        };
        await Promise.all(processes.keys().map(run));
        for (const scope of shared) {
          const use = await expectWithin(scope);
          expect(use).toMatchObject({ requests: total.requests, atOnce: 0, usedTokens: total.tokens });
          expect(use.usedUsd).toBeCloseTo(total.usd, 6);
        }
      }),
      { numRuns: 25 },
    );
  });
});
