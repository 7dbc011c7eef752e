import type { Message, Update } from 'grammy/types';
import { describe, expect, test } from 'vitest';
import { type BotHarness, createBotHarness } from '../support/harness/bot.ts';
import { PNG } from '../support/harness/users.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const harness = startBeforeAll(() => createBotHarness());

type User = ReturnType<BotHarness['user']>;

const HOUR_S = 3600;
const now = () => Math.floor(Date.now() / 1000);
let nextMessageId = 5000;

const toUpdate = (person: User, text: string | undefined, more: Partial<Message> = {}): Update & { message: Message } =>
  ({
    update_id: nextMessageId,
    message: {
      message_id: nextMessageId++,
      date: now(),
      from: { id: person.id, is_bot: false, first_name: person.name, language_code: 'en' },
      chat: { id: person.chatId, type: 'private', first_name: person.name },
      ...(text !== undefined && { text }),
      ...more,
    },
  }) as Update & { message: Message };

/** Delivers updates together with those that wait behind them, as the inbox does. */
const receive = async (updates: readonly Update[]) => {
  for (const [at, update] of updates.entries())
    await harness.bot.handleUpdate(update, async () => updates.slice(at + 1));
};

test('a repeated update is answered once', async () => {
  const ann = harness.user('Ann');
  const update = toUpdate(ann, 'Once?');
  await harness.bot.handleUpdate(update);
  await harness.bot.handleUpdate(update);
  await harness.shows(ann.chatId, ['Bot: You said: Once?']);
  await harness.bot.handleUpdate(update);
  await harness.bot.handleUpdate(toUpdate(ann, 'Twice?'));
  await harness.shows(ann.chatId, ['Bot: You said: Once?', 'Bot: You said: Twice?']);
});

describe('after downtime', () => {
  const contents = () => harness.models.requests.at(-1)?.messages;

  test('the last question is answered with the earlier ones as context', async () => {
    const ann = harness.user('Ann');
    await receive([
      toUpdate(ann, 'My name is Ann', { date: now() - 3 * HOUR_S + 60 }),
      toUpdate(ann, 'I live in Rome', { date: now() - 2 * HOUR_S }),
      toUpdate(ann, 'Who am I?', { date: now() - 2 * HOUR_S }),
    ]);
    await harness.shows(ann.chatId, [
      'Bot: I was offline: 3 messages arrived, and the first one waited for 3 hours. I’m answering the last one and keeping the others in mind.',
      'Bot: You said: Who am I?',
    ]);
    expect(contents()).toMatchObject([
      { content: 'My name is Ann' },
      { content: 'I live in Rome' },
      { content: 'Who am I?' },
    ]);
    await receive([toUpdate(ann, 'And now?')]);
    await harness.sees(ann.chatId, 'You said: And now?');
  });

  test('a single question is answered after a notice, in the language of the user', async () => {
    const oleg = harness.user('Олег', 'ru');
    const from = { id: oleg.id, is_bot: false, first_name: 'Олег', language_code: 'ru' };
    await receive([toUpdate(oleg, 'Привет', { date: now() - 5 * HOUR_S + 60, from })]);
    await harness.shows(oleg.chatId, [
      'Bot: Я был недоступен, и ваше сообщение ждало 5 часов. Отвечаю на него сейчас.',
      'Bot: You said: Привет',
    ]);
  });

  test('commands run, and a current question is answered instead of older ones', async () => {
    const ann = harness.user('Ann');
    const date = now() - 2 * HOUR_S;
    const entities = [{ type: 'bot_command' as const, offset: 0, length: 4 }];
    await receive([toUpdate(ann, 'Old', { date }), toUpdate(ann, '/new', { date, entities }), toUpdate(ann, 'Fresh')]);
    await harness.shows(ann.chatId, [
      'Bot: I was offline: 2 messages arrived, and the first one waited for 2 hours. I’m answering the last one and keeping the others in mind.',
      'Bot: New conversation started. I won’t use earlier messages.',
      'Bot: You said: Fresh',
    ]);
  });

  test('messages without text count too, and an album is one question', async () => {
    const ann = harness.user('Ann');
    ann.sends({ kind: 'photo', bytes: PNG });
    await harness.sees(ann.chatId, 'You said: a picture');
    const fileId = String(harness.telegram.calls('getFile').at(-1)?.params['file_id']);
    const photo = [{ file_id: fileId, file_unique_id: 'photo', width: 1, height: 1 }];
    const late = { date: now() - 2 * HOUR_S };
    const album = { ...late, photo, media_group_id: 'late' };
    const location = { latitude: 41.9, longitude: 12.5 };
    harness.models.scripts.push('In Rome.');
    await receive([
      toUpdate(ann, 'Where is this?', late),
      toUpdate(ann, undefined, { ...late, location }),
      toUpdate(ann, undefined, album),
      toUpdate(ann, undefined, { ...album, caption: 'Or this?' }),
    ]);
    await harness.sees(ann.chatId, 'In Rome.');
    expect(harness.lines(ann.chatId).filter((line) => line.includes('3 messages arrived'))).toHaveLength(1);
    expect(contents()?.slice(2)).toMatchObject([
      { content: 'Where is this?' },
      { content: '[location] 41.9, 12.5' },
      { content: [{ text: 'Or this?' }, { type: 'image' }, { type: 'image' }] },
    ]);
  });

  test('a question is answered on its own when the messages after it ask nothing', async () => {
    const ann = harness.user('Ann');
    const date = now() - 2 * HOUR_S;
    await receive([toUpdate(ann, 'Why?', { date }), toUpdate(ann, 'https://example.org/', { date })]);
    await harness.sees(ann.chatId, 'You said: Why?');
    await harness.sees(ann.chatId, 'I don’t open bare links. Tap to read this page.');
  });

  test('in a group only messages addressed to the bot count', async () => {
    const { Ann } = harness.group(['Ann', 'Bob']);
    const chat = { id: Ann.chatId, type: 'supergroup' as const, title: 'Friends' };
    const mention = { entities: [{ type: 'mention' as const, offset: 0, length: 11 }] };
    const late = { chat, date: now() - 2 * HOUR_S };
    await receive([
      toUpdate(Ann, '@switch_bot Why?', { ...late, ...mention }),
      toUpdate(Ann, 'See you', late),
      toUpdate(Ann, 'Bye', late),
    ]);
    await harness.sees(Ann.chatId, 'You said: Why?');
    expect(harness.lines(Ann.chatId)[0]).toContain('your message waited for 2 hours');
  });
});
