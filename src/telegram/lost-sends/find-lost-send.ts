import { countsAlone } from '../../core/conversations/index.ts';
import { type Clock, sleep } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log/logger.ts';
import { toGrammySignal } from '../grammy-signal.ts';
import type { TelegramClient } from '../telegram-client.ts';
import { classifyTelegramError, isPassing } from '../telegram-errors.ts';
import type { LostSearch } from './lost-searches.ts';

/** A send whose response was lost, so that the message may or may not exist. */
export interface LostSend {
  readonly chatId: number;
  /** The newest known id of the chat's counter before the send. The id of the lost message is greater. */
  readonly afterId: number;
  /**
   * Number of other sends without a response in chats that share the counter: their ids may come before the lost one.
   * Default 0.
   */
  readonly otherCount?: number;
}

/**
 * Result of the search: the id of the message, `absent` if it did not arrive, `later` if Telegram can't be asked now,
 * `unknown` if it can't be determined.
 */
export type LostSendFinding = number | 'absent' | 'later' | 'unknown';

export interface FindLostSendDeps {
  readonly client: TelegramClient;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Records message ids learned in the meantime; awaited before each search. Default: does nothing. Must not throw. */
  readonly recordKnown?: () => Promise<void>;
  /**
   * Counts other sends without a response in chats that share the counter and are not among these, whose own searches
   * are going on. Default none. Must not throw.
   */
  readonly countOthers?: (searchedChatIds: readonly number[]) => Promise<number>;
}

/** Delay before the second search. A request that was still in flight has almost certainly arrived by then. */
const LATE_MS = 2000;
/**
 * Number of missing ids that mark the end of the chat, above all ids that were known at first or found since, unless
 * messages may be hidden. Each other send without a response adds one, unless its chat is searched at the same time.
 */
const END_GAP = 3;
const MOST_OTHERS = 20;
const MOST_PROBES = 25;
const MOST_TRIES = 3;
const RETRY_MS = 1000;
const OWN_MESSAGE = /no live location in the message/i;

/**
 * Searches for a message whose send got no response, among the later ids that are not known yet. Bots can't read a
 * chat, so each id is probed with "stop the live location": in a message without one it changes nothing, and the error
 * says whether the message is the bot's own, belongs to another user or does not exist (`edit_message_live_location` in
 * TDLib).
 *
 * Returns `unknown` where several unknown messages are the bot's own. A found id is recorded as known. Takes some
 * seconds, since a chat allows about one edit a second. Never throws.
 */
export async function findLostSend(
  deps: FindLostSendDeps,
  lost: LostSend,
  signal: AbortSignal,
): Promise<LostSendFinding> {
  const { lostSearches } = deps.client;
  const search = lostSearches.begin(lost.chatId, lost.afterId);
  try {
    const finding = await searchTwice(deps, lost, search, signal);
    if (typeof finding === 'number') deps.client.messageIds.record(lost.chatId, finding);
    return finding;
  } catch (error) {
    if (signal.aborted) return 'unknown';
    const failure = classifyTelegramError(error);
    deps.logger.warn({ err: error, chatId: lost.chatId }, 'a lost message cannot be searched for');
    return isPassing(failure) ? 'later' : 'unknown';
  } finally {
    search.endedAt = deps.clock.now();
  }
}

async function searchTwice(
  deps: FindLostSendDeps,
  lost: LostSend,
  search: LostSearch,
  signal: AbortSignal,
): Promise<LostSendFinding> {
  const finding = await look(deps, lost, search, signal);
  if (finding !== 'absent') return finding;
  await sleep(deps.clock, LATE_MS, signal);
  search.pass = 2;
  search.reach = lost.afterId;
  return look(deps, lost, search, signal);
}

