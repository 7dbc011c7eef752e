import type { Message } from '@grammyjs/types';
import { z } from 'zod';
import { isJsonObject } from '../json.ts';
import type { StoredFile } from './file-store.ts';
import type { Bot, Chat, StoredMessage, World } from './world.ts';

/** Limits of a snapshot: the newest messages of each chat, then of all chats together. */
const MESSAGES_PER_CHAT = 200;
const MESSAGE_CHARACTERS = 4 * 1024 * 1024;
const MAX_PEOPLE = 1000;
const MAX_CHATS = 500;
const MAX_FILES = 2000;
/** Ids that a restored world skips: a killed process may have used some after its last snapshot. */
const SKIPPED_IDS = 1000;

const id = z.int();
const count = z.int().nonnegative();
const person = z.object({
  id,
  firstName: z.string(),
  lastName: z.string().exactOptional(),
  username: z.string().exactOptional(),
  languageCode: z.string(),
});
const file = z.object({
  kind: z.custom<StoredFile['kind']>((value) => typeof value === 'string'),
  id: z.string(),
  uniqueId: z.string(),
  sizeBytes: count,
  fileName: z.string().optional(),
  mimeType: z.string().optional(),
  path: z.string(),
  size: z.object({ width: z.number(), height: z.number() }).optional(),
});
const isObject = (value: unknown) => isJsonObject(value);
const message = z.object({
  authorBotId: id.optional(),
  body: z.custom<Message>(
    (value) =>
      z.looseObject({ message_id: id, date: z.number(), chat: z.looseObject({ id }) }).safeParse(value).success,
  ),
  richSource: z.custom<NonNullable<StoredMessage['richSource']>>(isObject).optional(),
  keyboard: z.custom<NonNullable<StoredMessage['keyboard']>>(isObject).optional(),
  reactions: z.array(z.tuple([id, z.array(z.string())])),
  edits: count,
});
const chat = z.object({
  key: z.string(),
  id,
  type: z.enum(['private', 'group', 'supergroup', 'channel']),
  title: z.string(),
  description: z.string(),
  username: z.string().optional(),
  isForum: z.boolean(),
  protectsContent: z.boolean().default(false),
  isDeleted: z.boolean().default(false),
  memberIds: z.array(id),
  botStatuses: z.array(z.tuple([id, z.enum(['member', 'administrator', 'left', 'kicked', 'blocked'])])),
  topics: z.array(
    z.object({
      id,
      name: z.string(),
      isClosed: z.boolean(),
      iconColor: z.number(),
      iconCustomEmojiId: z.string().optional(),
      creatorBotId: id.optional(),
    }),
  ),
  pinnedMessageIds: z.array(id),
  clearedUpTo: count.default(0),
  messages: z.array(message),
  nextMessageId: id,
  upgradedToId: id.optional(),
});
const snapshot = z.object({
  version: z.literal(1),
  bots: z
    .array(
      z.object({
        token: z.string().regex(/^\d+:[\w-]+$/),
        privacyMode: z.boolean(),
        inlineFeedback: z.boolean(),
        privateTopics: z.boolean().default(false),
        nextPrivateMessageId: id,
        nextUpdateId: id,
      }),
    )
    .min(1),
  nextNumber: id,
  people: z.array(person),
  chats: z.array(chat),
  files: z.array(file),
});

/** Serializable state of a world, without file contents, drafts and pending queries. */
export type WorldSnapshot = z.output<typeof snapshot>;

/** Reads a snapshot from JSON. @throws SyntaxError or ZodError */
export function parseSnapshot(json: string): WorldSnapshot {
  return snapshot.parse(JSON.parse(json));
}

