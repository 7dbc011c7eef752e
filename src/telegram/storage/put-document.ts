import { InputFile } from 'grammy';
import { BlobOutcomeUnknownError, BlobRefusedError } from '../../core/storage/index.ts';
import type { Logger } from '../../lib/log/logger.ts';
import { toGrammySignal } from '../grammy-signal.ts';
import { classifyTelegramError } from '../telegram-errors.ts';
import type { ChannelLocator } from './channel-locator.ts';
import { type ChannelPairs, PAIR_REST_MS } from './channel-pairs.ts';
import { type ChannelPair, describeCallError } from './storage-bot.ts';
import type { StorageRateLimiter } from './storage-rate-limiter.ts';

export interface PutDeps {
  readonly pairs: ChannelPairs;
  readonly rateLimiter: StorageRateLimiter;
  readonly logger: Logger;
}

interface Blob {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Maximum number of tries. Only sends that were certainly not executed are retried. */
const MOST_TRIES = 20;
const NOT_REACHED_RETRY_MS = 5000;

/**
 * Sends a blob as a document into the channel that the rate limiter selects. Retries, possibly in another channel, only
 * after failures that certainly stored nothing.
 * @throws BlobRefusedError, BlobOutcomeUnknownError; the signal's reason.
 */
export async function putDocument(deps: PutDeps, blob: Blob, signal: AbortSignal): Promise<ChannelLocator> {
  let reason: string | undefined;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const outage = await deps.pairs.findOutage();
    if (outage !== undefined)
      throw new BlobRefusedError(reason ?? outage, { retryAfterMs: PAIR_REST_MS, isOutage: true });
    const pairs = deps.pairs.usable();
    const pair = await deps.rateLimiter.acquire({ kind: 'store', pairs, sizeBytes: blob.bytes.length }, signal);
    const result = await sendDocument(pair, blob, signal);
    if (typeof result === 'object' && 'locator' in result) return result.locator;
    reason = result.reason;
    if (result.retryAfterMs === undefined) {
      deps.pairs.refuse(pair, reason);
    } else {
      deps.logger.warn(
        { chatId: pair.chatId, botId: pair.bot.id, ...result },
        'Telegram rate limit reached; storing slower',
      );
      await deps.rateLimiter.recordFloodLimit('store', pair, result.retryAfterMs);
    }
  }
  throw new BlobRefusedError(reason ?? 'too many tries', { retryAfterMs: PAIR_REST_MS });
}

type SendResult =
  | { readonly locator: ChannelLocator }
  /** Certainly not stored. With `retryAfterMs` the rate was too high, without it the pair is unusable. */
  | { readonly reason: string; readonly retryAfterMs?: number };

async function sendDocument(pair: ChannelPair, blob: Blob, signal: AbortSignal): Promise<SendResult> {
  const { bot, chatId } = pair;
  const file = new InputFile(blob.bytes, `${blob.name}.bin`);
  const options = { disable_notification: true, disable_content_type_detection: true };
  const message = await bot.api
    .sendDocument(chatId, file, options, toGrammySignal(signal))
    .catch((error: unknown) => toSendFailure(error, pair, signal));
  if ('reason' in message) return message;
  const { document, message_id: messageId } = message;
  if (document?.file_size === blob.bytes.length)
    return { locator: { botId: bot.id, chatId, messageId, fileId: document.file_id, sizeBytes: blob.bytes.length } };
  return removeMaimed(pair, messageId, `${document?.file_size ?? 0} of ${blob.bytes.length} bytes arrived`);
}

/** Classifies the failure of a send. @throws if it may have been executed, or can never succeed. */
function toSendFailure(
  error: unknown,
  { bot }: ChannelPair,
  signal: AbortSignal,
): Extract<SendResult, { reason: string }> {
  const failure = classifyTelegramError(error);
  const reason = describeCallError(error, bot);
  switch (failure.kind) {
    case 'flood':
      return { reason, retryAfterMs: failure.retryAfterMs };
    case 'not-sent':
      throw new BlobRefusedError(reason, { retryAfterMs: NOT_REACHED_RETRY_MS });
    case 'aborted':
    case 'unclear':
    case 'foreign':
      signal.throwIfAborted();
      throw new BlobOutcomeUnknownError(reason);
    case 'rejected':
      // Too large: every other bot would be refused as well.
      if (failure.code === 413) throw new BlobRefusedError(reason);
      return { reason };
    default:
      return { reason };
  }
}

/**
 * Deletes a message whose document is incomplete. @throws BlobRefusedError; BlobOutcomeUnknownError if it may still
 * exist.
 */
async function removeMaimed({ bot, chatId }: ChannelPair, messageId: number, reason: string): Promise<never> {
  await bot.api.deleteMessage(chatId, messageId).catch((error: unknown) => {
    throw new BlobOutcomeUnknownError(`${reason}; the message stays: ${describeCallError(error, bot)}`);
  });
  throw new BlobRefusedError(reason, { retryAfterMs: NOT_REACHED_RETRY_MS });
}
