import { type Clock, systemClock } from '../clock.ts';
import { createEventLog } from './event-log.ts';
import { createFileStore } from './file-store.ts';
import { createUpdateQueue } from './update-queue.ts';
import type { Bot, OldBotApiVersion, World } from './world.ts';

interface SimulatedBot {
  /** Token as BotFather issues it, `<id>:<secret>`. The number before the colon is the bot's id. */
  readonly token: string;
  /** Without the `@`. */
  readonly username: string;
  readonly firstName: string;
  /** Default false: the bot sees all messages in groups, as after `/setprivacy` -> Disable. */
  readonly privacyMode?: boolean;
  /**
   * Whether plain mentions reach the bot despite privacy mode. Default false, according to field reports (the
   * documentation is ambiguous).
   */
  readonly mentionsPassPrivacy?: boolean;
  /** Default true. */
  readonly inlineMode?: boolean;
  /** Whether the bot gets `chosen_inline_result`, as after `/setinlinefeedback`. Default true. */
  readonly inlineFeedback?: boolean;
  /** Whether the bot can be mentioned in chats that it is not in. Default true. */
  readonly guestMode?: boolean;
  /** Whether private chats have topics by default, as enabled at BotFather. Default false. */
  readonly privateTopics?: boolean;
}

/** Memory limits; the oldest entries are removed first. */
interface MemoryBounds {
  /** Default 2000. */
  readonly messagesPerChat?: number;
  /** Default 512 MiB. */
  readonly fileBytes?: number;
  /** Events kept for clients that reconnect. Default 2000. */
  readonly events?: number;
  /** Queued updates per bot. Default 10 000. */
  readonly updates?: number;
}

export interface WorldOptions {
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
  readonly bots?: readonly SimulatedBot[] | undefined;
  readonly memory?: MemoryBounds | undefined;
  /**
   * Simulates a self-hosted Bot API server with `--local`: `getFile` writes files to this folder, returns their
   * absolute paths and has no size limit; uploads may have up to 2000 MB. Unset: the hosted Bot API.
   */
  readonly localDirectory?: string | undefined;
  /** Simulates an older Bot API server. Default: the newest version. */
  readonly botApiVersion?: OldBotApiVersion | undefined;
  /** First number for ids of users and chats. Default 1. */
  readonly firstNumber?: number | undefined;
}

/** Creates an empty world with its bots. Aborting `closing` ends all pending work. */
export function createWorld(options: WorldOptions, closing: AbortSignal): World {
  const clock = options.clock ?? systemClock;
  const random = options.random ?? Math.random;
  const memory = options.memory ?? {};
  const firstUpdateId = 100_000_000 + Math.floor(random() * 800_000_000);
  return {
    clock,
    random,
    bots: (options.bots ?? []).map((bot, index) =>
      createBot(bot, createUpdateQueue(clock, firstUpdateId + index * 1_000_000, memory.updates ?? 10_000)),
    ),
    people: new Map(),
    chats: new Map(),
    files: createFileStore(memory.fileBytes ?? 512 * 1024 * 1024),
    localDirectory: options.localDirectory,
    botApiVersion: options.botApiVersion,
    events: createEventLog(memory.events ?? 2000, clock.now()),
    messagesPerChat: memory.messagesPerChat ?? 2000,
    nextNumber: options.firstNumber ?? 1,
    closing,
  };
}

function createBot(bot: SimulatedBot, updates: Bot['updates']): Bot {
  const id = Number.parseInt(bot.token, 10);
  if (!Number.isSafeInteger(id) || !/^\d+:[\w-]+$/.test(bot.token)) {
    throw new TypeError('a bot token looks like <number>:<secret>');
  }
  return {
    id,
    token: bot.token,
    username: bot.username,
    names: new Map([['', bot.firstName]]),
    descriptions: new Map(),
    shortDescriptions: new Map(),
    commandSets: new Map(),
    menuButtons: new Map(),
    privacyMode: bot.privacyMode ?? false,
    mentionsPassPrivacy: bot.mentionsPassPrivacy ?? false,
    inlineMode: bot.inlineMode ?? true,
    inlineFeedback: bot.inlineFeedback ?? true,
    guestMode: bot.guestMode ?? true,
    privateTopics: bot.privateTopics ?? false,
    updates,
    webhook: undefined,
    callbackQueries: new Map(),
    inlineQueries: new Map(),
    guestQueries: new Map(),
    inlineMessages: new Map(),
    nextPrivateMessageId: 1,
  };
}
