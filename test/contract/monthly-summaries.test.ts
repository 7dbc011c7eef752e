import { expect, it } from 'vitest';
import { createAccounts, createUsageRecorder } from '../../src/core/accounts/index.ts';
import { createMonthlySummaries, toMonth, toMonthBefore } from '../../src/core/administration/index.ts';
import { createLogger } from '../../src/lib/log/logger.ts';
import { createFakeClock } from '../support/machine/fake-clock.ts';
import { createUsageEntry } from '../support/samples/usage-entry.ts';
import { describeOnEveryDatabase } from '../support/stores/test-database.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const logger = createLogger({ level: 'silent' });

it('months are those of UTC, also around the turn of the year', () => {
  expect(toMonth(Date.parse('2026-12-31T23:59:59.999Z'))).toBe('2026-12');
  expect(toMonth(Date.parse('2027-01-01T00:00:00Z'))).toBe('2027-01');
  expect(toMonthBefore('2027-01')).toBe('2026-12');
  expect(toMonthBefore('2026-03')).toBe('2026-02');
});

describeOnEveryDatabase('monthly summaries', (createDatabase) => {
  const now = createFakeClock(Date.UTC(2026, 10, 21, 22));
  const database = startBeforeAll(() => createDatabase());

  const createSummaries = () =>
    createMonthlySummaries({ db: database.db, clock: now, recorder: { flush: async () => {} } });
  const createUser = (telegramId: number) =>
    createAccounts({ db: database.db, clock: now, adminIds: [] }).ensureTelegramUser(telegramId);
  const record = async (userId: number, at: string, model: string, costUsd: number | undefined) => {
    const recorder = createUsageRecorder({ db: database.db, clock: createFakeClock(Date.parse(at)), logger });
    recorder.record(createUsageEntry(userId, { model, costUsd }));
    await recorder.close();
  };

  it('sum up a month and the one before, with the most expensive models and users', async () => {
    const [ann, bob] = [await createUser(1), await createUser(2)];
    await record(ann.id, '2026-09-30T23:59:59.999Z', 'a', 100);
    await record(ann.id, '2026-10-01T00:00:00Z', 'a', 0.1);
    await record(bob.id, '2026-10-31T23:59:59.999Z', 'b', 0.2);
    await record(bob.id, '2026-10-31T12:00:00Z', 'c', undefined);
    await record(bob.id, '2026-11-01T00:00:00Z', 'a', 7);
    const october = await createSummaries().read('2026-10');
    const sum = { requests: 1, tokens: 3, images: 0, unpriced: 0 };
    expect(october).toMatchObject({
      isRunning: false,
      total: { requests: 3, tokens: 9, images: 0, costUsd: 0.3, unpriced: 1, activeUsers: 2 },
      before: { requests: 1, costUsd: 100, activeUsers: 1 },
    });
    expect(october.models).toEqual([
      { ...sum, model: 'b', costUsd: 0.2 },
      { ...sum, model: 'a', costUsd: 0.1 },
      { ...sum, model: 'c', costUsd: undefined, unpriced: 1 },
    ]);
    expect(october.users).toEqual([
      { ...sum, userId: bob.id, requests: 2, tokens: 6, costUsd: 0.2, unpriced: 1 },
      { ...sum, userId: ann.id, costUsd: 0.1 },
    ]);
    expect(october.days.map(({ day, model }) => `${day} ${model}`).toSorted()).toEqual([
      '2026-10-01 a',
      '2026-10-31 b',
      '2026-10-31 c',
    ]);
    const november = await createSummaries().read('2026-11');
    expect(november).toMatchObject({ isRunning: true, total: { costUsd: 7 }, before: { costUsd: 0.3 } });
  });

  it('are claimed once over several processes, by admins who have asked for them', async () => {
    const { id } = await createUser(3);
    const claimAtOnce = async () =>
      (await Promise.all(Array.from({ length: 5 }, () => createSummaries().claim(id, '2026-10')))).filter(Boolean);
    expect(await claimAtOnce()).toEqual([]);
    const accounts = createAccounts({ db: database.db, clock: now, adminIds: [] });
    await accounts.updateSettings(id, { model: 'a', monthlySummary: { sentMonth: '2026-08', language: 'ru' } });
    expect(await claimAtOnce()).toEqual([true]);
    expect(await claimAtOnce()).toEqual([]);
    const settings = async () => (await accounts.findUser(id))?.settings;
    expect(await settings()).toEqual({ model: 'a', monthlySummary: { sentMonth: '2026-10', language: 'ru' } });
    await createSummaries().release(id, '2026-10');
    expect(await claimAtOnce()).toEqual([true]);
    await accounts.updateSettings(id, { monthlySummary: undefined });
    await createSummaries().release(id, '2026-10');
    expect(await settings()).toEqual({ model: 'a' });
  });
});
