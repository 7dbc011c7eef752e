import { Composer } from 'grammy';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import { findNamedPerson } from './named-person.ts';

/**
 * `/allow` and `/disallow`, for those who run a service that is not for everybody: who may use it beside the people in the settings.
 * Nobody else learns that there are such commands.
 */
export function createAllowFeature(deps: BotDeps): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command(['allow', 'disallow'], async (ctx, next) => {
    if (ctx.person.role !== 'admin') return next();
    await ctx.reply(await changeList(deps, ctx));
  });
  return composer;
}

async function changeList(deps: BotDeps, ctx: BotContext): Promise<string> {
  const { administration } = deps;
  const words = ctx.texts.administration;
  if (!administration.isPrivate) return words.everybody;
  const isAllow = /^\/allow\b/i.test(ctx.message?.text ?? '');
  const named = findNamedPerson(ctx);
  if (!named || !ctx.from) return words.whom(isAllow ? '/allow' : '/disallow');
  const id = `${named.telegramId}`;
  const order = { adminTelegramId: ctx.from.id, telegramId: named.telegramId, reason: named.words };
  if (isAllow) return (await administration.allow(order)) ? words.allowDone(id) : words.allowAlready(id);
  const outcome = await administration.disallow(order);
  if (outcome === 'done') return words.disallowDone(id);
  return outcome === 'already' ? words.disallowNone(id) : words.disallowFixed(id);
}
