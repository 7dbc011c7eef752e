import { Composer } from 'grammy';
import type { BotDeps } from '../bot-deps.ts';
import type { BotContext } from '../context.ts';
import { isGroup } from '../place.ts';

/** Plans that there are whether or not the settings name them. */
const BUILT_IN = ['free', 'admin'] as const;
/** Takes back what an admin has given. */
const USUAL = 'default';

/** `/plan id name`, for those who run the service: puts a person on a plan. Nobody else learns that there is such a command. */
export function createPlanFeature(deps: BotDeps): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('plan', async (ctx, next) => {
    if (ctx.person.role !== 'admin' || isGroup(ctx.chat)) return next();
    await ctx.reply(await putOnPlan(deps, ctx));
  });
  return composer;
}

async function putOnPlan(deps: BotDeps, ctx: BotContext): Promise<string> {
  const words = ctx.texts.account.plans;
  const names = [...new Set([...deps.limits.planNames, ...BUILT_IN])];
  const [id = '', plan] = ctx.match?.toString().trim().split(/\s+/) ?? [];
  if (!/^[1-9]\d{0,15}$/.test(id)) return words.howTo(names.join(', '));
  const person = await deps.accounts.findTelegramPerson(Number(id));
  if (!person) return words.unknownPerson(id);
  if (plan === undefined) return words.current(id, person.plan);
  if (plan !== USUAL && !names.includes(plan)) return words.unknownPlan(plan, names.join(', '));
  const changed = await deps.accounts.setPlan(person.id, plan === USUAL ? undefined : plan);
  const adminTelegramId = ctx.person.telegramId ?? 0;
  await deps.administration.note({ adminTelegramId, action: 'plan', subject: id, reason: changed.plan });
  deps.logger.info({ adminId: ctx.person.id, personId: person.id, plan: changed.plan }, 'a plan was changed');
  return words.changed(id, changed.plan);
}
