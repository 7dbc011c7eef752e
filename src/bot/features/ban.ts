import { Composer } from 'grammy';
import type { BotDeps } from '../bot-deps.ts';
import type { BotContext } from '../context.ts';
import { findNamedPerson } from '../named-person.ts';

/**
 * `/ban` and `/unban`, for those who run the service, with a Telegram id or in reply to a message: whoever is banned gets no answers,
 * and their API keys stop. Nobody else learns that there are such commands.
 */
export function createBanFeature(deps: BotDeps): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command(['ban', 'unban'], async (ctx, next) => {
    if (ctx.person.role !== 'admin') return next();
    const isBan = /^\/ban\b/i.test(ctx.message?.text ?? '');
    await ctx.reply(await (isBan ? ban(deps, ctx) : unban(deps, ctx)));
  });
  return composer;
}

async function ban(deps: BotDeps, ctx: BotContext): Promise<string> {
  const words = ctx.texts.administration;
  const named = findNamedPerson(ctx);
  if (!named || !ctx.from) return words.whom('/ban');
  const { telegramId } = named;
  const order = { adminTelegramId: ctx.from.id, telegramId, reason: named.words };
  const outcome = await deps.administration.ban(order);
  if (outcome === 'admin') return words.isAdmin;
  if (outcome === 'already') return words.banAlready(`${telegramId}`);
  deps.logger.info({ adminId: ctx.person.id }, 'somebody was banned');
  return words.banDone(`${telegramId}`);
}

async function unban(deps: BotDeps, ctx: BotContext): Promise<string> {
  const words = ctx.texts.administration;
  const named = findNamedPerson(ctx);
  if (!named || !ctx.from) return words.whom('/unban');
  const { telegramId } = named;
  const order = { adminTelegramId: ctx.from.id, telegramId, reason: named.words };
  const isDone = await deps.administration.unban(order);
  if (isDone) deps.logger.info({ adminId: ctx.person.id }, 'a ban was lifted');
  return isDone ? words.unbanDone(`${telegramId}`) : words.unbanNone(`${telegramId}`);
}
