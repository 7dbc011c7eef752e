import type { Message } from '@grammyjs/types';
import type { Bot, StoredMessage } from './world.ts';

/**
 * Tells whether a bot that is in the chat gets this message. In groups with privacy mode, a bot without administrator
 * rights gets only commands that may be meant for it, replies to its messages, and service messages; plain mentions
 * only if `mentionsPassPrivacy` is set.
 */
export function isVisibleTo(bot: Bot, stored: StoredMessage): boolean {
  const { chat, body } = stored;
  if (chat.type === 'private' || chat.type === 'channel') return true;
  if (!bot.privacyMode || chat.botStatuses.get(bot.id) === 'administrator') return true;
  if (bot.mentionsPassPrivacy && isMentioning(bot, body)) return true;
  return isServiceMessage(body) || isReplyTo(bot, body) || isViaBot(bot, body) || isCommandFor(bot, body);
}

/** Returns true for messages without text or media, which report an event in the chat. */
export function isServiceMessage(body: Message): boolean {
  return !CONTENT_FIELDS.some((field) => field in body);
}

const CONTENT_FIELDS = [
  'text',
  'rich_message',
  'photo',
  'document',
  'video',
  'audio',
  'voice',
  'video_note',
  'sticker',
  'animation',
  'location',
  'venue',
  'contact',
  'dice',
  'poll',
];

function isReplyTo(bot: Bot, body: Message): boolean {
  return body.reply_to_message?.from?.id === bot.id;
}

function isViaBot(bot: Bot, body: Message): boolean {
  return body.via_bot?.id === bot.id;
}

function isCommandFor(bot: Bot, body: Message): boolean {
  const text = body.text ?? body.caption ?? '';
  const first = (body.entities ?? body.caption_entities)?.find((entity) => entity.type === 'bot_command');
  if (first?.offset !== 0) return false;
  const addressee = text.slice(0, first.length).split('@')[1];
  return addressee === undefined || addressee.toLowerCase() === bot.username.toLowerCase();
}

function isMentioning(bot: Bot, body: Message): boolean {
  const text = body.text ?? body.caption ?? '';
  const name = `@${bot.username}`.toLowerCase();
  return (body.entities ?? body.caption_entities ?? []).some(
    ({ type, offset, length }) => type === 'mention' && text.slice(offset, offset + length).toLowerCase() === name,
  );
}
