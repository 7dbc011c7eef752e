import type {
  ChatInviteLink,
  ChatPermissions,
  ForceReply,
  InlineQueryResult,
  MenuButton,
  Message,
  MessageEntity,
  ReplyKeyboardMarkup,
  ReplyKeyboardRemove,
  RichBlock,
} from '@grammyjs/types';
import type { Clock } from '../clock.ts';
import type { BotRights, CommandSet, Person, RichSource } from '../control-protocol.ts';
import type { EventLog } from './event-log.ts';
import type { FileStore } from './file-store.ts';
import type { UpdateQueue } from './update-queue.ts';

/** Complete simulated state in memory. Changed only by the functions of this folder and the method handlers. */
export interface World {
  readonly clock: Clock;
  /** Returns a number from 0 (inclusive) to 1 (exclusive), like `Math.random`. */
  readonly random: () => number;
  readonly bots: Bot[];
  readonly people: Map<number, Person>;
  /** By `Chat.key`. */
  readonly chats: Map<string, Chat>;
  readonly files: FileStore;
  /** Folder from which bots read files, as with a self-hosted Bot API server. Undefined: files are downloaded. */
  readonly localDirectory: string | undefined;
  /** Version of an older Bot API server; undefined for the newest one. */
  readonly botApiVersion: OldBotApiVersion | undefined;
  readonly events: EventLog;
  /** Maximum number of messages per chat; the oldest are removed. */
  readonly messagesPerChat: number;
  /** Next number for new ids of users, chats, queries and albums. */
  nextNumber: number;
  /** Aborted when the simulator closes; ends all pending work. */
  readonly closing: AbortSignal;
}

/**
 * Bot API versions that treat rich messages differently from the newest one: 10.0 does not support them, 10.1 does not
 * support their `blocks`.
 */
export type OldBotApiVersion = '10.0' | '10.1';

export interface Bot {
  readonly id: number;
  readonly token: string;
  readonly username: string;
  /** By language code; the empty code is the default. */
  readonly names: Map<string, string>;
  readonly descriptions: Map<string, string>;
  readonly shortDescriptions: Map<string, string>;
  /** By scope and language, see `bot-api/methods/profile.ts`. */
  readonly commandSets: Map<string, CommandSet>;
  /** By private chat id; 0 is the default button. */
  readonly menuButtons: Map<number, MenuButton>;
  privacyMode: boolean;
  /** Whether privacy mode lets plain mentions through. */
  readonly mentionsPassPrivacy: boolean;
  readonly inlineMode: boolean;
  /** Whether the bot gets `chosen_inline_result`. */
  inlineFeedback: boolean;
  /** Whether the bot can be mentioned in chats that it is not in. */
  readonly guestMode: boolean;
  /** Whether its private chats have topics. */
  privateTopics: boolean;
  readonly updates: UpdateQueue;
  webhook: Webhook | undefined;
  readonly callbackQueries: Map<string, CallbackQueryRecord>;
  readonly inlineQueries: Map<string, InlineQueryRecord>;
  readonly guestQueries: Map<string, GuestQueryRecord>;
  /** Messages sent via the bot's inline mode or as a guest, by inline message id. */
  readonly inlineMessages: Map<string, StoredMessage>;
  /** Next message id; the private chats of a bot share one counter, as in Telegram. */
  nextPrivateMessageId: number;
}

export interface Webhook {
  readonly url: string;
  readonly secretToken: string | undefined;
  readonly maxConnections: number;
  lastErrorAt: number | undefined;
  lastErrorMessage: string | undefined;
  /** Stops the delivery. */
  stop(): void;
}

interface CallbackQueryRecord {
  readonly id: string;
  readonly personId: number;
  readonly chatId: number | undefined;
  readonly createdAt: number;
}

interface InlineQueryRecord {
  readonly id: string;
  readonly personId: number;
  readonly query: string;
  readonly createdAt: number;
  results: readonly InlineQueryResult[] | undefined;
}

/** Removed when it is answered. */
interface GuestQueryRecord {
  readonly id: string;
  readonly asked: StoredMessage;
  readonly createdAt: number;
}

export type BotStatus = 'member' | 'administrator' | 'left' | 'kicked' | 'blocked';

export interface Chat {
  /** Groups and channels: the id. Private chats: bot and user, because each bot has its own chat with a user. */
  readonly key: string;
  readonly id: number;
  readonly type: 'private' | 'group' | 'supergroup' | 'channel';
  title: string;
  description: string;
  readonly username: string | undefined;
  /** Whether it has topics. */
  isForum: boolean;
  /** Whether messages can't be forwarded or copied. */
  readonly protectsContent: boolean;
  readonly memberIds: Set<number>;
  /** By bot id. Bots that were never in the chat are missing. */
  readonly botStatuses: Map<number, BotStatus>;
  /** Administrator rights by bot id. A missing entry means all rights. */
  readonly botRights: Map<number, BotRights>;
  readonly topics: Map<number, Topic>;
  readonly pinnedMessageIds: number[];
  /** By message id, oldest first. */
  readonly messages: Map<number, StoredMessage>;
  /** Id of the last message that the user of a private chat has cleared from the history; 0 if none. */
  clearedUpTo: number;
  /** By topic id, 0 outside topics. Telegram shows one draft per chat or topic. */
  readonly drafts: Map<number, Draft>;
  nextMessageId: number;
  /** Id of the supergroup that a group has become. The group is read-only then. */
  upgradedToId: number | undefined;
  /** Whether the group, or the account of the user in a private chat, was deleted. Bots can't write there. */
  isDeleted: boolean;
  /** Ids of messages that are deleted on Telegram's servers but still known to the Bot API server. */
  readonly staleMessageIds: Set<number>;
  /** Invite links of bots by address. */
  readonly inviteLinks: Map<string, ChatInviteLink>;
  /** Restricted members of a supergroup, by user id. */
  readonly restrictions: Map<number, Restriction>;
}

/** Permissions of a restricted member. */
export interface Restriction {
  readonly permissions: ChatPermissions;
  /** Unix time; 0 if it does not end. */
  readonly untilDate: number;
}

export interface Topic {
  readonly id: number;
  name: string;
  isClosed: boolean;
  readonly iconColor: number;
  iconCustomEmojiId: string | undefined;
  /** The bot that created it, which may edit the topic without administrator rights. */
  readonly creatorBotId: number | undefined;
}

export interface StoredMessage {
  readonly chat: Chat;
  /** The bot that wrote it; undefined for users and service messages. */
  readonly authorBotId: number | undefined;
  /** Bot API object with internal file ids; see `views.ts`. Replaced, never mutated. */
  body: Message;
  richSource: RichSource | undefined;
  keyboard: ReplyKeyboardMarkup | ReplyKeyboardRemove | ForceReply | undefined;
  /** Emoji by the id of the reacting user or bot. */
  readonly reactions: Map<number, readonly string[]>;
  edits: number;
}

export interface Draft {
  readonly draftId: string;
  readonly topicId: number | undefined;
  readonly text: string;
  readonly entities: readonly MessageEntity[];
  readonly richSource: RichSource | undefined;
  readonly richBlocks: readonly RichBlock[] | undefined;
  readonly canStop: boolean;
  readonly keepOnStop: boolean;
  readonly expiresAt: number;
  readonly cancelTimer: () => void;
}

/** Returns a new number for an id. */
export function takeNumber(world: World): number {
  return world.nextNumber++;
}

/** Returns the Unix time in seconds, as in dates of the Bot API. */
export function unixTime(world: World): number {
  return Math.floor(world.clock.now() / 1000);
}
