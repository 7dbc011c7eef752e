import { expect, it } from 'vitest';
import { createAccounts, createUsageRecorder, createUsageReports } from '../../src/core/accounts/index.ts';
import { createLogger } from '../../src/lib/log/logger.ts';
import { createFakeClock } from '../support/machine/fake-clock.ts';
import { createUsageEntry } from '../support/samples/usage-entry.ts';
import { describeOnEveryDatabase } from '../support/stores/test-database.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const logger = createLogger({ level: 'silent' });

interface Use {
  readonly at: string;
  readonly model: string;
  readonly tokens?: number;
  readonly images?: number;
  readonly costUsd?: number;
}

describeOnEveryDatabase('usage reports', (createDatabase) => {
  let users = 0;
  const database = startBeforeAll(() => createDatabase());

  /** The report of a user with this usage on the evening of 21 November. */
  const reportOn = async (uses: readonly Use[]) => {
    const now = createFakeClock(Date.UTC(2026, 10, 21, 22));
    const { id } = await createAccounts({ db: database.db, clock: now, adminIds: [] }).ensureTelegramUser(++users);
    for (const { at, model, tokens = 0, images, costUsd } of uses) {
      const recorder = createUsageRecorder({ db: database.db, clock: createFakeClock(Date.parse(at)), logger });
      const promptTokens = Math.floor(tokens / 3);
      recorder.record(
        createUsageEntry(id, {
          kind: images === undefined ? 'chat' : 'image',
          ...{ model, promptTokens, completionTokens: tokens - promptTokens, imageCount: images ?? 0, costUsd },
        }),
      );
      await recorder.close();
    }
    const recorder = { flush: async () => {} };
    return createUsageReports({ db: database.db, clock: now, recorder }).reportOn(id);
  };

  it('sum up today and the month by UTC for each model', async () => {
    const report = await reportOn([
      { at: '2026-10-31T23:59:59Z', model: 'a', tokens: 7000 },
      { at: '2026-11-01T00:00:00Z', model: 'a', tokens: 100, costUsd: 0.000123456 },
      { at: '2026-11-20T23:59:59Z', model: 'b', tokens: 30 },
      { at: '2026-11-21T00:00:00Z', model: 'a', tokens: 5, costUsd: 1.5 },
      { at: '2026-11-21T21:00:00Z', model: 'brush', tokens: 999, images: 3, costUsd: 0.12 },
    ]);
    expect(report.today).toEqual({ requests: 2, tokens: 5, images: 3, costUsd: 1.62, unpriced: 0 });
    expect(report.month).toEqual({ requests: 4, tokens: 135, images: 3, costUsd: 1.620123456, unpriced: 1 });
    expect(report.byModel).toEqual([
      { model: 'a', requests: 2, tokens: 105, images: 0, costUsd: 1.500123456, unpriced: 0 },
      { model: 'b', requests: 1, tokens: 30, images: 0, costUsd: undefined, unpriced: 1 },
      { model: 'brush', requests: 1, tokens: 0, images: 3, costUsd: 0.12, unpriced: 0 },
    ]);
  });

  it('add costs exactly', async () => {
    const uses = Array.from({ length: 10 }, () => ({ at: '2026-11-21T01:00:00Z', model: 'a', costUsd: 0.1 }));
    const others = uses.map((use) => ({ ...use, model: 'b', costUsd: 0.200000001 }));
    expect((await reportOn([...uses, ...others])).month.costUsd).toBe(3.00000001);
  });

  it('contain the last thirty days, including days of the previous month', async () => {
    const { days } = await reportOn([
      { at: '2026-10-22T12:00:00Z', model: 'a', tokens: 1 },
      { at: '2026-10-23T12:00:00Z', model: 'a', tokens: 2 },
      { at: '2026-10-23T13:00:00Z', model: 'a', tokens: 2 },
      { at: '2026-11-21T12:00:00Z', model: 'a', tokens: 3 },
    ]);
    expect(days.map(({ day, tokens }) => [day, tokens])).toEqual([
      ['2026-10-23', 4],
      ['2026-11-21', 3],
    ]);
  });

  it('are empty for a user without usage', async () => {
    const nothing = { requests: 0, tokens: 0, images: 0, costUsd: undefined, unpriced: 0 };
    expect(await reportOn([])).toEqual({ today: nothing, month: nothing, byModel: [], days: [] });
  });
});
