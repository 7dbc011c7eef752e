import type { Message, MessageEntity, User, UserFromGetMe } from 'grammy/types';
import type { FormattedText } from '../../telegram/markdown/index.ts';

/** Form in which a group message addresses the bot. */
export type Address = 'command' | 'mention' | 'reply';

/**
 * Returns how a group message addresses the bot: by a command (with its username, or without any), by a mention entity,
 * or as a reply to the bot. Undefined if it does not.
 */
export function findAddress(message: Message, me: UserFromGetMe): Address | undefined {
  const command = findLeadingCommand(message);
  if (command !== undefined) {
    const [, addressee] = command.split('@');
    return addressee === undefined || isSameName(addressee, me) ? 'command' : undefined;
  }
  if (listEntities(message).some((entity) => isMention(entity, message, me))) return 'mention';
  // In a topic every message formally replies to the service message that opened the topic.
  const repliedTo = message.reply_to_message;
  return repliedTo?.from?.id === me.id && !repliedTo.forum_topic_created ? 'reply' : undefined;
}

/** Returns `/help` or `/help@some_bot` if a text or caption starts with a command. */
export function findLeadingCommand(message: Message): string | undefined {
  const entity = listEntities(message).find(({ type, offset }) => type === 'bot_command' && offset === 0);
  return entity && readText(message).slice(0, entity.length);
}

/**
 * Returns the text after the command of this name, in a message or caption; undefined if it has another command, or
 * addresses another bot.
 */
export function findCommandText(message: Message, me: UserFromGetMe, name: string): string | undefined {
  const command = findLeadingCommand(message);
  const [written, addressee] = command?.slice(1).split('@') ?? [];
  const isMeant = written?.toLowerCase() === name && (addressee === undefined || isSameName(addressee, me));
  return isMeant ? readText(message).slice(command?.length).trim() : undefined;
}

/** Returns the text or caption of a message without mentions of the bot; at most 100 are removed. */
export function readAddressedText(message: Message, me: UserFromGetMe): string {
  return readAddressed(message, me).text;
}

/** Telegram's limit of entities per message. */
const MAX_MENTIONS = 100;

/** Same as `readAddressedText`, with the entities of the text that is left. */
export function readAddressed(message: Message, me: UserFromGetMe): FormattedText {
  let left = { text: readText(message), entities: listEntities(message) };
  const mentions = left.entities.filter((entity) => isMention(entity, message, me)).slice(0, MAX_MENTIONS);
  for (const { offset, length } of mentions.toSorted((a, b) => b.offset - a.offset)) {
    left = withoutRange(left, ...findGap(left.text, offset, offset + length));
  }
  const { text } = left;
  const end = text.trimEnd().length;
  return withoutRange(withoutRange(left, end, text.length), 0, end - text.trim().length);
}

/** Returns the range of a mention with the comma and space that belong to it. */
function findGap(text: string, start: number, end: number): readonly [start: number, end: number] {
  const [before, after] = [text.slice(0, start), text.slice(end)];
  if (/^\s*[.?!]/.test(after)) return [trimGapEnd(before).length, end + after.length - after.trimStart().length];
  const isAfterGap = before === '' || /\s/.test(before.slice(-1));
  return [start, isAfterGap ? end + after.length - after.replace(/^[\s,:]+/, '').length : end];
}

/** Removes a range of a text, and moves and shortens its entities accordingly. */
function withoutRange({ text, entities }: FormattedText, start: number, end: number): FormattedText {
  if (start >= end) return { text, entities };
  const toPlace = (at: number) => (at <= start ? at : Math.max(start, at - (end - start)));
  const kept = entities.flatMap((entity) => {
    const offset = toPlace(entity.offset);
    const length = toPlace(entity.offset + entity.length) - offset;
    return length > 0 ? [{ ...entity, offset, length }] : [];
  });
  return { text: text.slice(0, start) + text.slice(end), entities: kept };
}

/**
 * Removes white space and commas at the end. A regular expression would need quadratic time for texts with many gaps.
 */
function trimGapEnd(text: string): string {
  let end = text.length;
  while (end > 0 && /[\s,]/.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Returns true for users; false for bots, channels that post in a group, and Telegram's service account. */
export function isUser(sender: User | undefined): sender is User {
  return sender !== undefined && !sender.is_bot && sender.id !== TELEGRAM_ITSELF;
}

/** Account of posts that a channel forwards to its discussion group. */
const TELEGRAM_ITSELF = 777_000;

function isMention(entity: MessageEntity, message: Message, me: UserFromGetMe): boolean {
  if (entity.type === 'text_mention') return entity.user.id === me.id;
  // Compares lengths first: an oversized entity may cover all of a long caption.
  if (entity.type !== 'mention' || entity.length !== me.username.length + 1) return false;
  return isSameName(readText(message).slice(entity.offset + 1, entity.offset + entity.length), me);
}

function isSameName(username: string, me: UserFromGetMe): boolean {
  return username.toLowerCase() === me.username.toLowerCase();
}

function listEntities(message: Message): readonly MessageEntity[] {
  return message.entities ?? message.caption_entities ?? [];
}

function readText(message: Message): string {
  return message.text ?? message.caption ?? '';
}
