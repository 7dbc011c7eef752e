import type { Message, MessageEntity, User, UserFromGetMe } from 'grammy/types';

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

/** Telegram's limit of entities per message. */
const MAX_MENTIONS = 100;

/** Returns the text or caption of a message without mentions of the bot; at most 100 are removed. */
export function readAddressedText(message: Message, me: UserFromGetMe): string {
  let text = readText(message);
  const mentions = listEntities(message)
    .filter((entity) => isMention(entity, message, me))
    .slice(0, MAX_MENTIONS);
  for (const { offset, length } of mentions.toSorted((a, b) => b.offset - a.offset)) {
    text = joinAround(text.slice(0, offset), text.slice(offset + length));
  }
  return text.trim();
}

/** Joins the text around a mention, without the comma and space that belonged to it. */
function joinAround(before: string, after: string): string {
  if (/^\s*[.?!]/.test(after)) return trimGapEnd(before) + after.trimStart();
  return before === '' || /\s/.test(before.slice(-1)) ? before + after.replace(/^[\s,:]+/, '') : before + after;
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
