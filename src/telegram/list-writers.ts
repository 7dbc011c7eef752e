import { z } from 'zod';
import type { Clock } from '../lib/clock.ts';
import { describeError } from '../lib/errors/describe-error.ts';
import type { Logger } from '../lib/log/logger.ts';
import { createTelegramClient } from './telegram-client.ts';

/** A user who has written to a bot that does not run yet. */
export interface Writer {
  readonly id: number;
  /** As Telegram shows it. */
  readonly name: string;
  readonly username: string | undefined;
}

const TIMEOUT_MS = 10_000;
const MAX_UPDATES = 100;
const MAX_WRITERS = 20;

const updatesSchema = z.array(
  z.object({
    message: z
      .object({
        from: z.object({
          id: z.number(),
          is_bot: z.boolean(),
          first_name: z.string(),
          last_name: z.string().optional(),
          username: z.string().optional(),
        }),
        chat: z.object({ type: z.string() }),
      })
      .optional()
      .catch(undefined),
  }),
);

/**
 * Returns the users whose private messages wait for a bot, newest first. The messages stay at Telegram, for the bot to
 * answer when it runs. Never throws; a text is the reason why Telegram shows no messages, without the token.
 */
export async function listWriters(
  deps: { readonly clock: Clock; readonly logger: Logger },
  { token, apiRoot }: { readonly token: string; readonly apiRoot: string | undefined },
): Promise<readonly Writer[] | string> {
  const client = createTelegramClient({ ...deps, token, apiRoot }, { flood: 'off', timeoutMs: TIMEOUT_MS });
  try {
    const updates = updatesSchema.parse(await client.api.getUpdates({ limit: MAX_UPDATES, timeout: 0 }));
    const writers = updates.flatMap(({ message }) => {
      if (message?.chat.type !== 'private' || message.from.is_bot) return [];
      const { id, first_name: first, last_name: last, username } = message.from;
      return [{ id, name: last === undefined ? first : `${first} ${last}`, username }];
    });
    return [...new Map(writers.map((writer) => [writer.id, writer])).values()].reverse().slice(0, MAX_WRITERS);
  } catch (error) {
    return describeError(error).replaceAll(token, '[token]');
  } finally {
    client.close();
  }
}
