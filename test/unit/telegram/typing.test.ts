import { expect, it } from 'vitest';
import { createTelegramClient } from '../../../src/telegram/telegram-client.ts';
import { keepTyping } from '../../../src/telegram/typing.ts';
import { createRecordingLogger } from '../../support/harness/foundation.ts';
import { createScriptedTelegram } from '../../support/hosts/scripted-telegram.ts';
import { createFakeClock } from '../../support/machine/fake-clock.ts';

function setUp() {
  const clock = createFakeClock();
  const telegram = createScriptedTelegram({ clock });
  const { logger } = createRecordingLogger();
  const client = createTelegramClient({ token: '1:test', clock, logger }, { fetch: telegram.fetch });
  return { clock, telegram, client };
}

it('typing is shown at once and repeated until it is stopped', async () => {
  const { clock, telegram, client } = setUp();
  const stop = keepTyping({ client, clock }, { chatId: 7, topicId: 3 });
  await clock.advance(9000);
  stop();
  await clock.advance(60_000);
  expect(telegram.calls).toHaveLength(3);
  expect(telegram.calls[0]?.payload).toEqual({ chat_id: 7, action: 'typing', message_thread_id: 3 });
  expect(clock.pending).toBe(0);
});

it('typing continues after errors and ends by itself', async () => {
  const { clock, telegram, client } = setUp();
  telegram.decide((call) => (call.index % 2 ? 'lost-request' : { status: 500 }));
  keepTyping({ client, clock }, { chatId: 7 }, { action: 'upload_photo', maxMs: 20_000 });
  await clock.advance(120_000);
  expect(telegram.calls).toHaveLength(5);
  expect(clock.pending).toBe(0);
});

it('typing ends when the bot is blocked', async () => {
  const { clock, telegram, client } = setUp();
  telegram.block(7);
  keepTyping({ client, clock }, { chatId: 7 });
  await clock.advance(60_000);
  expect(telegram.calls).toHaveLength(1);
});
