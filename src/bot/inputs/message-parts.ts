import type { Message, UserFromGetMe } from 'grammy/types';
import type { LRUCache } from 'lru-cache';
import { createCache } from '../../lib/async/cache.ts';
import { type Address, findAddress, findLeadingCommand, isUser } from '../kit/address.ts';
import { isGroup, toChatTopic, toChatTopicKey } from '../kit/chats.ts';
import type { BotServices } from '../kit/services.ts';
import { isCutOff } from './question.ts';

/** Maximum number of parts; albums have 10 at most. 50 full messages are 200,000 characters. */
export const MAX_PARTS = 50;
/** Parts arrive within seconds; updates may wait in the inbox before they are handled. */
const TTL_MS = 120_000;
/** Bounds memory: a message has some 20 KB at most. */
const MAX_MESSAGES = 2000;

/** Strongest first. */
const ADDRESSES: readonly Address[] = ['command', 'mention', 'reply'];

/**
 * Messages of groups that an app has sent as parts of one: an album, or a text too long for one message. Usually only
 * one part addresses the bot, which makes all of them meant for it. In memory only, so that nothing of what users tell
 * each other is stored: parts that arrived before a restart, or at another process, are not known.
 */
export class MessageParts {
  /** Parts so far, in the order of arrival, by each of their messages and by what the next part has in common with them. */
  readonly #wholes: LRUCache<string, Message[]>;

  constructor({ clock }: BotServices) {
    this.#wholes = createCache(clock, { max: MAX_MESSAGES, ttlMs: TTL_MS });
  }

  /** Records a message at its arrival; may be repeated. Ignores messages that are no part of another. */
  record(message: Message | undefined): void {
    // A webhook accepts any JSON with an update id, so fields may be missing.
    if (!message?.chat || !isGroup(message.chat) || !isUser(message.from) || message.sender_chat) return;
    const key = toMessageKey(message);
    if (this.#wholes.has(key)) return;
    const commonKey = toCommonKey(message);
    const parts = this.#wholes.get(commonKey);
    const isNext = parts !== undefined && parts.length < MAX_PARTS && isNextPart(parts.at(-1), message);
    if (!isNext && !mayBeFirstPart(message)) return;
    const whole = isNext ? parts : [];
    whole.push(message);
    this.#wholes.set(commonKey, whole);
    this.#wholes.set(key, whole);
  }

  /** Returns how a message, or another part of the same whole, addresses the bot; undefined if none does. */
  findAddress(message: Message, me: UserFromGetMe): Address | undefined {
    const addresses = this.#listParts(message).map((part) => findAddress(part, me));
    return ADDRESSES.find((address) => addresses.includes(address));
  }

  /** Returns whether a message or another part of the same whole starts with a command. */
  hasCommand(message: Message): boolean {
    return this.#listParts(message).some((part) => findLeadingCommand(part) !== undefined);
  }

  /** Returns the known parts that were sent before a message. */
  listBefore(message: Message): readonly Message[] {
    return this.#listParts(message).filter(({ message_id: id }) => id < message.message_id);
  }

  /** Returns the message with the other parts. It may be an edited version of the recorded one. */
  #listParts(message: Message): readonly Message[] {
    const whole = this.#wholes.get(toMessageKey(message)) ?? [message];
    return whole.map((part) => (part.message_id === message.message_id ? message : part));
  }
}

/** Returns whether a message is an album's, or a text that may be cut. */
export function mayBeFirstPart(message: Message): boolean {
  return message.media_group_id !== undefined || isCutOff({ content: message.text ?? '' });
}

/** Maximum difference of the dates of two parts of a text, which apps send at once, in seconds. */
const MAX_GAP_S = 3;

/** Returns whether a message continues another of the same author: in the same album, or as the rest of a cut text. */
export function isNextPart(before: Message | undefined, message: Message): boolean {
  if (!before || before.from?.id !== message.from?.id) return false;
  if (before.media_group_id !== undefined) return before.media_group_id === message.media_group_id;
  if (before.text === undefined || message.text === undefined || !isCutOff({ content: before.text })) return false;
  if (findLeadingCommand(message) !== undefined) return false;
  const isSamePlace = toChatTopicKey(toChatTopic(before)) === toChatTopicKey(toChatTopic(message));
  return isSamePlace && message.message_id > before.message_id && message.date - before.date <= MAX_GAP_S;
}

/** Returns a key of a message among those of all chats. */
export function toMessageKey({ chat, message_id: messageId }: Message): string {
  return `${chat.id}/${messageId}`;
}

function toCommonKey(message: Message): string {
  const topic = toChatTopicKey(toChatTopic(message));
  return `${topic}/${message.from?.id}/${message.media_group_id === undefined ? 'text' : `album ${message.media_group_id}`}`;
}
