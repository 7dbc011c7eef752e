import type { Chat as ApiChat, Message, User } from '@grammyjs/types';
import type { BotView, ChatMessage, ChatView, DraftView, Person } from '../control-protocol.ts';
import { isJsonObject } from '../json.ts';
import { toBotFileId } from './file-store.ts';
import type { Bot, Chat, Draft, StoredMessage, World } from './world.ts';

/** Returns a user as a Bot API object. */
export function toApiUser(person: Person): User {
  return {
    id: person.id,
    is_bot: false,
    first_name: person.firstName,
    ...(person.lastName === undefined ? {} : { last_name: person.lastName }),
    ...(person.username === undefined ? {} : { username: person.username }),
    language_code: person.languageCode,
  };
}

/** Returns a bot as a Bot API object in messages. */
export function toApiBotUser(bot: Bot): User & { is_bot: true; username: string } {
  return { id: bot.id, is_bot: true, first_name: botName(bot), username: bot.username };
}

/** Returns a bot's default name. */
function botName(bot: Bot): string {
  return bot.names.get('') ?? bot.username;
}

/** Returns a chat as the Bot API object in messages. */
export function toApiChat(world: World, chat: Chat): ApiChat {
  const username = chat.username === undefined ? {} : { username: chat.username };
  switch (chat.type) {
    case 'private': {
      const person = world.people.get(chat.id);
      return {
        id: chat.id,
        type: 'private',
        first_name: person?.firstName ?? 'Deleted Account',
        ...(person?.lastName === undefined ? {} : { last_name: person.lastName }),
        ...(person?.username === undefined ? {} : { username: person.username }),
      };
    }
    case 'group':
      return { id: chat.id, type: 'group', title: chat.title };
    case 'supergroup':
      return {
        id: chat.id,
        type: 'supergroup',
        title: chat.title,
        ...username,
        ...(chat.isForum ? { is_forum: true } : {}),
      };
    case 'channel':
      return { id: chat.id, type: 'channel', title: chat.title, ...username };
  }
}

/** Returns a message with the file ids of `bot`. */
export function toBotMessage(bot: Bot, body: Message): Message {
  return withBotFileIds(bot.id, body);
}

/** Copies a Bot API object and replaces every `file_id` by the bot's own. */
function withBotFileIds<Value>(botId: number, value: Value): Value;
function withBotFileIds(botId: number, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withBotFileIds(botId, item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => [
      field,
      field === 'file_id' && typeof inner === 'string' ? toBotFileId(botId, inner) : withBotFileIds(botId, inner),
    ]),
  );
}

/** Returns a message for the control routes. */
export function toChatMessage(stored: StoredMessage): ChatMessage {
  return {
    chatId: stored.chat.id,
    message: stored.body,
    ...(stored.richSource === undefined ? {} : { richSource: stored.richSource }),
    ...(stored.keyboard === undefined ? {} : { keyboard: stored.keyboard }),
    reactions: [...stored.reactions].map(([userId, emoji]) => ({ userId, emoji })),
    edits: stored.edits,
  };
}

/** Returns a chat for the control routes, with the status of `bot` in it. */
export function toChatView(chat: Chat, bot: Bot): ChatView {
  return {
    id: chat.id,
    type: chat.type,
    title: chat.title,
    ...(chat.username === undefined ? {} : { username: chat.username }),
    isForum: chat.isForum,
    memberIds: [...chat.memberIds],
    botStatus: chat.botStatuses.get(bot.id) ?? 'left',
    topics: [...chat.topics.values()].map(({ id, name, isClosed }) => ({ id, name, isClosed })),
    pinnedMessageIds: [...chat.pinnedMessageIds],
    ...(chat.upgradedToId === undefined ? {} : { upgradedToId: chat.upgradedToId }),
    ...(chat.isDeleted ? { isDeleted: true } : {}),
  };
}

export function toBotView(bot: Bot): BotView {
  return {
    id: bot.id,
    username: bot.username,
    name: botName(bot),
    description: bot.descriptions.get('') ?? '',
    shortDescription: bot.shortDescriptions.get('') ?? '',
    commandSets: [...bot.commandSets.values()],
    privacyMode: bot.privacyMode,
    inlineMode: bot.inlineMode,
    privateTopics: bot.privateTopics,
  };
}

export function toDraftView(chat: Chat, draft: Draft): DraftView {
  return {
    chatId: chat.id,
    ...(draft.topicId === undefined ? {} : { topicId: draft.topicId }),
    draftId: draft.draftId,
    text: draft.text,
    entities: draft.entities,
    ...(draft.richSource === undefined ? {} : { richSource: draft.richSource }),
    ...(draft.richBlocks === undefined ? {} : { richBlocks: draft.richBlocks }),
    canStop: draft.canStop,
    expiresAt: draft.expiresAt,
  };
}
