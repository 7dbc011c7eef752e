import type { LanguageCode } from 'grammy/types';
import type { Administration } from '../../core/administration/index.ts';
import type { Logger } from '../../lib/logger.ts';
import { toGrammySignal } from '../../telegram/grammy-signal.ts';
import type { TelegramClient } from '../../telegram/telegram-client.ts';
import { classifyTelegramError } from '../../telegram/telegram-errors.ts';
import { DEFAULT_LOCALE, type Locale, localeCodes, locales, type Texts } from '../texts/locales.ts';

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

/** Commands of whoever runs the service; the last two where it is not open to everyone. */
const ADMIN_COMMANDS = ['stats', 'announce', 'plan', 'ban', 'unban', 'takedown', 'audit', 'allow', 'disallow'] as const;

interface ProfileDeps {
  readonly client: TelegramClient;
  readonly logger: Logger;
  readonly administration: Pick<Administration, 'adminIds' | 'isPrivate'>;
}

/** Returns the admin commands that do something here, each with its description. */
export function listAdminCommands(
  { administration }: Pick<ProfileDeps, 'administration'>,
  { administration: words }: Texts,
) {
  return ADMIN_COMMANDS.filter(
    (command) => administration.isPrivate || (command !== 'allow' && command !== 'disallow'),
  ).map((command) => ({ command, description: words.commands[command] }));
}

/** Publishes the commands and descriptions of every locale. One that Telegram refuses is logged, and the bot works without it. */
export async function publishProfile(deps: ProfileDeps, signal: AbortSignal): Promise<void> {
  const { api } = deps.client;
  const ending = toGrammySignal(signal);
  for (const locale of localeCodes) {
    const { profile } = locales[locale];
    const language = toLanguage(locale);
    const calls = [
      () =>
        api.setMyCommands(
          describe(PRIVATE_COMMANDS, locale),
          { scope: { type: 'all_private_chats' }, ...language },
          ending,
        ),
      () =>
        api.setMyCommands(
          describe(GROUP_COMMANDS, locale),
          { scope: { type: 'all_group_chats' }, ...language },
          ending,
        ),
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
  for (const adminId of deps.administration.adminIds) {
    signal.throwIfAborted();
    await publishAdminCommands(deps, adminId, signal);
  }
}

/** Adds the admin commands to the menu of an admin's private chat. Telegram refuses before the admin has started the bot: never throws. */
export async function publishAdminCommands(
  deps: ProfileDeps,
  telegramId: number,
  signal?: AbortSignal | undefined,
): Promise<void> {
  try {
    for (const locale of localeCodes) {
      const commands = [...describe(PRIVATE_COMMANDS, locale), ...listAdminCommands(deps, locales[locale])];
      await deps.client.api.setMyCommands(
        commands,
        { scope: { type: 'chat', chat_id: telegramId }, ...toLanguage(locale) },
        signal && toGrammySignal(signal),
      );
    }
  } catch (error) {
    deps.logger.debug({ failure: classifyTelegramError(error).kind }, 'an admin has no menu of admin commands');
  }
}

function describe(names: readonly (keyof Texts['commands'])[], locale: Locale) {
  return names.map((command) => ({ command, description: locales[locale].commands[command] }));
}

/** Texts without a language are for every user whose language has none of its own. */
function toLanguage(locale: Locale): { language_code?: LanguageCode } {
  return locale === DEFAULT_LOCALE ? {} : { language_code: locale };
}
