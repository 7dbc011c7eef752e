import { Composer } from 'grammy';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import { offerKeyboard, toButtonTarget } from '../../framework/keyboard.ts';
import { onPress } from '../../framework/press.ts';
import { showView, type View } from '../../framework/view.ts';
import { findNamedPerson, type NamedPerson } from './named-person.ts';

/**
 * `/ban` and `/unban`, for admins, with a Telegram id or in reply to a message: a banned user gets no answers, and their API keys stop.
 * An id that the service does not know can be banned before its user writes. Other users never learn that there are such commands.
 */
export function createBanFeature(deps: BotDeps): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command(['ban', 'unban'], async (ctx, next) => {
    if (ctx.person.role !== 'admin') return next();
    const isBan = /^\/ban\b/i.test(ctx.message?.text ?? '');
    await showView(ctx, await (isBan ? ban(deps, ctx) : unbanByText(deps, ctx)));
  });
  composer.use(
    onPress(deps, 'unban', (ctx, { telegramId }) => {
      if (ctx.person.role !== 'admin') return { hint: ctx.texts.stalePress };
      return { afterwards: async () => showView(ctx, await unban(deps, ctx, { telegramId, words: '' })) };
    }),
  );
  return composer;
}

async function ban(deps: BotDeps, ctx: BotContext): Promise<View> {
  const { administration: words, buttons } = ctx.texts;
  const named = findNamedPerson(ctx);
  if (!named || !ctx.from) return { text: words.whom('/ban') };
  const { telegramId } = named;
  const outcome = await deps.administration.ban({ adminTelegramId: ctx.from.id, telegramId, reason: named.words });
  if (outcome === 'admin') return { text: words.isAdmin };
  if (outcome === 'already') return { text: words.banAlready(`${telegramId}`) };
  deps.logger.info({ adminId: ctx.person.id }, 'somebody was banned');
  const isKnown = (await deps.accounts.findTelegramPerson(telegramId)) !== undefined;
  const undo = { text: buttons.undo, choice: { kind: 'unban', telegramId } } as const;
  return {
    text: isKnown ? words.banDone(`${telegramId}`) : words.banUnknown(`${telegramId}`),
    keyboard: await offerKeyboard(deps, toButtonTarget(ctx), [[undo]]),
  };
}

async function unbanByText(deps: BotDeps, ctx: BotContext): Promise<View> {
  const named = findNamedPerson(ctx);
  return named ? unban(deps, ctx, named) : { text: ctx.texts.administration.whom('/unban') };
}

async function unban(deps: BotDeps, ctx: BotContext, { telegramId, words: reason }: NamedPerson): Promise<View> {
  const words = ctx.texts.administration;
  const isDone = await deps.administration.unban({ adminTelegramId: ctx.from?.id ?? 0, telegramId, reason });
  if (isDone) deps.logger.info({ adminId: ctx.person.id }, 'a ban was lifted');
  return { text: isDone ? words.unbanDone(`${telegramId}`) : words.unbanNone(`${telegramId}`) };
}
