import type { LanguageCode, MenuButton } from 'grammy/types';
import type { Administration } from '../../core/administration/index.ts';
import { toGrammySignal } from '../../telegram/grammy-signal.ts';
import { classifyTelegramError } from '../../telegram/telegram-errors.ts';
import { DEFAULT_LOCALE, type Locale, localeCodes, locales } from '../texts/locales.ts';
import type { Command, CommandMenu } from './feature.ts';
import type { BotServices } from './services.ts';

/** Input for lists of commands. */
export interface CommandListing {
  readonly administration: Pick<Administration, 'isPrivate'>;
  readonly commands: readonly Command[];
}

/** Returns the commands of a menu that have an effect on this service, each with its description. */
export function listCommands({ administration, commands }: CommandListing, menu: CommandMenu, locale: Locale) {
  return commands.flatMap((command) => {
    if (!('describe' in command) || !command.menus.includes(menu)) return [];
    if (command.isForPrivateService && !administration.isPrivate) return [];
    return [{ command: command.name, description: command.describe(locale) }];
  });
}

/** Returns whether Telegram opens this address as a Mini App. */
export function canOpenMiniApp(url: string): boolean {
  return url.startsWith('https://');
}

/**
 * Publishes the commands and descriptions of every locale, and the button that opens the console. A call that Telegram refuses is logged, and the bot starts
 * without its result.
 */
export async function publishProfile(services: BotServices, signal: AbortSignal): Promise<void> {
  const { api } = services.client;
  const ending = toGrammySignal(signal);
  for (const locale of localeCodes) {
    const { profile } = locales[locale];
    const language = toLanguage(locale);
    const calls = [
      () =>
        api.setMyCommands(
          listCommands(services, 'private', locale),
          { scope: { type: 'all_private_chats' }, ...language },
          ending,
        ),
      () =>
        api.setMyCommands(
          listCommands(services, 'group', locale),
          { scope: { type: 'all_group_chats' }, ...language },
          ending,
        ),
      () => api.setMyShortDescription(profile.short, language, ending),
      () => api.setMyDescription(profile.long, language, ending),
    ];
    for (const call of calls) {
      signal.throwIfAborted();
      await publish(services, locale, call);
    }
  }
  signal.throwIfAborted();
  await publish(services, DEFAULT_LOCALE, () => api.setChatMenuButton({ menu_button: toMenuButton(services) }, ending));
  for (const adminId of services.administration.adminIds) {
    signal.throwIfAborted();
    await publishAdminCommands(services, adminId, signal);
  }
}

/**
 * Adds the admin commands to the menu of an admin's private chat. Never throws: Telegram refuses before the admin has
 * started the bot.
 */
export async function publishAdminCommands(
  services: BotServices,
  telegramId: number,
  signal?: AbortSignal | undefined,
): Promise<void> {
  try {
    for (const locale of localeCodes) {
      const commands = [...listCommands(services, 'private', locale), ...listCommands(services, 'admin', locale)];
      await services.client.api.setMyCommands(
        commands,
        { scope: { type: 'chat', chat_id: telegramId }, ...toLanguage(locale) },
        signal && toGrammySignal(signal),
      );
    }
  } catch (error) {
    services.logger.debug(
      { failure: classifyTelegramError(error).kind },
      'the admin commands could not be added to the menu of an admin',
    );
  }
}

async function publish({ logger }: BotServices, locale: Locale, call: () => Promise<unknown>): Promise<void> {
  await call().catch((error: unknown) => {
    const failure = classifyTelegramError(error).kind;
    logger.warn({ locale, failure }, 'part of the bot profile could not be published');
  });
}

/** Returns the button beside the input field: the console, or the commands where it can't be a Mini App. */
function toMenuButton({ consoleUrl }: BotServices): MenuButton {
  if (!canOpenMiniApp(consoleUrl)) return { type: 'commands' };
  return { type: 'web_app', text: 'Console', web_app: { url: consoleUrl } };
}

/** Returns the language option; the default locale has none, so that it applies to all languages without their own. */
function toLanguage(locale: Locale): { language_code?: LanguageCode } {
  return locale === DEFAULT_LOCALE ? {} : { language_code: locale };
}
