import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../../src/lib/clock.ts';
import { checkChannels } from '../../../../src/telegram/storage/check-channels.ts';
import { createRecordingLogger } from '../../../support/harness/foundation.ts';
import { type ChannelHarnessOptions, STORAGE_TOKENS, startChannelHarness } from '../../../support/harness/storage.ts';

async function start(options: ChannelHarnessOptions = {}) {
  const stage = await startChannelHarness(options);
  onTestFinished(() => stage.close());
  const { logger } = createRecordingLogger();
  const check = (changes: { botTokens?: readonly string[]; chatIds?: readonly number[] } = {}) =>
    checkChannels(
      { clock: systemClock, logger },
      {
        botTokens: STORAGE_TOKENS.slice(0, options.botCount ?? 1),
        chatIds: stage.chatIds,
        apiRoot: stage.simulator.url,
        ...changes,
      },
    );
  return { ...stage, check, control: stage.simulator.control, chatId: stage.chatIds[0] ?? 0 };
}

it('reports which bot stores in which channel if all is well', async () => {
  const { check, chatIds } = await start({ botCount: 2, channelCount: 2 });
  expect(await check()).toEqual({
    lines: chatIds.map((id, index) => `"Vault ${index}" (${id}): @storage_0_bot, @storage_1_bot`),
    problems: [],
  });
});

it.each([
  [{ action: 'demote' as const }, 'it is not an administrator'],
  [{ action: 'promote' as const, rights: { canPostMessages: false } }, 'it lacks the right "Post messages"'],
  [{ action: 'promote' as const, rights: { canDeleteMessages: false } }, 'it lacks the right "Delete messages"'],
])('after %o names the bot, the channel and the missing right', async (change, words) => {
  const { check, control, chatId } = await start({ botCount: 2 });
  control.changeBot(chatId, { action: 'demote' }, 7_100_002);
  control.changeBot(chatId, change, 7_100_002);
  const { lines, problems } = await check();
  expect(lines).toEqual([`"Vault 0" (${chatId}): @storage_0_bot`]);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(`@storage_1_bot can't store files in "Vault 0" (${chatId}): ${words}`);
});

it('reports a channel that is unknown, or that the bot was removed from', async () => {
  const { check, control, chatId } = await start();
  expect((await check({ chatIds: [-1_009_999_999_999] })).problems[0]).toMatch(
    /^@storage_0_bot does not know the channel -1009999999999: .*Add @storage_0_bot/,
  );
  control.changeBot(chatId, { action: 'remove' });
  expect((await check()).problems[0]).toContain(`does not know the channel ${chatId}`);
});

it('reports that a private chat is no channel', async () => {
  const { check, control } = await start();
  const { id } = control.createChat({ type: 'private' });
  expect((await check({ chatIds: [id] })).problems[0]).toContain('is not a channel');
});

it('reports a token unknown to Telegram without repeating it', async () => {
  const { check } = await start();
  const token = `123456:${'x'.repeat(35)}`;
  const { problems } = await check({ botTokens: [token] });
  expect(problems).toEqual([expect.stringContaining('123456')]);
  expect(problems.join()).toMatch(/BotFather/);
  expect(problems.join()).not.toContain('xxx');
});
