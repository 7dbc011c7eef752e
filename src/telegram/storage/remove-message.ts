import { InputFile, InputMediaBuilder } from 'grammy';
import { BlobRefusedError } from '../../core/storage/index.ts';
import type { Logger } from '../../lib/log/logger.ts';
import { toGrammySignal } from '../grammy-signal.ts';
import { classifyTelegramError } from '../telegram-errors.ts';
import type { ChannelLocator } from './channel-locator.ts';
import type { ChannelPairs } from './channel-pairs.ts';
import { type ChannelPair, describeCallError, type StorageBot } from './storage-bot.ts';
import type { StorageOperation, StorageRateLimiter } from './storage-rate-limiter.ts';

export interface RemoveDeps {
  readonly pairs: ChannelPairs;
  readonly rateLimiter: StorageRateLimiter;
  readonly logger: Logger;
}

type Outcome =
  | { readonly kind: 'done' }
  /** Telegram does not let this bot delete the message. */
  | { readonly kind: 'fixed'; readonly reason: string }
  | { readonly kind: 'flood'; readonly reason: string; readonly retryAfterMs: number }
  /** No usable response; the call may have been executed. */
  | { readonly kind: 'unclear'; readonly reason: string; readonly retryAfterMs: number }
  | { readonly kind: 'refused'; readonly reason: string; readonly retryAfterMs: number };

const DONE: Outcome = { kind: 'done' };
const MOST_TRIES = 3;
const UNCLEAR_RETRY_MS = 30_000;
/** Time after which an operator may have fixed the channel. */
const REFUSED_RETRY_MS = 60 * 60_000;

/**
 * Deletes a message. If Telegram refuses (bots may be unable to delete messages older than 48 hours), replaces the
 * document with a file of one byte.
 * @throws BlobRefusedError if the document may still exist; the signal's reason.
 */
export async function removeMessage(deps: RemoveDeps, locator: ChannelLocator, signal: AbortSignal): Promise<void> {
  const pairs = deps.pairs.ofChannel(locator.chatId, locator.botId);
  let outcome: Outcome | undefined;
  // The bot that sent it may have left; any other bot with the right to delete messages can do it.
  for (const pair of pairs.slice(0, 2)) {
    outcome = await repeat(deps, 'remove', pair, signal, () => deleteMessage(pair, locator, signal));
    if (outcome.kind === 'done') return;
    if (outcome.kind !== 'fixed' && outcome.kind !== 'refused') throw toRefusal(outcome);
  }
  const [author] = pairs;
  if (!author || !outcome) throw new BlobRefusedError('no bot is there to delete a message');
  const replaced = await repeat(deps, 'replace', author, signal, () => replaceDocument(author, locator, signal));
  if (replaced.kind !== 'done') throw toRefusal(replaced);
}

/** Retries an idempotent removal after a 429 or an unclear outcome. */
async function repeat(
  { rateLimiter, logger }: RemoveDeps,
  kind: StorageOperation,
  pair: ChannelPair,
  signal: AbortSignal,
  act: () => Promise<Outcome>,
): Promise<Outcome> {
  for (let tries = 1; ; tries++) {
    await rateLimiter.acquire({ kind, pairs: [pair] }, signal);
    const outcome = await act();
    if (outcome.kind === 'flood') await rateLimiter.recordFloodLimit(kind, pair, outcome.retryAfterMs);
    const isFinal = outcome.kind !== 'flood' && outcome.kind !== 'unclear';
    if (!isFinal || outcome.kind === 'refused')
      logger.warn({ chatId: pair.chatId, botId: pair.bot.id, ...outcome }, 'a message could not be removed');
    if (isFinal || tries === MOST_TRIES) return outcome;
  }
}

function deleteMessage({ bot }: ChannelPair, locator: ChannelLocator, signal: AbortSignal): Promise<Outcome> {
  return bot.api
    .deleteMessage(locator.chatId, locator.messageId, toGrammySignal(signal))
    .then(() => DONE)
    .catch((error: unknown) => toOutcome(error, bot, signal));
}

function replaceDocument({ bot }: ChannelPair, locator: ChannelLocator, signal: AbortSignal): Promise<Outcome> {
  const nothing = InputMediaBuilder.document(new InputFile(Buffer.from('-'), 'deleted.bin'));
  return bot.api
    .editMessageMedia(locator.chatId, locator.messageId, nothing, {}, toGrammySignal(signal))
    .then(() => DONE)
    .catch((error: unknown) => toOutcome(error, bot, signal));
}

function toOutcome(error: unknown, bot: StorageBot, signal: AbortSignal): Outcome {
  signal.throwIfAborted();
  const failure = classifyTelegramError(error);
  const reason = describeCallError(error, bot);
  switch (failure.kind) {
    case 'message-gone':
      return failure.mayRemain ? { kind: 'fixed', reason } : DONE;
    case 'not-modified':
      return DONE;
    case 'flood':
      return { kind: 'flood', reason, retryAfterMs: failure.retryAfterMs };
    case 'unclear':
    case 'not-sent':
    case 'aborted':
      return { kind: 'unclear', reason, retryAfterMs: UNCLEAR_RETRY_MS };
    default:
      return { kind: 'refused', reason, retryAfterMs: REFUSED_RETRY_MS };
  }
}

function toRefusal(outcome: Exclude<Outcome, { kind: 'done' }>): BlobRefusedError {
  const retryAfterMs = outcome.kind === 'fixed' ? REFUSED_RETRY_MS : outcome.retryAfterMs;
  return new BlobRefusedError(outcome.reason, { retryAfterMs });
}
