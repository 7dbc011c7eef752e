import { countsAlone, GREATEST_SUPERGROUP_ID } from '../../core/conversations/index.ts';
import { sleep } from '../../lib/clock.ts';
import { toGrammySignal } from '../../telegram/grammy-signal.ts';
import { findLostSend, type LostSend, type LostSendFinding } from '../../telegram/lost-sends/find-lost-send.ts';
import { classifyTelegramError, type TelegramFailure } from '../../telegram/telegram-errors.ts';
import type { BotServices } from './services.ts';
import type { View } from './views.ts';

/** About six hours in all, as for the text of an answer. */
const MAX_TRIES = 720;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

interface LastingCall {
  readonly chatId: number;
  /** A repeated call has no further effect, as with edits. Otherwise an unconfirmed send is searched for first. */
  readonly isRepeatable: boolean;
}

/**
 * Repeats a call to Telegram until it has succeeded once.
 * @throws errors that a retry can't fix, and those after which the message may have arrived; the signal's reason.
 */
export async function sendWhenever(
  services: BotServices,
  { chatId, isRepeatable }: LastingCall,
  signal: AbortSignal,
  send: () => Promise<unknown>,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const afterId = services.client.messageIds.newest(chatId);
    try {
      await send();
      return;
    } catch (error) {
      signal.throwIfAborted();
      const failure = classifyTelegramError(error);
      const isLost = async () =>
        isRepeatable || (await findLostPage(services, { chatId, afterId }, signal)) === 'absent';
      const isWorthATry = isPassing(failure) || (failure.kind === 'unclear' && (await isLost()));
      if (tries >= MAX_TRIES || !isWorthATry) throw error;
      await sleep(services.clock, Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS), signal);
    }
  }
}

/** Returns whether nothing was sent and a retry can succeed. */
function isPassing(failure: TelegramFailure): boolean {
  return failure.kind === 'not-sent' || (failure.kind === 'dropped' && failure.reason !== 'closed');
}

/**
 * Searches for a page whose send was not confirmed. Ids of known messages (delivered pages, and messages of users to
 * any process) narrow the search and show how far ids are in use; other unconfirmed sends, how far they may be. Never
 * throws.
 */
export async function findLostPage(
  services: BotServices,
  lost: LostSend,
  signal: AbortSignal,
): Promise<LostSendFinding> {
  const { chatId, afterId: after } = lost;
  const chats = countsAlone(chatId) ? { only: chatId } : { greaterThan: GREATEST_SUPERGROUP_ID };
  const recordKnownIds = async () => {
    try {
      const idLists = [
        services.conversations.listTelegramIds({ after, chatId }),
        services.arrivals.listMessageIds({ after, chats }),
      ];
      for (const id of (await Promise.all(idLists)).flat()) services.client.messageIds.record(chatId, id);
    } catch (error) {
      services.logger.warn({ err: error, chatId }, 'searching for a lost message without the database');
    }
  };
  const countOthers = (searchedChatIds: readonly number[]) =>
    services.conversations.countOtherPlannedSends(chatId, searchedChatIds).catch(() => 0);
  return findLostSend({ ...services, recordKnown: recordKnownIds, countOthers }, lost, signal);
}

/** Destination of the final message about a job. */
interface Conclusion {
  readonly chatId: number;
  /** Status message of the job; undefined if unknown. */
  readonly statusMessageId: number | undefined;
  /** Additional options for a new message. */
  readonly sendOptions: object;
}

/**
 * Shows the result of a job that another process has started, in its status message or, if that does not exist, in a
 * new message. Retries while Telegram is not reachable.
 * @throws errors that Telegram returns for every retry; the signal's reason.
 */
export async function concludeMessage(
  services: BotServices,
  { chatId, statusMessageId, sendOptions }: Conclusion,
  { text, keyboard }: View,
  signal: AbortSignal,
): Promise<void> {
  const { api } = services.client;
  const options = keyboard ? { reply_markup: keyboard } : {};
  try {
    if (statusMessageId !== undefined) {
      return await sendWhenever(services, { chatId, isRepeatable: true }, signal, () =>
        api.editMessageText(chatId, statusMessageId, text, options, toGrammySignal(signal)),
      );
    }
  } catch (error) {
    const { kind } = classifyTelegramError(error);
    if (kind === 'not-modified') return;
    if (kind !== 'message-gone') throw error;
  }
  await sendWhenever(services, { chatId, isRepeatable: false }, signal, () =>
    api.sendMessage(chatId, text, { ...options, ...sendOptions }, toGrammySignal(signal)),
  );
}
