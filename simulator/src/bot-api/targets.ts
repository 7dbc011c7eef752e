import { badRequest, forbidden, upgradedGroup } from '../api-error.ts';
import type { BotRights } from '../control-protocol.ts';
import { findChat, findChatByUsername } from '../world/chats.ts';
import { toApiChat } from '../world/views.ts';
import { isVisibleTo } from '../world/visibility.ts';
import type { Chat, StoredMessage, World } from '../world/world.ts';
import type { Call } from './call.ts';
import { readInteger, readString } from './params.ts';

/** Id of the service message about the creation of a supergroup or channel. */
const CREATION_ID = 1;

/**
 * Returns the chat named by a parameter. @throws ApiError 400 if the parameter is missing or the bot does not know the
 * chat.
 */
export function readChat({ world, bot, params }: Call, name = 'chat_id'): Chat {
  const id = readString(params, name);
  if (id === undefined) throw badRequest(`${name} is empty`);
  const number = readInteger(params, name);
  const chat = number === undefined ? findChatByUsername(world, id) : findChat(world, bot, number);
  // A bot does not know a group that it was never in, unless the group has a public username.
  if (!chat || (chat.username === undefined && !chat.botStatuses.has(bot.id))) throw badRequest('chat not found');
  return chat;
}

/** Returns the chat if the bot may write to it. @throws ApiError 400, 403 */
export function readWritableChat(call: Call): Chat {
  const chat = readChat(call);
  checkAccess(call, chat);
  if (chat.type === 'channel' && !mayInChannel(call, chat, 'canPostMessages')) {
    throw badRequest('need administrator rights in the channel chat');
  }
  return chat;
}

/** Tells whether the bot is an administrator with this right. */
export function mayInChannel({ bot }: Call, chat: Chat, right: keyof BotRights): boolean {
  return chat.botStatuses.get(bot.id) === 'administrator' && (chat.botRights.get(bot.id)?.[right] ?? true);
}

/**
 * Checks that the bot may use the chat. Upgraded or deleted groups, and private chats with deleted accounts, refuse
 * writing only (`check_chat_access` of tdlib/telegram-bot-api).
 * @throws ApiError 403 if the bot is not in the chat or the chat is deleted; 400 with `migrate_to_chat_id` if the group
 * was upgraded.
 */
export function checkAccess({ bot }: Call, chat: Chat, access: 'read' | 'edit' | 'write' = 'write'): void {
  if (access === 'write' && chat.upgradedToId !== undefined) throw upgradedGroup(chat.upgradedToId);
  if (access === 'write' && chat.isDeleted) {
    throw forbidden(chat.type === 'private' ? 'user is deactivated' : 'the group chat was deleted');
  }
  const kind = chat.type === 'private' ? 'private' : chat.type;
  switch (chat.botStatuses.get(bot.id)) {
    case 'blocked':
      throw forbidden('bot was blocked by the user');
    case 'kicked':
      throw forbidden(`bot was kicked from the ${kind} chat`);
    case 'left':
    case undefined:
      throw forbidden(`bot is not a member of the ${kind} chat`);
    default:
  }
}

/** @throws ApiError 400 if the bot is not an administrator of the group. Private chats need no administrator. */
export function checkAdministrator({ bot }: Call, chat: Chat, right: string): void {
  if (chat.type !== 'private' && chat.botStatuses.get(bot.id) !== 'administrator') {
    throw badRequest(`not enough rights to ${right}`);
  }
}

/**
 * Returns the message named by `chat_id` and `message_id`. @throws ApiError 400 with `message to <purpose> not found`.
 */
export function readMessage(call: Call, chat: Chat, purpose: string): StoredMessage {
  const stored = findMessage(call, chat, readInteger(call.params, 'message_id') ?? 0);
  if (!stored) throw badRequest(`message to ${purpose} not found`);
  return stored;
}

/**
 * Returns the message with this id if the bot can see it: Telegram treats messages hidden by privacy mode in
 * supergroups as missing.
 */
export function findMessage({ bot, world }: Call, chat: Chat, id: number): StoredMessage | undefined {
  if (id === CREATION_ID && isSupergroupOrChannel(chat)) return toCreationMessage(world, chat);
  const stored = chat.messages.get(id);
  const isHidden = stored && chat.type === 'supergroup' && stored.authorBotId !== bot.id && !isVisibleTo(bot, stored);
  return isHidden ? undefined : stored;
}

/** Tells whether the chat is a supergroup or channel; Telegram implements both alike. */
export function isSupergroupOrChannel(chat: Chat): boolean {
  return chat.type === 'supergroup' || chat.type === 'channel';
}

/**
 * Tells whether this is the first message of a supergroup or channel, which can't be replied to, edited, forwarded or
 * deleted.
 */
export function isCreationMessage({ chat, body }: StoredMessage): boolean {
  return body.message_id === CREATION_ID && isSupergroupOrChannel(chat);
}

/** Creates the service message about the creation of a supergroup or channel, which is not stored in the transcript. */
function toCreationMessage(world: World, chat: Chat): StoredMessage {
  const kind =
    chat.type === 'channel' ? { channel_chat_created: true as const } : { supergroup_chat_created: true as const };
  return {
    chat,
    authorBotId: undefined,
    body: { message_id: CREATION_ID, chat: toApiChat(world, chat), date: 1, ...kind },
    richSource: undefined,
    keyboard: undefined,
    reactions: new Map(),
    edits: 0,
  };
}

/**
 * Returns the topic to write to; undefined outside topics. Only administrators can write to a closed topic.
 * @throws ApiError 400
 */
export function readTopicId(call: Call, chat: Chat): number | undefined {
  const id = readInteger(call.params, 'message_thread_id');
  if (id === undefined || id === 0) return undefined;
  const topic = chat.topics.get(id);
  if (!topic) throw badRequest('message thread not found');
  if (topic.isClosed && chat.botStatuses.get(call.bot.id) !== 'administrator') throw badRequest('TOPIC_CLOSED');
  return id;
}
