import { Composer } from 'grammy';
import type { BotDeps } from '../../framework/bot-deps.ts';
import { isGroup } from '../../framework/chat-topic.ts';
import type { BotContext } from '../../framework/context.ts';
import type { CommandMenu, FeatureHandlers } from '../../framework/feature.ts';
import { type CommandListing, listCommands, publishAdminCommands } from '../../framework/profile.ts';
import { markParts, showView } from '../../framework/view.ts';
import { toInputCapabilities } from '../../inputs/input-capabilities.ts';
import { findAnsweringModel } from '../../models/model-choice.ts';
import type { InputCapabilities, Locale } from '../../texts/locales.ts';
import { texts } from './texts/index.ts';

type HelpServices = CommandListing &
  Pick<BotDeps, 'administration' | 'catalogue' | 'client' | 'logger' | 'speech' | 'transcription'>;

/** `/help`: the commands for users; admins also see theirs in private chats. */
export function createHandlers(deps: HelpServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  composer.command('help', async (ctx) => {
    const model = findAnsweringModel(deps.catalogue, ctx.user)?.entry.id;
    const help = toHelp(deps, ctx.locale, model, toInputCapabilities(deps));
    const text = isAdminAlone(ctx) ? `${help}\n\n${toAdminHelp(deps, ctx.locale)}` : help;
    await showView(ctx, { text, entities: markParts(text, 'code', model ?? '') });
  });
  return { early: createAdminMenu(deps), middleware: composer };
}

/**
 * Publishes the admins' command menu on `/start` and `/help`: Telegram refuses it for a chat that does not exist yet.
 */
function createAdminMenu(deps: HelpServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command(['start', 'help'], async (ctx, next) => {
    await next();
    if (isAdminAlone(ctx)) await publishAdminCommands(deps, ctx.chat.id);
  });
  return composer;
}

/** Admin commands are not shown in groups. */
function isAdminAlone({ user, chat }: BotContext): boolean {
  return user.role === 'admin' && chat !== undefined && !isGroup(chat);
}

/** Returns the help for users, with a line for each command of the private menu. */
export function toHelp(
  deps: CommandListing,
  locale: Locale,
  model: string | undefined,
  inputCapabilities: InputCapabilities,
): string {
  const words = texts[locale];
  return [words.intro(model), '', ...toLines(deps, 'private', locale), '', words.closing(inputCapabilities)].join('\n');
}

function toAdminHelp(deps: HelpServices, locale: Locale): string {
  return [texts[locale].forAdmins, ...toLines(deps, 'admin', locale)].join('\n');
}

function toLines(deps: CommandListing, menu: CommandMenu, locale: Locale): readonly string[] {
  return listCommands(deps, menu, locale).map(({ command, description }) => `/${command} – ${description}`);
}
