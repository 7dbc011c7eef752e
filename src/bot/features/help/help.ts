import { Composer } from 'grammy';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import type { Command } from '../../framework/feature.ts';
import { isGroup } from '../../framework/place.ts';
import { listCommands, publishAdminCommands } from '../../framework/profile.ts';
import { markPieces, showView } from '../../framework/view.ts';
import { toSenses } from '../../inputs/senses.ts';
import { findAnsweringModel } from '../../models/model-choice.ts';

type HelpDeps = BotDeps & { readonly commands: readonly Command[] };

/** `/help`: everything that can be done, on one phone screen; below it the admin commands, which only admins see. */
export function createHelpFeature(deps: HelpDeps): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('help', async (ctx) => {
    const model = findAnsweringModel(deps.catalogue, ctx.person)?.entry.id;
    const help = ctx.texts.help(model, toSenses(deps));
    const text = isAdminAlone(ctx) ? `${help}\n\n${toAdminHelp(deps, ctx)}` : help;
    await showView(ctx, { text, entities: markPieces(text, 'code', model ?? '') });
  });
  return composer;
}

/** Brings the menu of commands up to date where an admin begins or asks for help: Telegram takes none for a chat that does not exist yet. */
export function createAdminMenuFeature(deps: HelpDeps): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command(['start', 'help'], async (ctx, next) => {
    await next();
    if (isAdminAlone(ctx)) await publishAdminCommands(deps, ctx.chat.id);
  });
  return composer;
}

/** In groups others would read along. */
function isAdminAlone({ person, chat }: BotContext): boolean {
  return person.role === 'admin' && chat !== undefined && !isGroup(chat);
}

function toAdminHelp(deps: HelpDeps, { locale, texts }: BotContext): string {
  const lines = listCommands(deps, 'admin', locale).map(({ command, description }) => `/${command} – ${description}`);
  return [texts.access.forAdmins, ...lines].join('\n');
}