/** Returns a snapshot of limited size: the newest messages, the first users and chats. */
export function takeSnapshot(world: World): WorldSnapshot {
  const kept = chooseMessages(world);
  return {
    version: 1,
    bots: world.bots.map((bot) => ({
      token: bot.token,
      privacyMode: bot.privacyMode,
      inlineFeedback: bot.inlineFeedback,
      privateTopics: bot.privateTopics,
      nextPrivateMessageId: bot.nextPrivateMessageId,
      nextUpdateId: bot.updates.nextUpdateId,
    })),
    nextNumber: world.nextNumber,
    people: [...world.people.values()].slice(0, MAX_PEOPLE),
    chats: [...world.chats.values()].slice(0, MAX_CHATS).map((chat) => toChatSnapshot(chat, kept)),
    files: world.files.list().slice(-MAX_FILES),
  };
}

function toChatSnapshot(chat: Chat, kept: ReadonlySet<StoredMessage>): WorldSnapshot['chats'][number] {
  const { drafts: _drafts, botRights: _rights, staleMessageIds: _stale, ...rest } = chat;
  const { inviteLinks: _links, restrictions: _restrictions, ...facts } = rest;
  return {
    ...facts,
    memberIds: [...chat.memberIds],
    botStatuses: [...chat.botStatuses],
    topics: [...chat.topics.values()],
    pinnedMessageIds: [...chat.pinnedMessageIds],
    messages: [...chat.messages.values()]
      .filter((stored) => kept.has(stored))
      .map(({ chat: _chat, reactions, ...stored }) => ({
        ...stored,
        reactions: [...reactions].map(([userId, emoji]) => [userId, [...emoji]]),
      })),
  };
}

function chooseMessages(world: World): Set<StoredMessage> {
  const newestFirst = [...world.chats.values()]
    .flatMap((chat) => [...chat.messages.values()].slice(-MESSAGES_PER_CHAT))
    .sort((left, right) => right.body.date - left.body.date || right.body.message_id - left.body.message_id);
  const kept = new Set<StoredMessage>();
  let characters = 0;
  for (const stored of newestFirst) {
    characters += JSON.stringify([stored.body, stored.richSource, stored.keyboard]).length;
    if (characters > MESSAGE_CHARACTERS) break;
    kept.add(stored);
  }
  return kept;
}

/** Restores a snapshot into an empty world, whose bots have the same tokens. */
export function restoreSnapshot(world: World, from: WorldSnapshot): void {
  world.nextNumber = from.nextNumber + SKIPPED_IDS;
  for (const known of from.people) world.people.set(known.id, known);
  for (const known of from.files)
    world.files.restore({ ...known, fileName: known.fileName, mimeType: known.mimeType, size: known.size });
  for (const known of from.bots) {
    const bot = world.bots.find(({ token }) => token === known.token);
    if (bot) restoreBot(bot, known);
  }
  for (const known of from.chats) world.chats.set(known.key, toChat(known));
}

function restoreBot(bot: Bot, from: WorldSnapshot['bots'][number]): void {
  bot.privacyMode = from.privacyMode;
  bot.inlineFeedback = from.inlineFeedback;
  bot.privateTopics = from.privateTopics;
  bot.nextPrivateMessageId = from.nextPrivateMessageId + SKIPPED_IDS;
  bot.updates.nextUpdateId = from.nextUpdateId + SKIPPED_IDS;
}

function toChat(from: WorldSnapshot['chats'][number]): Chat {
  const chat: Chat = {
    ...from,
    username: from.username,
    upgradedToId: from.upgradedToId,
    memberIds: new Set(from.memberIds),
    botStatuses: new Map(from.botStatuses),
    botRights: new Map(),
    topics: new Map(
      from.topics.map(({ iconCustomEmojiId, creatorBotId, ...topic }) => [
        topic.id,
        { ...topic, iconCustomEmojiId, creatorBotId },
      ]),
    ),
    messages: new Map(),
    drafts: new Map(),
    staleMessageIds: new Set(),
    inviteLinks: new Map(),
    restrictions: new Map(),
    nextMessageId: from.nextMessageId + SKIPPED_IDS,
  };
  for (const stored of from.messages)
    chat.messages.set(stored.body.message_id, {
      chat,
      authorBotId: stored.authorBotId,
      body: stored.body,
      richSource: stored.richSource,
      keyboard: stored.keyboard,
      reactions: new Map(stored.reactions),
      edits: stored.edits,
    });
  return chat;
}
