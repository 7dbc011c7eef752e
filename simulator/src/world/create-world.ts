import { type Clock, systemClock } from '../clock.ts';
import { createEventLog } from './event-log.ts';
import { createFileStore } from './file-store.ts';
import { createUpdateQueue } from './update-queue.ts';
import type { Bot, OldBotApiVersion, World } from './world.ts';

interface SimulatedBot {
  /** `<id>:<secret>` as BotFather gives them; the number before the colon becomes the bot's id. */
  readonly token: string;
  /** Without the `@`. */
  readonly username: string;
  readonly firstName: string;
  /** Default false: groups show the bot everything, as after `/setprivacy` -> Disable. */
  readonly privacyMode?: boolean;
  /**
   * Whether plain mentions reach the bot in spite of privacy mode. Default false, as field reports have it
   * (the documentation can be read either way).
   */
  readonly mentionsPassPrivacy?: boolean;
  /** Default true. */
  readonly inlineMode?: boolean;
  /** Whether the bot hears which results of inline mode were sent, as after `/setinlinefeedback`. Default true. */
  readonly inlineFeedback?: boolean;
  /** Whether the bot can be asked in chats that it is not in. Default true. */
  readonly guestMode?: boolean;
  /** Whether private chats have topics unless told otherwise, as switched on at BotFather. Default false. */
  readonly privateTopics?: boolean;
}

/** How much is kept in memory; the oldest goes first. */
interface MemoryBounds {
  /** Default 2000. */
  readonly messagesPerChat?: number;
  /** Default 512 MiB. */
  readonly fileBytes?: number;
  /** Events that a page can catch up on. Default 2000. */
  readonly events?: number;
  /** Updates that wait for a bot. Default 10 000. */
  readonly updates?: number;
}

export interface WorldOptions {
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
  readonly bots?: readonly SimulatedBot[] | undefined;
  readonly memory?: MemoryBounds | undefined;
  /**
   * Plays a Bot API server of one's own that runs with `--local`: `getFile` puts files into this folder, gives their absolute
   * paths and has no limit of size; uploads may have up to 2000 MB. Unset: the hosted Bot API.
   */
  readonly localDirectory?: string | undefined;
  /** Plays an older Bot API server. Default: the newest version. */
  readonly botApiVersion?: OldBotApiVersion | undefined;
  /** Ids of people and chats go up from here. Default 1. */
  readonly firstNumber?: number | undefined;
}

/** An empty world with its bots. `closing` ends everything that waits in it. */
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
