import { HttpError } from 'grammy';
import { z } from 'zod';
import type { Clock } from '../lib/clock.ts';
import { describeError } from '../lib/errors/describe-error.ts';
import type { Logger } from '../lib/log/logger.ts';
import { createTelegramClient } from './telegram-client.ts';
import { classifyTelegramError } from './telegram-errors.ts';

/** Telegram's answer to a bot token. */
export type BotCheck =
  | {
      readonly kind: 'works';
      readonly username: string;
      /** False if privacy mode keeps messages of groups from the bot that do not address it. */
      readonly readsGroups: boolean;
      /** Host to which Telegram sends updates now; undefined without a webhook. */
      readonly webhookHost: string | undefined;
    }
  /** The token is wrong or revoked. */
  | { readonly kind: 'refused' }
  /** There was no usable answer. `reason` does not contain the token. */
  | { readonly kind: 'no-answer'; readonly reason: string };

const TIMEOUT_MS = 10_000;
const TELEGRAM = 'https://api.telegram.org';
const meSchema = z.object({
  is_bot: z.literal(true),
  username: z.string().min(1),
  can_read_all_group_messages: z.boolean().default(false),
});
const webhookSchema = z.object({ url: z.string() });

/** Asks Telegram about a bot token by `getMe` and `getWebhookInfo`. Changes nothing and never throws. */
export async function checkBot(
  deps: { readonly clock: Clock; readonly logger: Logger },
  {
    token,
    apiRoot,
    timeoutMs = TIMEOUT_MS,
  }: { readonly token: string; readonly apiRoot: string | undefined; readonly timeoutMs?: number },
): Promise<BotCheck> {
  const client = createTelegramClient({ ...deps, token, apiRoot }, { flood: 'off', timeoutMs });
  try {
    const [me, webhook] = await Promise.all([client.api.getMe(), client.api.getWebhookInfo()]);
    const bot = meSchema.safeParse(me);
    const info = webhookSchema.safeParse(webhook);
    if (!bot.success || !info.success)
      return { kind: 'no-answer', reason: 'the answer is not that of a Bot API server' };
    const { username, can_read_all_group_messages: readsGroups } = bot.data;
    return { kind: 'works', username, readsGroups, webhookHost: URL.parse(info.data.url)?.host };
  } catch (error) {
    if (classifyTelegramError(error).kind === 'unauthorized') return { kind: 'refused' };
    // grammY's own message names neither the address nor the cause.
    const cause = describeError(error instanceof HttpError ? error.error : error).replaceAll(token, '[token]');
    return { kind: 'no-answer', reason: `${URL.parse(apiRoot ?? TELEGRAM)?.host}: ${cause}` };
  } finally {
    client.close();
  }
}
