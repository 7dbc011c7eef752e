import type { LanguageCode } from 'grammy/types';
import type { Logger } from '../lib/logger.ts';
import { toGrammySignal } from '../telegram/grammy-signal.ts';
import type { TelegramClient } from '../telegram/telegram-client.ts';
import { classifyTelegramError } from '../telegram/telegram-errors.ts';
import { DEFAULT_LOCALE, localeCodes, locales } from './texts/locales.ts';

const PRIVATE_COMMANDS = [
  'new',
  'threads',
  'share',
  'imagine',
  'summarise',
  'save',
  'files',
  'model',
  'persona',
  'system',
  'stop',
  'settings',
  'key',
  'usage',
  'privacy',
  'help',
] as const;
const GROUP_COMMANDS = [
  'new',
  'threads',
  'imagine',
  'summarise',
  'save',
  'model',
  'persona',
  'stop',
  'settings',
  'help',
] as const;

/** Publishes the commands and descriptions of every locale. One that Telegram refuses is logged, and the bot works without it. */
export async function publishProfile(
  deps: { readonly client: TelegramClient; readonly logger: Logger },
  signal: AbortSignal,
): Promise<void> {
  const { api } = deps.client;
  const ending = toGrammySignal(signal);
  for (const locale of localeCodes) {
    const { commands, profile } = locales[locale];
    // Texts without a language are for everybody whose language has none of its own.
    const language: { language_code?: LanguageCode } = locale === DEFAULT_LOCALE ? {} : { language_code: locale };
    const describe = (names: readonly (keyof typeof commands)[]) =>
      names.map((command) => ({ command, description: commands[command] }));
    const calls = [
      () =>
        api.setMyCommands(describe(PRIVATE_COMMANDS), { scope: { type: 'all_private_chats' }, ...language }, ending),
      () => api.setMyCommands(describe(GROUP_COMMANDS), { scope: { type: 'all_group_chats' }, ...language }, ending),
      () => api.setMyShortDescription(profile.short, language, ending),
      () => api.setMyDescription(profile.long, language, ending),
    ];
    for (const call of calls) {
      signal.throwIfAborted();
      await call().catch((error: unknown) => {
        deps.logger.warn(
          { locale, failure: classifyTelegramError(error).kind },
          'a part of the profile was not published',
        );
      });
    }
  }
}
