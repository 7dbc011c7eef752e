import { GrammyError, HttpError } from 'grammy';
import type { Clock } from '../../lib/clock.ts';
import { describeError } from '../../lib/errors/describe-error.ts';
import { type Logger, redactSecrets } from '../../lib/log/logger.ts';
import { createTelegramClient } from '../telegram-client.ts';

/** A bot that stores blobs. Its calls are not rate-limited here: acquire from `StorageRateLimiter` first. */
export type StorageBot = ReturnType<typeof createStorageBot>;

/** A bot in a channel: the unit of Telegram's message limit. */
export interface ChannelPair {
  readonly bot: StorageBot;
  readonly chatId: number;
}

/** The Bot API server downloads a file before it responds with the path. */
const CALL_TIMEOUT_MS = 60_000;

/** Creates a storage bot. Makes no call yet. */
export function createStorageBot(
  deps: { readonly clock: Clock; readonly logger: Logger },
  options: { readonly token: string; readonly apiRoot: string | undefined; readonly timeoutMs?: number | undefined },
) {
  const { token, apiRoot, timeoutMs = CALL_TIMEOUT_MS } = options;
  const client = createTelegramClient({ ...deps, token, apiRoot }, { flood: 'off', timeoutMs });
  return {
    id: Number.parseInt(token, 10),
    token,
    api: client.api,
    close: (): void => client.close(),
  };
}

/**
 * Describes the error of a bot's call in one line without its token. The error itself contains the request payload, so
 * it is not passed on.
 */
export function describeCallError(error: unknown, bot: StorageBot): string {
  return redactSecrets(toWords(error), [bot.token]);
}

function toWords(error: unknown): string {
  if (error instanceof GrammyError) return `${error.method}: ${error.description}`;
  return error instanceof HttpError ? `${error.message} ${describeError(error.error)}` : describeError(error);
}
