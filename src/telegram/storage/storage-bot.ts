import { type Api, GrammyError, HttpError } from 'grammy';
import type { Clock } from '../../lib/clock.ts';
import { describeError } from '../../lib/describe-error.ts';
import { type Logger, redactSecrets } from '../../lib/logger.ts';
import { createTelegramClient } from '../telegram-client.ts';

/** A bot that carries blobs. Its calls go out at once: whoever makes them waits for a turn first. */
export interface StorageBot {
  readonly id: number;
  readonly token: string;
  readonly api: Api;
  close(): void;
}

/** A bot in a channel: what Telegram's limit of messages is counted for. */
export interface ChannelPair {
  readonly bot: StorageBot;
  readonly chatId: number;
}

/** Telegram fetches a file from its own servers before it tells the path. */
const CALL_TIMEOUT_MS = 60_000;

/** Makes no call yet. */
export function createStorageBot(
  deps: { readonly clock: Clock; readonly logger: Logger },
  options: { readonly token: string; readonly apiRoot: string | undefined },
): StorageBot {
  const client = createTelegramClient({ ...deps, ...options }, { flood: 'off', timeoutMs: CALL_TIMEOUT_MS });
  return {
    id: Number.parseInt(options.token, 10),
    token: options.token,
    api: client.api,
    close: () => client.close(),
  };
}

/** What a call of a bot has thrown, in one line without its token. The error itself holds what was sent, so it is not passed on. */
export function describeCallError(error: unknown, bot: StorageBot): string {
  return redactSecrets(toWords(error), [bot.token]);
}

function toWords(error: unknown): string {
  if (error instanceof GrammyError) return `${error.method}: ${error.description}`;
  return error instanceof HttpError ? `${error.message} ${describeError(error.error)}` : describeError(error);
}
