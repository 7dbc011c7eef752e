import { sleep } from '../../lib/clock.ts';
import { classifyTelegramError, type TelegramFailure } from '../../telegram/telegram-errors.ts';
import { findLostPage } from './find-lost-page.ts';

/** Together about six hours: as long as the words of an answer are tried to be shown. */
const MAX_TRIES = 720;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

export interface LastingCall {
  readonly chatId: number;
  /** Whether a second time does no harm, as with edits. A send without an answer is looked for first. */
  readonly isRepeatable: boolean;
}

/**
 * Calls Telegram until it has gone through once, however often that takes.
 * @throws what no further try mends, and what is not known to be lost; the signal's reason.
 */
export async function sendWhenever(
  deps: Parameters<typeof findLostPage>[0],
  { chatId, isRepeatable }: LastingCall,
  signal: AbortSignal,
  send: () => Promise<unknown>,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const afterId = deps.client.messageIds.newest(chatId);
    try {
      await send();
      return;
    } catch (error) {
      signal.throwIfAborted();
      const failure = classifyTelegramError(error);
      const isLost = async () => isRepeatable || (await findLostPage(deps, { chatId, afterId }, signal)) === 'absent';
      const isWorthATry = isPassing(failure) || (failure.kind === 'unclear' && (await isLost()));
      if (tries >= MAX_TRIES || !isWorthATry) throw error;
      await sleep(deps.clock, Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS), signal);
    }
  }
}

/** Nothing was sent, and another try may go through. */
function isPassing(failure: TelegramFailure): boolean {
  return failure.kind === 'not-sent' || (failure.kind === 'dropped' && failure.reason !== 'closed');
}
