import type { Config } from '../../config/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log/logger.ts';
import { createWebhook } from '../../telegram/updates/webhook.ts';

/** Base URL of links to Telegram in the playground, instead of `https://t.me`. */
export const PLAYGROUND_TELEGRAM = '/playground/t.me';

/** Connection between the bot and Telegram, in both directions. */
export type TelegramAccess = Awaited<ReturnType<typeof openTelegram>>;

/**
 * Opens the access to Telegram, or the playground if no bot is configured.
 * @returns `plugins` for the HTTP server; `toApiRoot`, which maps the service's own URL to the Bot API root, undefined
 * for Telegram's own Bot API.
 */
export async function openTelegram(
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
  settings: Config['telegram'],
) {
  if (settings.mode === 'playground') {
    // The simulated Telegram is not loaded for a real bot.
    const { openPlayground, SIMULATOR_PREFIX } = await import('./create-playground.ts');
    const playground = await openPlayground({ clock, logger }, settings);
    const { token, plugins } = playground;
    const toApiRoot = (url: string) => `${url}${SIMULATOR_PREFIX}`;
    const { apiRoot } = settings;
    return {
      token,
      botId: toBotId(token),
      webhook: undefined,
      playground: { ...playground, apiRoot },
      plugins,
      toApiRoot,
    };
  }
  const { token, apiRoot } = settings;
  const webhook = settings.webhook && { ...settings.webhook, receiver: createWebhook({ logger }, settings.webhook) };
  const plugins = webhook ? [{ prefix: '/telegram', plugin: webhook.receiver.plugin }] : [];
  return { token, botId: toBotId(token), webhook, playground: undefined, plugins, toApiRoot: () => apiRoot };
}

function toBotId(token: string): number {
  return Number(token.split(':', 1)[0]);
}
