import type { Message, MessageEntity, UserFromGetMe } from 'grammy/types';
import { describe, expect, test } from 'vitest';
import { findAddress, findCommandText, readAddressedText } from '../../src/bot/kit/address.ts';
import { measureStep } from '../support/machine/measure.ts';

const me = { id: 7, is_bot: true, first_name: 'Switch', username: 'switch_bot' } as UserFromGetMe;
const ann = { id: 1, is_bot: false, first_name: 'Ann' };

/** Builds a group message. Entities are found as Telegram finds them. */
function message(text: string, more: Partial<Message> = {}): Message {
  const entities: MessageEntity[] = [];
  for (const { index, 0: found } of text.matchAll(/(?<![\w@])@\w+|(?<!\S)\/\w+(@\w+)?/g)) {
    entities.push({ type: found.startsWith('/') ? 'bot_command' : 'mention', offset: index, length: found.length });
  }
  const chat = { id: -5, type: 'supergroup', title: 'Friends' } as const;
  return { message_id: 1, date: 1, chat, from: ann, text, entities, ...more } as Message;
}

const byBot = { message_id: 9, date: 1, from: me, chat: { id: -5, type: 'supergroup', title: 'Friends' } };

test('parses hostile entities within milliseconds', () => {
  const gap = `${' '.repeat(2890)}x${'@switch_bot.'.repeat(100)}`;
  const many = '@switch_bot'.repeat(27_000);
  const mention = (offset: number, length = 11) => ({ type: 'mention', offset, length }) as const;
  const hostile: readonly Partial<Message>[] = [
    { text: gap, entities: Array.from({ length: 100 }, (_, index) => mention(2891 + 12 * index)) },
    { text: many, entities: Array.from({ length: 27_000 }, (_, index) => mention(11 * index)) },
    { text: 'a'.repeat(300_000), entities: Array.from({ length: 3000 }, () => mention(0, 2 ** 53)) },
  ];
  const cpuMs = measureStep(() => {
    for (const more of hostile) {
      findAddress(message('', more), me);
      readAddressedText(message('', more), me);
    }
  });
  expect(cpuMs).toBeLessThan(1500);
});

describe('findAddress in a group', () => {
  test.each([
    ['@switch_bot hello', 'mention'],
    ['hello @Switch_Bot', 'mention'],
    ['hello @switch_bot_2', undefined],
    ['mail me at a@switch_bot', undefined],
    ['hello', undefined],
    ['/new', 'command'],
    ['/new@switch_bot', 'command'],
    ['/new@other_bot', undefined],
    ['/new@other_bot @switch_bot', undefined],
  ])('%j is addressed by %s', (text, address) => {
    expect(findAddress(message(text), me)).toBe(address);
  });

  test('ignores a mention inside a code entity', () => {
    expect(
      findAddress(message('@switch_bot', { entities: [{ type: 'code', offset: 0, length: 11 }] }), me),
    ).toBeUndefined();
  });

  test('takes a reply to the bot as addressed, except to the service message that opened a topic', () => {
    expect(findAddress(message('yes', { reply_to_message: byBot as never }), me)).toBe('reply');
    const opening = { ...byBot, forum_topic_created: { name: 'Topic', icon_color: 1 } };
    expect(findAddress(message('yes', { reply_to_message: opening as never }), me)).toBeUndefined();
  });

  test('recognizes text mentions in captions', () => {
    const { text: _, entities: __, ...bare } = message('');
    const entity: MessageEntity = { type: 'text_mention', offset: 0, length: 6, user: me };
    const photo = { ...bare, caption: 'Switch, look', caption_entities: [entity] };
    expect(findAddress(photo, me)).toBe('mention');
    expect(readAddressedText(photo, me)).toBe('look');
  });
});

describe('findCommandText', () => {
  const below = ({ text, entities, ...rest }: Message): Message =>
    ({ ...rest, caption: text, caption_entities: entities }) as Message;

  test.each([
    ['/imagine a fox', 'a fox'],
    ['/imagine@switch_bot  a fox ', 'a fox'],
    ['/Imagine\na fox', 'a fox'],
    ['/imagine', ''],
    ['/imagine@other_bot a fox', undefined],
    ['/imagined a fox', undefined],
    ['please /imagine a fox', undefined],
    ['a fox', undefined],
  ])('reads %j as %j, in messages and in captions', (text, words) => {
    expect(findCommandText(message(text), me, 'imagine')).toBe(words);
    expect(findCommandText(below(message(text)), me, 'imagine')).toBe(words);
  });

  test('findAddress recognizes commands in captions as in messages', () => {
    expect(findAddress(below(message('/imagine a fox')), me)).toBe('command');
    expect(findAddress(below(message('/imagine@other_bot a fox')), me)).toBeUndefined();
  });
});

describe('readAddressedText', () => {
  test.each([
    ['@switch_bot what is a bell?', 'what is a bell?'],
    ['@switch_bot, what is a bell?', 'what is a bell?'],
    ['what is a bell, @switch_bot?', 'what is a bell?'],
    ['tell @ann and @switch_bot about it', 'tell @ann and about it'],
    ['@switch_bot', ''],
    ['@switch_bot @switch_bot hi', 'hi'],
    ['🔔 @switch_bot ring', '🔔 ring'],
  ])('reads %j as %j', (text, question) => {
    expect(readAddressedText(message(text), me)).toBe(question);
  });
});