/** @throws the signal's reason, or the error that prevents probing. */
async function look(
  deps: FindLostSendDeps,
  lost: LostSend,
  search: LostSearch,
  signal: AbortSignal,
): Promise<LostSendFinding> {
  await deps.recordKnown?.();
  const { lostSearches, messageIds } = deps.client;
  let otherCount = Math.min(lost.otherCount ?? 0, MOST_OTHERS);
  const own: number[] = [];
  let probeCount = 0;
  let hidesMessages = false;
  let newestSeen = lost.afterId;
  const missing: number[] = [];
  // Messages that become known later were sent later, so the lost one is not behind them.
  const newestKnown = messageIds.newest(lost.chatId);
  const isEnd = () => {
    const newest = Math.max(newestKnown, newestSeen, lostSearches.newestFound(search));
    return missing.filter((id) => id > newest).length >= END_GAP + otherCount;
  };
  for (let id = lost.afterId + 1; ; id++) {
    search.reach = id - 1;
    if (isEnd() && !hidesMessages) {
      if (own.length === 0) hidesMessages = await mayHideMessages(deps, lost.chatId, signal);
      if (!hidesMessages && own.length === 0) otherCount = await countOthers(deps, lost, search, signal);
      if (!hidesMessages && isEnd()) break;
    }
    if (messageIds.isKnown(lost.chatId, id)) continue;
    if (probeCount === MOST_PROBES + otherCount)
      return hidesMessages && own.length === 1 ? (own[0] ?? 'unknown') : 'unknown';
    probeCount += 1;
    const sight = await probe(deps, lost.chatId, id, signal);
    if (sight === 'nothing') missing.push(id);
    else newestSeen = id;
    if (sight === 'own') own.push(id);
    if (sight === 'own') search.newestFound = id;
  }
  const [found, next] = own;
  if (found === undefined) return 'absent';
  return next === undefined ? found : 'unknown';
}

/**
 * Returns how many messages of other chats may come before the lost one, besides those that the searches in other chats
 * of this process have found by now.
 */
async function countOthers(
  deps: FindLostSendDeps,
  { otherCount = 0 }: LostSend,
  search: LostSearch,
  signal: AbortSignal,
): Promise<number> {
  const { lostSearches } = deps.client;
  const slowCount = await lostSearches.waitForOthers(search, signal);
  const unsearchedCount = (await deps.countOthers?.(lostSearches.listOtherChats(search))) ?? 0;
  return Math.min(otherCount + slowCount + unsearchedCount, MOST_OTHERS);
}

/**
 * Returns true if an id reported as missing may still be another user's message: in supergroups, privacy mode hides
 * messages from bots that are not administrators and returns the same error (`messageEmpty` in TDLib).
 * @throws the error of a failed request.
 */
async function mayHideMessages({ client }: FindLostSendDeps, chatId: number, signal: AbortSignal): Promise<boolean> {
  if (!countsAlone(chatId)) return false;
  const me = await client.api.getMe(toGrammySignal(signal));
  if (me.can_read_all_group_messages) return false;
  const { status } = await client.api.getChatMember(chatId, me.id, toGrammySignal(signal));
  return status !== 'administrator';
}

/** Probes one id. @throws the signal's reason, or Telegram's error if it says nothing about the message. */
async function probe(
  { client, clock }: FindLostSendDeps,
  chatId: number,
  messageId: number,
  signal: AbortSignal,
): Promise<'own' | 'strange' | 'nothing'> {
  for (let tries = 1; ; tries++) {
    try {
      await client.withPriority('page').stopMessageLiveLocation(chatId, messageId, {}, toGrammySignal(signal));
      return 'strange';
    } catch (error) {
      signal.throwIfAborted();
      const failure = classifyTelegramError(error);
      if (failure.kind === 'rejected' && OWN_MESSAGE.test(failure.description)) return 'own';
      if (failure.kind === 'message-gone') return failure.mayRemain ? 'strange' : 'nothing';
      const isPassing = failure.kind === 'unclear' || failure.kind === 'not-sent';
      if (!isPassing || tries === MOST_TRIES) throw error;
      await sleep(clock, RETRY_MS, signal);
    }
  }
}
