import type { Message, Update, User } from '@grammyjs/types';
import { listBotsIn, publish, publishChat } from './chats.ts';
import { endDraft } from './drafts.ts';
import type { UpdateType } from './update-queue.ts';
import { toApiChat, toBotMessage, toChatMessage } from './views.ts';
import { isVisibleTo } from './visibility.ts';
import { type Bot, type Chat, type StoredMessage, unixTime, type World } from './world.ts';

/** Content of a message, without id, date, chat and author. File ids are internal. */
export type MessageContent = Partial<Omit<Message, 'message_id' | 'date' | 'chat' | 'from' | 'sender_chat'>>;

export interface NewStoredMessage {
  readonly chat: Chat;
  /** Undefined for channel posts. */
  readonly from: User | undefined;
  readonly content: MessageContent;
  readonly author?: Bot;
  readonly topicId?: number;
  /** The message announces a new topic and is its first. */
  readonly opensTopic?: boolean;
  readonly richSource?: StoredMessage['richSource'];
  readonly keyboard?: StoredMessage['keyboard'];
}

/**
 * Adds a message to a chat, publishes it, and queues it for the bots that may see it, except its author.
 * A message of a bot ends its draft in the same chat or topic.
 */
export function addMessage(world: World, message: NewStoredMessage): StoredMessage {
  const { chat, author } = message;
  const messageId = takeMessageId(world, chat);
  const topicId = message.opensTopic ? messageId : message.topicId;
  const stored: StoredMessage = {
    chat,
    authorBotId: author?.id,
    body: {
      message_id: messageId,
      ...(topicId === undefined ? {} : { message_thread_id: topicId, is_topic_message: true }),
      ...(message.from === undefined ? {} : { from: message.from }),
      ...(chat.type === 'channel' ? { sender_chat: toApiChat(world, chat) } : {}),
      chat: toApiChat(world, chat),
      date: unixTime(world),
      ...(chat.protectsContent ? { has_protected_content: true } : {}),
      ...message.content,
    },
    richSource: message.richSource,
    keyboard: message.keyboard,
    reactions: new Map(),
    edits: 0,
  };
  chat.messages.set(stored.body.message_id, stored);
  forgetOldest(chat, world.messagesPerChat);
  if (author) endDraft(world, chat, topicId);
  publish(world, chat, () => ({ type: 'message', message: toChatMessage(stored) }));
  pushToBots(world, stored, chat.type === 'channel' ? 'channel_post' : 'message');
  return stored;
}

/**
 * Returns the next message id. Private chats and basic groups of a bot share one counter; supergroups and channels have
 * one each.
 */
function takeMessageId(world: World, chat: Chat): number {
  const isShared = chat.type === 'private' || chat.type === 'group';
  const owner = isShared ? world.bots.find((bot) => chat.botStatuses.has(bot.id)) : undefined;
  if (!owner) return chat.nextMessageId++;
  if (chat.type === 'private') return owner.nextPrivateMessageId++;
  // A group may have had messages before the bot joined.
  const id = Math.max(owner.nextPrivateMessageId, chat.nextMessageId);
  owner.nextPrivateMessageId = id + 1;
  chat.nextMessageId = id + 1;
  return id;
}

function forgetOldest(chat: Chat, capacity: number): void {
  for (const id of chat.messages.keys()) {
    if (chat.messages.size <= capacity) return;
    chat.messages.delete(id);
  }
}

function pushToBots(world: World, stored: StoredMessage, type: UpdateType): void {
  for (const bot of listBotsIn(world, stored.chat)) {
    if (stored.authorBotId !== undefined || !isVisibleTo(bot, stored)) continue;
    pushMessage(bot, type, withTopicOpening(stored));
  }
}

/** In forum topics, adds the service message that opened the topic as the reply target of messages without one. */
function withTopicOpening({ chat, body }: StoredMessage): Message {
  const { message_thread_id: topicId, reply_to_message: replied, forum_topic_created: opening } = body;
  if (chat.type !== 'supergroup' || topicId === undefined || replied || opening) return body;
  const opened = chat.messages.get(topicId);
  const shown = opened && toReplyTarget(opened);
  return shown ? { ...body, reply_to_message: shown } : body;
}

/** Queues a message as an update. */
export function pushMessage(bot: Bot, type: UpdateType, body: Message): void {
  bot.updates.push(type, (updateId) => {
    const update: Update = { update_id: updateId };
    return Object.assign(update, { [type]: toBotMessage(bot, body) });
  });
}

export interface MessageChange {
  readonly content: MessageContent;
  readonly richSource?: StoredMessage['richSource'];
}

/**
 * Replaces the content of a message; id, chat, author, date, reply and topic are kept, all other fields are dropped.
 * An edit by a user is queued as an update for the bots.
 */
export function editMessage(world: World, stored: StoredMessage, change: MessageChange): void {
  stored.body = { ...keptByEdits(stored.body), ...change.content, edit_date: unixTime(world) };
  stored.richSource = change.richSource;
  stored.edits++;
  publishChange(world, stored);
  pushToBots(world, stored, stored.chat.type === 'channel' ? 'edited_channel_post' : 'edited_message');
}

function keptByEdits(body: Message): Message {
  const kept: Message = { message_id: body.message_id, chat: body.chat, date: body.date };
  const names = [
    'from',
    'sender_chat',
    'message_thread_id',
    'is_topic_message',
    'reply_to_message',
    'quote',
    'via_bot',
    'guest_bot_caller_user',
    'media_group_id',
    'forward_origin',
    'has_protected_content',
  ] as const;
  for (const name of names) if (body[name] !== undefined) Object.assign(kept, { [name]: body[name] });
  return kept;
}

/** Publishes a changed message. */
export function publishChange(world: World, stored: StoredMessage): void {
  publish(world, stored.chat, () => ({ type: 'message-changed', message: toChatMessage(stored) }));
}

/** Deletes the existing messages among the ids. As in Telegram, bots get no update. */
export function deleteMessages(world: World, chat: Chat, messageIds: readonly number[]): void {
  const deleted = messageIds.filter((id) => chat.messages.delete(id));
  if (deleted.length === 0) return;
  publish(world, chat, () => ({ type: 'messages-deleted', chatId: chat.id, messageIds: deleted }));
  const pins = chat.pinnedMessageIds.filter((id) => !deleted.includes(id));
  if (pins.length === chat.pinnedMessageIds.length) return;
  chat.pinnedMessageIds.splice(0, Infinity, ...pins);
  publishChat(world, chat);
}

/** Clears a private chat for its user. As in Telegram, the bot gets no update and keeps the messages. */
export function clearHistory(world: World, chat: Chat): void {
  const messageIds = listSeen(chat).map(({ body }) => body.message_id);
  chat.clearedUpTo = messageIds.at(-1) ?? chat.clearedUpTo;
  publish(world, chat, () => ({ type: 'messages-deleted', chatId: chat.id, messageIds }));
}

/** Returns the messages that the users of a chat see, oldest first. */
export function listSeen(chat: Chat): StoredMessage[] {
  return [...chat.messages.values()].filter(({ body }) => body.message_id > chat.clearedUpTo);
}

/** Returns the message as a reply target: without its own reply. */
export function toReplyTarget(stored: StoredMessage): ReplyTarget | undefined {
  const { reply_to_message: _, ...target } = stored.body;
  return isReplyTarget(target) ? target : undefined;
}

type ReplyTarget = NonNullable<Message['reply_to_message']>;

/** Needed because the declared type can't be written as an object: its field is optional and undefined at once. */
function isReplyTarget(body: Message): body is ReplyTarget {
  return body.reply_to_message === undefined;
}
