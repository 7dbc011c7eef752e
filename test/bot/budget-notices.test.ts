import { eq } from 'drizzle-orm';
import { afterEach, describe, expect, test } from 'vitest';
import { createBudgetNotices } from '../../src/core/budget-notices/index.ts';
import type { BudgetUse } from '../../src/core/limits/index.ts';
import { adminActions, budgetNotices, limitCounters } from '../../src/database/schema/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log/logger.ts';
import { type BotHarness, createBotHarness } from '../support/harness/bot.ts';
import type { BotHarnessOptions } from '../support/harness/bot-services.ts';
import type { Actor } from '../support/harness/users.ts';

const PLANS = {
  free: {
    user: { usdPerMonth: 10 },
    key: { usdTotal: 2 },
    raiseByUsd: [1, 5],
  },
  admin: {},
  group: { chat: { usdPerMonth: 10 }, raiseByUsd: [5] },
};

/** Expected usage of a request without limits other than dollars. */
const NOTHING = { tokens: () => 1, moreTokens: 0, images: 0 };

let harness: BotHarness;
afterEach(() => harness.close());

const setStage = async (options: BotHarnessOptions = {}) => {
  harness = await createBotHarness({ plans: PLANS, ...options });
};
/** Lets a user begin, so that the service knows the account. */
const begin = async (actor: Actor) => {
  actor.writes('/help');
  await expect.poll(() => harness.lines(actor.chatId).length).toBeGreaterThan(1);
  return (await harness.accounts.ensureTelegramUser(actor.id)).id;
};
/** Counts spending in the current periods. */
const count = async (scope: string, usd: number) => {
  const day = new Date().toISOString().slice(0, 10);
  const counted = { day, dayUsd: usd, month: `${day.slice(0, 8)}01`, monthUsd: usd, totalUsd: usd };
  await harness.db
    .insert(limitCounters)
    .values({ scope, minuteBeganAt: new Date(), ...counted })
    .onConflictDoUpdate({ target: limitCounters.scope, set: counted });
};
/** Counts spending and has it checked, as after a settlement. */
const spend = async (scope: string, userId: number, use: Pick<BudgetUse, 'period' | 'limitUsd' | 'spentUsd'>) => {
  await count(scope, use.spentUsd);
  harness.budgetNotices.check([{ scope, userId, hasRefused: false, ...use }]);
  await harness.budgetNotices.flush();
};
const isConcluded = () =>
  expect
    .poll(async () => (await harness.db.select().from(budgetNotices)).every(({ sentAt }) => sentAt !== null))
    .toBe(true);
const last = ({ chatId }: Pick<Actor, 'chatId'>) => harness.lines(chatId).at(-1) ?? '';
const shows = (actor: Pick<Actor, 'chatId'>, text: string | RegExp) => expect.poll(() => last(actor)).toMatch(text);

