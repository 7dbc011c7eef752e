import type {
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

/** Everything there is: one object, in memory, changed only by the functions of this folder and the method handlers. */
export interface World {
  readonly clock: Clock;
  /** From 0 up to 1, as `Math.random`. */
  readonly random: () => number;
  readonly bots: Bot[];
  readonly people: Map<number, Person>;
  /** By `Chat.key`. */
  readonly chats: Map<string, Chat>;
  readonly files: FileStore;
  /** Where files lie that bots read from the disk, as with a Bot API server of one's own. Undefined: they are fetched. */
  readonly localDirectory: string | undefined;
  /** Version of an older Bot API server; undefined for the newest one. */
  readonly botApiVersion: OldBotApiVersion | undefined;
  readonly events: EventLog;
  /** Oldest messages of a chat are forgotten above this. */
  readonly messagesPerChat: number;
  /** Numbers for whatever needs a fresh one: people, chats, queries, albums. Grows by one. */
  nextNumber: number;
  /** Aborted when the simulator closes: ends everything that waits. */
  readonly closing: AbortSignal;
}

/**
 * Bot API versions that treat rich messages otherwise than the newest one: 10.0 does not know them, 10.1 does not know their
 * `blocks`.
 */
export type OldBotApiVersion = '10.0' | '10.1';

export interface Bot {
  readonly id: number;
  readonly token: string;
  readonly username: string;
  /** By language code; the empty code is everybody's. */
  readonly names: Map<string, string>;
  readonly descriptions: Map<string, string>;
  readonly shortDescriptions: Map<string, string>;
  /** By scope and language, see `methods/commands.ts`. */
  readonly commandSets: Map<string, CommandSet>;
  /** By private chat id; 0 is the default button. */
  readonly menuButtons: Map<number, MenuButton>;
  privacyMode: boolean;
  /** Whether privacy mode lets plain mentions through. */
  readonly mentionsPassPrivacy: boolean;
  readonly inlineMode: boolean;
  /** Whether the bot hears which results of inline mode were sent. */
  inlineFeedback: boolean;
  /** Whether it can be asked in chats that it is not in. */
  readonly guestMode: boolean;
  /** Whether its private chats have topics. */
  privateTopics: boolean;
  readonly updates: UpdateQueue;
  webhook: Webhook | undefined;
  readonly callbackQueries: Map<string, CallbackQueryRecord>;
  readonly inlineQueries: Map<string, InlineQueryRecord>;
  readonly guestQueries: Map<string, GuestQueryRecord>;
  /** Messages sent through the bot's inline mode, or by it as a guest, by inline message id. */
  readonly inlineMessages: Map<string, StoredMessage>;
  /** Private chats of one bot count their messages together, as Telegram does. */
  nextPrivateMessageId: number;
}

export interface Webhook {
  readonly url: string;
  readonly secretToken: string | undefined;
  readonly maxConnections: number;
  lastErrorAt: number | undefined;
  lastErrorMessage: string | undefined;
  /** Ends the delivery. */
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

/** Forgotten when it is answered. */
interface GuestQueryRecord {
  readonly id: string;
  readonly asked: StoredMessage;
  readonly createdAt: number;
}

export type BotStatus = 'member' | 'administrator' | 'left' | 'kicked' | 'blocked';

export interface Chat {
  /** Groups and channels: the id. Private chats: bot and person, because each bot has its own chat with a person. */
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
  /** By bot id. Bots that were never here are missing. */
  readonly botStatuses: Map<number, BotStatus>;
  /** By bot id: what a bot may do as an administrator. Everything where nothing is said. */
  readonly botRights: Map<number, BotRights>;
  readonly topics: Map<number, Topic>;
  readonly pinnedMessageIds: number[];
  /** By message id, oldest first. */
  readonly messages: Map<number, StoredMessage>;
  /** Id of the last message that the person of a private chat does not see any more, having cleared the history; 0 before. */
  clearedUpTo: number;
  /** By topic id, 0 outside topics: Telegram shows one draft in a place. */
  readonly drafts: Map<number, Draft>;
  nextMessageId: number;
  /** Id of the supergroup that a group has become; nothing happens in the group any more. */
  upgradedToId: number | undefined;
  /** Whether the group, or the account of the person in a private chat, was deleted: bots can't write any more. */
  isDeleted: boolean;
  /** Ids of messages that are deleted on Telegram's servers while the Bot API server still knows them. */
  readonly staleMessageIds: Set<number>;
}

export interface Topic {
  readonly id: number;
  name: string;
  isClosed: boolean;
  readonly iconColor: number;
  iconCustomEmojiId: string | undefined;
  /** The bot that has opened it; it may edit the topic without any right. */
  readonly creatorBotId: number | undefined;
}

export interface StoredMessage {
  readonly chat: Chat;
  /** The bot that wrote it; undefined for people and service messages. */
  readonly authorBotId: number | undefined;
  /** The Bot API's object, with the file ids of the simulator itself; see `views.ts`. Replaced, never changed in place. */
  body: Message;
  richSource: RichSource | undefined;
  keyboard: ReplyKeyboardMarkup | ReplyKeyboardRemove | ForceReply | undefined;
  /** Emoji by the id of who reacted, people and bots. */
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

/** The next of the world's numbers. */
export function takeNumber(world: World): number {
  return world.nextNumber++;
}

/** Unix time in seconds, as the Bot API tells dates. */
export function unixTime(world: World): number {
  return Math.floor(world.clock.now() / 1000);
}
