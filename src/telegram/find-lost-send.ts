import { countsAlone } from '../core/conversations/index.ts';
import { type Clock, sleep } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { toGrammySignal } from './grammy-signal.ts';
import type { TelegramClient } from './telegram-client.ts';
import { classifyTelegramError, type TelegramFailure } from './telegram-errors.ts';

/** A message that was sent while nobody knows whether it arrived: its answer was lost. */
export interface LostSend {
  readonly chatId: number;
  /** The newest id that was known in the chat's counter before the send: the message's own is greater. */
  readonly afterId: number;
}

/**
 * What became of a lost send: the id of the message, `absent` if it has not arrived, `later` if Telegram can't be asked now, `unknown`
 * if it can't be told.
 */
export type LostSendFinding = number | 'absent' | 'later' | 'unknown';

export interface FindLostSendDeps {
  readonly client: TelegramClient;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Notes what else is known of messages meanwhile; awaited before each look. Default nothing. Never throws. */
  readonly noteKnown?: () => Promise<void>;
}

/** A request that was still under way has come through by then, or (nearly) never will. */
const LATE_MS = 2000;
/** Ids in a row, above all that are known, under which there is nothing: the chat ends there, unless messages are hidden. */
const END_GAP = 3;
const MOST_PROBES = 25;
const MOST_TRIES = 3;
const RETRY_MS = 1000;
const OWN_MESSAGE = /no live location in the message/i;

/**
 * Looks for a message whose send got no answer, under the ids that came after and are not known. Bots can't read a chat, but
 * Telegram tells of each id whether an edit could have a meaning. The edit tried is "stop the live location": in a message
 * that has none it changes nothing, and the refusal says whether the message is the bot's own, somebody else's, or not there
 * (`edit_message_live_location` in tdlib). Where several unknown messages are the bot's own, the answer is `unknown`.
 * What is found counts as known from then on. Takes some seconds, because a chat takes about one edit a second. Never throws.
 */
export async function findLostSend(
  deps: FindLostSendDeps,
  lost: LostSend,
  signal: AbortSignal,
): Promise<LostSendFinding> {
  try {
    const finding = await lookTwice(deps, lost, signal);
    if (typeof finding === 'number') deps.client.messageIds.note(lost.chatId, finding);
    return finding;
  } catch (error) {
    if (signal.aborted) return 'unknown';
    const { kind } = classifyTelegramError(error);
    deps.logger.warn({ err: error, chatId: lost.chatId }, 'a lost message can not be looked for');
    return PASSING.has(kind) ? 'later' : 'unknown';
  }
}

const PASSING: ReadonlySet<TelegramFailure['kind']> = new Set(['unclear', 'not-sent', 'dropped', 'flood']);

async function lookTwice(deps: FindLostSendDeps, lost: LostSend, signal: AbortSignal): Promise<LostSendFinding> {
  const finding = await look(deps, lost, signal);
  if (finding !== 'absent') return finding;
  await sleep(deps.clock, LATE_MS, signal);
  return look(deps, lost, signal);
}

/** @throws the signal's reason, and what keeps the chat from being looked at. */
async function look(deps: FindLostSendDeps, lost: LostSend, signal: AbortSignal): Promise<LostSendFinding> {
  await deps.noteKnown?.();
  const { messageIds } = deps.client;
  const own: number[] = [];
  let probeCount = 0;
  let gap = 0;
  let hidesMessages = false;
  for (let id = lost.afterId + 1; gap < END_GAP || hidesMessages; id++) {
    if (messageIds.isKnown(lost.chatId, id)) continue;
    if (probeCount === MOST_PROBES) return hidesMessages && own.length === 1 ? (own[0] ?? 'unknown') : 'unknown';
    probeCount += 1;
    const sight = await probe(deps, lost.chatId, id, signal);
    if (sight === 'own') own.push(id);
    const isBeyondAll = sight === 'nothing' && id > messageIds.newest(lost.chatId);
    gap = isBeyondAll ? gap + 1 : 0;
    if (gap === END_GAP && own.length === 0) hidesMessages = await mayHideMessages(deps, lost.chatId, signal);
  }
  const [found, ...others] = own;
  if (found === undefined) return 'absent';
  return others.length === 0 ? found : 'unknown';
}

/**
 * Returns true where an id that answers as "nothing there" may still be somebody's message: privacy mode hides messages of
 * supergroups from bots that are no administrators, by the same answer (`messageEmpty` in TDLib).
 * @throws what keeps the bot from asking.
 */
async function mayHideMessages({ client }: FindLostSendDeps, chatId: number, signal: AbortSignal): Promise<boolean> {
  if (!countsAlone(chatId)) return false;
  const me = await client.api.getMe(toGrammySignal(signal));
  if (me.can_read_all_group_messages) return false;
  const { status } = await client.api.getChatMember(chatId, me.id, toGrammySignal(signal));
  return status !== 'administrator';
}

/** @throws the signal's reason, and Telegram's refusal where it says nothing about the message. */
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
