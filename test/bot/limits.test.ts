import { describe, expect, test } from 'vitest';
import { createBotHarness } from '../support/harness/bot.ts';
import { createModelEntry } from '../support/hosts/scripted-models.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const harness = startBeforeAll(() =>
  createBotHarness({
    // Requests for titles do not count here.
    asksForTitles: true,
    models: [
      createModelEntry('basic', { price: { input: 1, output: 1 } }),
      createModelEntry('brush', { type: 'image' }),
    ],
    plans: {
      free: { user: { requestsPerMinute: 2, imagesPerDay: 1 }, chat: { tokensPerDay: 3000 } },
      trusted: { user: { requestsPerMinute: 100 } },
      poor: { user: { usdPerMonth: 0 } },
      lost: { chat: { usdTotal: 0 } },
    },
  }),
);

describe('a user who has reached a limit', () => {
  test('is shown when the limit resets, and can press Retry', async () => {
    const ann = harness.user('Ann');
    for (const word of ['one', 'two']) {
      ann.writes(word);
      await harness.sees(ann.chatId, `You said: ${word}`);
    }
    const isTitle = ({ messages }: { messages: readonly { content?: unknown }[] }) =>
      String(messages[0]?.content).startsWith('You write titles for');
    await expect.poll(() => harness.models.requests.filter(isTitle).length).toBe(1);
    ann.writes('three');
    const { message } = await harness.sees(ann.chatId, /Too many requests\. Try again in (\d+ seconds?|1 minute)\./);
    expect(message.reply_markup?.inline_keyboard.flat().map(({ text }) => text)).toEqual(['Retry']);
    await harness.passes(61_000);
    await ann.presses('Retry');
    await harness.sees(ann.chatId, 'You said: three');
  });

  test('gets the error in Russian', async () => {
    const oleg = harness.user('Олег', 'ru');
    for (const word of ['раз', 'два']) {
      oleg.writes(word);
      await harness.sees(oleg.chatId, `You said: ${word}`);
    }
    oleg.writes('три');
    await harness.sees(oleg.chatId, /Слишком много запросов\. Попробуйте через/);
  });

  test('gets no more images than the daily quota', async () => {
    const ann = harness.user('Ann');
    ann.writes('/imagine --n 2 two foxes');
    await harness.sees(
      ann.chatId,
      /You’ve reached today’s image limit\. It resets at 00:00 UTC \(in \d+ (hours?|minutes?|seconds?)\)\. \/usage/,
    );
  });

  test('shares the limits of a group with its other users', async () => {
    const { Ann, Bob } = harness.group(['Ann', 'Bob']);
    harness.models.scripts.push('word '.repeat(3100));
    Ann.writes('@switch_bot a long story');
    await harness.sees(Ann.chatId, /word word/);
    await expect.poll(() => harness.telegram.transcript(Ann.chatId).length).toBeGreaterThan(3);
    Bob.writes('@switch_bot and now me');
    await harness.sees(Bob.chatId, /This chat has reached today’s limit\./);
  });
});

describe('a user whose budget is used up', () => {
  const spend = async (plan: string, timeZone?: string) => {
    const ann = harness.user('Ann');
    ann.writes('/start');
    await harness.sees(ann.chatId, /basic/);
    const user = await harness.accounts.ensureTelegramUser(ann.id);
    await harness.accounts.setPlan(user.id, plan);
    await harness.accounts.updateSettings(user.id, { timeZone });
    await harness.passes(1000);
    ann.writes('hello');
    return ann;
  };

  test('is shown when it resets, in UTC', async () => {
    const ann = await spend('poor');
    await harness.sees(ann.chatId, /^Your monthly budget is used up until \w{3} 1, \d{4}, 12:00.AM \(UTC\)\.$/);
  });

  test('is shown when it resets, in the own time zone', async () => {
    const ann = await spend('poor', 'Asia/Tokyo');
    await harness.sees(ann.chatId, /^Your monthly budget is used up until \w{3} 1, \d{4}, 9:00.AM \(Asia\/Tokyo\)\.$/);
    const west = await spend('poor', 'America/New_York');
    await harness.sees(west.chatId, /until \w{3} \d+, \d{4}, [78]:00.PM \(America\/New_York\)\.$/);
  });

  test('is not shown a time for a total budget', async () => {
    const ann = await spend('lost');
    await harness.sees(ann.chatId, 'This chat’s budget is used up.');
  });
});

describe('/plan', () => {
  test('changes the plan of a user at once', async () => {
    const [boss, ann] = [harness.operator('Boss'), harness.user('Ann')];
    ann.writes('hello');
    await harness.sees(ann.chatId, 'You said: hello');
    boss.writes(`/plan ${ann.id}`);
    await harness.sees(boss.chatId, `Ann (${ann.id}) is on the plan free.`);
    boss.writes(`/plan ${ann.id} trusted`);
    await harness.sees(boss.chatId, `Ann (${ann.id}) is now on the plan trusted.`);
    for (const word of ['one', 'two', 'three']) {
      ann.writes(word);
      await harness.sees(ann.chatId, `You said: ${word}`);
    }
    boss.writes(`/plan ${ann.id} default`);
    await harness.sees(boss.chatId, `Ann (${ann.id}) is now on the plan free.`);
  });

  test('explains its arguments, and rejects unknown plans and users', async () => {
    const boss = harness.operator('Boss');
    boss.writes('/plan');
    await harness.sees(
      boss.chatId,
      /Send \/plan, a user’s Telegram id and the name of a plan\. Plans: free, trusted, poor, lost, admin\./,
    );
    boss.writes('/plan 999000111 trusted');
    await harness.sees(boss.chatId, 'No user with the id 999000111 has written to me yet.');
    boss.writes(`/plan ${boss.id} golden`);
    await harness.sees(boss.chatId, 'There is no plan golden. Plans: free, trusted, poor, lost, admin.');
    boss.writes(`/plan ${boss.id}`);
    await harness.sees(boss.chatId, `Boss (${boss.id}) is on the plan admin.`);
  });

  test('is unknown to users', async () => {
    const ann = harness.user('Ann');
    ann.writes('/plan 1 trusted');
    await harness.sees(ann.chatId, 'I don’t know /plan. /help lists what I can do.');
  });
});
