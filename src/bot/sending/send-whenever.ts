import { sleep } from '../../lib/clock.ts';
import { classifyTelegramError, type TelegramFailure } from '../../telegram/telegram-errors.ts';
import type { BotServices } from '../kit/services.ts';
import { findLostPage } from './find-lost-page.ts';

/** About six hours in all, as for the text of an answer. */
const MAX_TRIES = 720;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

export interface LastingCall {
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
