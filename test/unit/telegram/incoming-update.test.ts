import type { Update } from '@grammyjs/types';
import { expect, it } from 'vitest';
import { toChatQueue } from '../../../src/telegram/updates/incoming-update.ts';

const chat = { id: -100 };
const from = { id: 7 };

it.each<[string, object, number]>([
  ['a message', { message: { chat, from } }, -100],
  ['a callback query in a chat', { callback_query: { from, message: { chat } } }, -100],
  ['a callback query outside chats', { callback_query: { from } }, 7],
  ['an inline query', { inline_query: { from } }, 7],
  ['a change of membership', { my_chat_member: { chat, from } }, -100],
  ['an unknown kind of update', { something_new: {} }, 0],
  ['a message without a chat', { message: {} }, 0],
  ['an invalid chat id', { message: { chat: { id: 'a' } } }, 0],
  ['a null message', { message: null }, 0],
])('finds the chat queue of %s', (_name, update, route) => {
  expect(toChatQueue(Object.assign({ update_id: 1 }, update) as Update)).toBe(route);
});
