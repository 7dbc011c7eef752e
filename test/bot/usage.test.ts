import { describe, expect, test } from 'vitest';
import { createBotHarness } from '../support/harness/bot.ts';
import { createUsageEntry } from '../support/samples/usage-entry.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const harness = startBeforeAll(() =>
  createBotHarness({
    plans: { free: { user: { requestsPerMinute: 20, tokensPerDay: 100_000, imagesPerDay: 5 } }, admin: {} },
  }),
);

function record(userId: number, entry: { model: string; tokens?: number; images?: number; costUsd?: number }) {
  harness.usage.record(
    createUsageEntry(userId, {
      kind: entry.images === undefined ? 'chat' : 'image',
      model: entry.model,
      promptTokens: 0,
      completionTokens: entry.tokens ?? 0,
      imageCount: entry.images ?? 0,
      costUsd: entry.costUsd,
    }),
  );
}

describe('/usage', () => {
  test('shows usage of today and of the month, models and remaining quota, with a chart', async () => {
    const ann = harness.user('Ann');
    const { id } = await harness.accounts.ensureTelegramUser(ann.id);
    record(id, { model: 'clever', tokens: 1200, costUsd: 0.05 });
    record(id, { model: 'clever', tokens: 34, costUsd: 0.0025 });
    record(id, { model: 'basic', tokens: 500 });
    record(id, { model: 'painter', tokens: 1399, images: 2, costUsd: 0.08 });
    (await harness.limits.reserve({ userId: id }, { tokens: () => 1, moreTokens: 0, images: 0 })).settle({
      tokens: 1734,
      images: 2,
    });
    ann.writes('/usage');
    const { message } = await harness.sees(ann.chatId, /This month/);
    const lines = (message.caption ?? '').split('\n');
    expect(lines.slice(0, 7)).toEqual([
      'Today: 4 requests, 1,734 tokens, 2 images, $0.1325 + 1 request without a known price',
      'This month: 4 requests, 1,734 tokens, 2 images, $0.1325 + 1 request without a known price',
      '',
      'This month by model:',
      'clever: 2 requests, 1,234 tokens, $0.0525',
      'basic: 1 request, 500 tokens, price unknown',
      'painter: 1 request, 2 images, $0.08',
    ]);
    expect(lines.slice(8, 12)).toEqual([
      'Remaining:',
      '19 of 20 requests this minute',
      '98,266 of 100,000 tokens today',
      '3 of 5 images today',
    ]);
    expect(lines[12]).toMatch(/^Limits reset at 00:00 UTC, in \d+ (hours?|minutes?|seconds?)\.$/);
    const largest = message.photo?.at(-1);
    expect([largest?.width, largest?.height]).toEqual([1080, 720]);
  });

  test('switches the chart between the amounts that there are', async () => {
    const bob = harness.user('Bob');
    const { id } = await harness.accounts.ensureTelegramUser(bob.id);
    record(id, { model: 'clever', tokens: 1200, costUsd: 0.000012 });
    bob.writes('/usage');
    const { message } = await harness.sees(bob.chatId, /This month: 1 request, 1,200 tokens, \$0\.000012\n/);
    const shown = () => harness.telegram.transcript(bob.chatId).at(-1)?.message;
    const labels = () =>
      shown()
        ?.reply_markup?.inline_keyboard.flat()
        .map(({ text }) => text);
    expect(labels()).toEqual(['Dollars']);
    await bob.presses('Dollars');
    await expect.poll(labels).toEqual(['Tokens']);
    expect(shown()?.message_id).toBe(message.message_id);
    expect(shown()?.caption).toBe(message.caption);
    expect(shown()?.photo?.at(-1)?.file_unique_id).not.toBe(message.photo?.at(-1)?.file_unique_id);
  });

  test('shows what is left of budgets, and when they reset in the time zone of the user', async () => {
    const cid = harness.user('Cid');
    const { id } = await harness.accounts.ensureTelegramUser(cid.id);
    await harness.accounts.updateSettings(id, { timeZone: 'Europe/Berlin' });
    await harness.budgets.setBudget(`user:${id}`, { usdPerDay: 0.5, usdPerMonth: 5, usdTotal: 20 });
    record(id, { model: 'clever', tokens: 1200, costUsd: 0.2 });
    await harness.usage.flush();
    cid.writes('/usage');
    const { message } = await harness.sees(cid.chatId, /Remaining/);
    expect(message.caption).toMatch(/\n\$0\.30 of \$0\.50 today, until .*\(Europe\/Berlin\)\n/);
    expect(message.caption).toMatch(/\n\$4\.80 of \$5\.00 this month, until .* 1, .*\(Europe\/Berlin\)\n/);
    expect(message.caption).toMatch(/\n\$20\.00 of \$20\.00 in total$/);
  });

  test('counts the latest request', async () => {
    const ann = harness.user('Ann');
    ann.writes('hello');
    await harness.sees(ann.chatId, 'You said: hello');
    ann.writes('/usage');
    const { message } = await harness.sees(ann.chatId, /Today: 1 request, 1 token\n/);
    expect(message.caption).toMatch(/\n19 of 20 requests this minute\n/);
  });

  test('reports when there is no usage and no limit', async () => {
    const boss = harness.operator('Boss');
    boss.writes('/usage');
    const { message } = await harness.sees(boss.chatId, 'No usage this month.');
    expect(message.photo).toBeUndefined();
  });

  test('is refused in groups', async () => {
    const { Ann } = harness.group(['Ann']);
    Ann.writes('/usage');
    await harness.sees(Ann.chatId, 'Your usage is private. Send me this command in our private chat.');
  });

  test('answers in Russian', async () => {
    const oleg = harness.user('Олег', 'ru');
    const { id } = await harness.accounts.ensureTelegramUser(oleg.id);
    record(id, { model: 'clever', tokens: 22 });
    oleg.writes('/usage');
    await harness.sees(oleg.chatId, /Сегодня: 1 запрос, 22 токена\n/);
  });
});