describe('a notice about a budget', () => {
  test('comes once after the request that reaches 80 %, and once after one that does not fit any more', async () => {
    await setStage({ plans: { free: { user: { usdTotal: 1 } } }, budget: { usdPerMonth: 1 } });
    const chief = harness.operator('Chief');
    await begin(chief);
    const ann = harness.user('Ann');
    const userId = await begin(ann);
    const request = async (usd: number) => {
      const spending = {
        model: 'basic',
        cost: () => ({ leastUsd: usd, mostUsd: usd }),
        usage: () => ({}),
      };
      const reservation = await harness.limits.reserve({ userId }, { ...NOTHING, spending });
      reservation.settle({ tokens: 1, images: 0, costUsd: usd });
      await harness.limits.flush();
    };
    await request(0.5);
    await request(0.35);
    await shows(ann, /^Bot: Your budget is 85% spent\.\n\nIn total: \$0\.85 of \$1\.00\nThis budget doesn’t reset\.$/);
    await shows(chief, /^Bot: The budget of the whole service is 85% spent\./);
    await expect(request(0.2)).rejects.toThrow();
    await shows(ann, /^Bot: Your budget is almost used up: what is left was not enough for a request\./);
    await expect(request(0.2)).rejects.toThrow();
    await request(0.01);
    await isConcluded();
    expect(harness.lines(ann.chatId).filter((line) => line.includes('Your budget'))).toHaveLength(2);
  });

  test('tells what is spent and when it resets, and raises by what the plan allows, once', async () => {
    await setStage();
    const ann = harness.user('Ann');
    const userId = await begin(ann);
    await harness.accounts.updateSettings(userId, { timeZone: 'Asia/Tokyo' });
    const scope = `user:${userId}`;
    await spend(scope, userId, { period: 'month', limitUsd: 10, spentUsd: 8.5 });
    await shows(
      ann,
      /^Bot: Your budget is 85% spent\.\n\nThis month: \$8\.50 of \$10\.00\nResets on .* 9:00 AM \(Asia\/Tokyo\)\. \[Raise by \$1\.00\] \[Raise by \$5\.00\]$/u,
    );
    expect(await ann.presses('Raise by $5.00')).toBe('Raised by $5.00.');
    await shows(
      ann,
      /^Bot: Your budget is 56% spent\.\n\nThis month: \$8\.50 of \$15\.00\n.*\n\nRaised by \$5\.00\.$/u,
    );
    expect(await harness.budgets.readBudget(scope)).toEqual({ usdPerMonth: 15 });
    expect(harness.log.some((line) => line.includes('budget raised'))).toBe(true);
    await spend(scope, userId, { period: 'month', limitUsd: 15, spentUsd: 12 });
    await shows(ann, /^Bot: Your budget is 80% spent\./);
    await spend(scope, userId, { period: 'month', limitUsd: 15, spentUsd: 15 });
    await shows(ann, /^Bot: Your budget is used up\. Requests that cost money are refused\./);
    expect(await harness.db.select().from(adminActions)).toEqual([]);
  });

  test('offers no raise that the plan does not allow any more', async () => {
    const plans = { free: { ...PLANS.free } };
    await setStage({ plans });
    const ann = harness.user('Ann');
    const userId = await begin(ann);
    await spend(`user:${userId}`, userId, { period: 'month', limitUsd: 10, spentUsd: 9 });
    await shows(ann, 'Raise by $5.00');
    plans.free.raiseByUsd = [];
    expect(await ann.presses('Raise by $5.00')).toBe('You may not raise this budget by this amount.');
    expect(await harness.budgets.readBudget(`user:${userId}`)).toEqual({});
  });

  test('about a key pauses, resumes and revokes it, in the language of its owner', async () => {
    await setStage();
    const ann = harness.user('Ann', 'ru');
    const userId = await begin(ann);
    await harness.accounts.updateSettings(userId, { language: 'ru' });
    const { key } = (await harness.apiKeys.create(userId, 'ноутбук')) ?? {};
    const keyId = key?.id ?? 0;
    await spend(`key:${keyId}`, userId, { period: 'total', limitUsd: 2, spentUsd: 1.75 });
    await shows(
      ann,
      /^Bot: Бюджет вашего ключа API израсходован на 87 %\.\n\nноутбук\n.*\nВсего: 1,75\s\$ из 2,00\s\$\nЭтот бюджет не обновляется\./u,
    );
    await ann.presses('Приостановить ключ');
    await shows(ann, /Ключ приостановлен\..*\[Возобновить ключ\] \[Отозвать ключ\]$/u);
    expect((await harness.apiKeys.find(userId, keyId))?.pausedAt).toBeDefined();
    await ann.presses('Возобновить ключ');
    await shows(ann, /\[Приостановить ключ\]/u);
    expect((await harness.apiKeys.find(userId, keyId))?.pausedAt).toBeUndefined();
    await ann.presses('Отозвать ключ');
    await shows(ann, /Отозвать этот ключ\?.*\[Да, отозвать\] \[Оставить\]$/u);
    await ann.presses('Оставить');
    await ann.presses('Отозвать ключ');
    expect(await ann.presses('Да, отозвать')).toBe('Ключ отозван.');
    await shows(ann, /ноутбук\n[\s\S]*Ключ отозван\.$/u);
    expect(await harness.apiKeys.find(userId, keyId)).toBeUndefined();
  });

  test('pauses all keys of a user, and none of others', async () => {
    await setStage();
    const [ann, bob] = [harness.user('Ann'), harness.user('Bob')];
    const [userId, other] = [await begin(ann), await begin(bob)];
    for (const label of ['one', 'two']) await harness.apiKeys.create(userId, label);
    await harness.apiKeys.create(other, 'of Bob');
    await spend(`user:${userId}`, userId, { period: 'month', limitUsd: 10, spentUsd: 10 });
    await shows(ann, 'Pause all my keys');
    await ann.presses('Pause all my keys');
    await shows(ann, /All your API keys are paused/);
    expect((await harness.apiKeys.list(userId)).every(({ pausedAt }) => pausedAt)).toBe(true);
    expect((await harness.apiKeys.list(other)).some(({ pausedAt }) => pausedAt)).toBe(false);
    expect(last(bob)).not.toMatch(/budget/);
  });

  test('about the instance goes to every admin; the first raise counts, and later presses say so', async () => {
    await setStage({ budget: { usdPerMonth: 100 } });
    const [chief, deputy, ann] = [harness.operator('Chief'), harness.operator('Deputy'), harness.user('Ann')];
    await begin(chief);
    await begin(deputy);
    const userId = await begin(ann);
    await spend('instance', userId, { period: 'month', limitUsd: 100, spentUsd: 90 });
    for (const admin of [chief, deputy])
      await shows(
        admin,
        /^Bot: The budget of the whole service is 90% spent\.\n\nThis month: \$90\.00 of \$100\.00\n.*\[Raise by \$10\.00\] \[Raise by \$50\.00\]$/u,
      );
    const hints = await Promise.all([chief.presses('Raise by $10.00'), deputy.presses('Raise by $10.00')]);
    expect(hints.toSorted()).toEqual(['Raised by $10.00.', 'This budget was already raised.']);
    for (const admin of [chief, deputy]) await shows(admin, /\$90\.00 of \$110\.00\n.*\n\nRaised by \$10\.00\.$/u);
    expect(await harness.budgets.readBudget('instance')).toEqual({ usdPerMonth: 110 });
    expect(await harness.db.select().from(adminActions)).toMatchObject([
      { action: 'raise-budget', subject: 'instance' },
    ]);
    expect(last(ann)).not.toMatch(/budget/);
  });

  test('about a group names no user, and only its admins may raise what its plan allows', async () => {
    await setStage();
    const { Ann: ann, Bob: bob } = harness.group(['Ann', 'Bob']);
    const { chatId } = ann;
    await harness.groups.change(chatId, { payer: 'group' });
    const { id: userId } = await harness.accounts.ensureTelegramUser(bob.id);
    await spend(`chat:${chatId}`, userId, { period: 'month', limitUsd: 10, spentUsd: 8 });
    await harness.sees(chatId, /^The budget of this group is 80% spent\.\n\nThis month: \$8\.00 of \$10\.00\n/);
    expect(last(ann)).not.toMatch(/Ann|Bob\b/);
    expect(harness.buttons(chatId)).toBe('Raise by $5.00');
    expect(await bob.presses('Raise by $5.00')).toMatch(/admins/);
    expect(await ann.presses('Raise by $5.00')).toBe('Raised by $5.00.');
    expect(await harness.budgets.readBudget(`chat:${chatId}`)).toEqual({ usdPerMonth: 15 });
  });

  test('that a killed process has stored is sent; one that is not true any more is not', async () => {
    await setStage();
    const ann = harness.user('Ann');
    const userId = await begin(ann);
    const day = new Date().toISOString().slice(0, 10);
    const periodStart = `${day.slice(0, 8)}01`;
    const row = { scope: `user:${userId}`, level: 80, limitUsd: 10, userId, claimedAt: new Date() };
    await harness.db.insert(limitCounters).values({
      ...{ scope: row.scope, minuteBeganAt: new Date(), day, month: periodStart },
      ...{ dayUsd: 9, monthUsd: 9, totalUsd: 9 },
    });
    await harness.db.insert(budgetNotices).values([
      { ...row, period: 'month', periodStart },
      { ...row, period: 'month', periodStart: '2020-01-01' },
    ]);
    await shows(ann, /^Bot: Your budget is 90% spent\./);
    await isConcluded();
    expect(harness.lines(ann.chatId).filter((line) => line.includes('Your budget'))).toHaveLength(1);
  });

  test('that two processes find at once is sent once, and to no chat that has it already', async () => {
    await setStage({ budget: { usdPerMonth: 100 } });
    const [chief, deputy] = [harness.operator('Chief'), harness.operator('Deputy')];
    const userId = await begin(chief);
    await begin(deputy);
    const other = createBudgetNotices({
      ...{ db: harness.db, clock: systemClock, logger: createLogger({ level: 'silent' }) },
      ...{ budgets: harness.budgets, groups: harness.groups, findPlan: harness.accounts.findPlan },
      rules: { plans: PLANS, budget: { usdPerMonth: 100 } },
    });
    const use = { period: 'month', limitUsd: 100, spentUsd: 90 } as const;
    await count('instance', use.spentUsd);
    for (const process of [harness.budgetNotices, other, other, harness.budgetNotices])
      process.check([{ ...use, scope: 'instance', userId, hasRefused: false }]);
    await Promise.all([harness.budgetNotices.flush(), other.flush()]);
    for (const admin of [chief, deputy]) await shows(admin, /^Bot: The budget of the whole service is 90% spent/);
    await isConcluded();
    // The process has ended after the message to the first admin.
    await harness.db.update(budgetNotices).set({ sentTo: [chief.id], sentAt: null });
    await isConcluded();
    const copies = ({ chatId }: Actor) => harness.lines(chatId).filter((line) => /whole service/.test(line)).length;
    expect([copies(chief), copies(deputy)]).toEqual([1, 2]);
  });

  test('reaches neither users without Telegram nor those who have blocked the bot or are banned', async () => {
    await setStage();
    const chief = harness.operator('Chief');
    await begin(chief);
    const [blocking, banned] = [harness.user('Blocking'), harness.user('Banned')];
    const userIds = [await begin(blocking), await begin(banned)];
    await harness.accounts.recordReachability(blocking.id, false);
    await harness.administration.ban({ adminTelegramId: chief.id, telegramId: banned.id, reason: '' });
    const calls = harness.telegram.calls('sendMessage').length;
    for (const userId of [...userIds, 0]) {
      await spend(`user:${userId}`, userId, { period: 'month', limitUsd: 10, spentUsd: 10 });
      await spend(`key:${userId + 900}`, userId, { period: 'total', limitUsd: 2, spentUsd: 2 });
    }
    await spend('address:203.0.113.7', 0, { period: 'day', limitUsd: 2, spentUsd: 2 });
    await expect
      .poll(async () => (await harness.db.select().from(budgetNotices).where(eq(budgetNotices.level, 100))).length)
      .toBeGreaterThan(0);
    await isConcluded();
    expect(harness.telegram.calls('sendMessage')).toHaveLength(calls);
    expect(harness.log.filter((line) => line.includes('"level":50'))).toEqual([]);
  });
});
