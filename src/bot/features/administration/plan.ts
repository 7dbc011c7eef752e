import { Composer } from 'grammy';
import { GROUP_PLAN } from '../../../core/limits/index.ts';
import type { BotContext } from '../../kit/context.ts';
import type { BotServices } from '../../kit/services.ts';
import { texts } from './texts.ts';

/** Plans that exist without being configured. */
const BUILT_IN = ['free', 'admin'] as const;
/** Argument that resets a plan. */
const RESET_ARGUMENT = 'default';

/** `/plan id name`: assigns a plan to a user, or to a group that pays for itself. */
export function createPlans(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('plan', async (ctx) => void (await ctx.reply(await changePlan(services, ctx))));
  return composer;
}

async function changePlan(services: BotServices, ctx: BotContext): Promise<string> {
  const words = texts[ctx.locale].plans;
  const names = [...new Set([...services.limits.planNames, ...BUILT_IN])];
  const [id = '', plan] = ctx.match?.toString().trim().split(/\s+/) ?? [];
  if (!/^-?[1-9]\d{0,15}$/.test(id)) return words.howTo(names.join(', '));
  const holder = await findHolder(services, Number(id));
  if (!holder) return words.unknownUser(id);
  if (plan === undefined) return words.current(id, holder.plan);
  if (plan !== RESET_ARGUMENT && !names.includes(plan)) return words.unknownPlan(plan, names.join(', '));
  const changed = await holder.setPlan(plan === RESET_ARGUMENT ? undefined : plan);
  const adminTelegramId = ctx.user.telegramId ?? 0;
  await services.administration.record({ adminTelegramId, action: 'plan', subject: id, reason: changed });
  services.logger.info({ adminId: ctx.user.id, telegramId: Number(id), plan: changed }, 'plan changed');
  return words.changed(id, changed);
}

/** User or group with a plan. `setPlan` resolves with the plan that applies now. */
interface PlanHolder {
  readonly plan: string;
  setPlan(plan: string | undefined): Promise<string>;
}

/** Ids of groups are negative. */
async function findHolder({ accounts, groups }: BotServices, telegramId: number): Promise<PlanHolder | undefined> {
  if (telegramId < 0) {
    const { plan = GROUP_PLAN } = await groups.find(telegramId);
    return { plan, setPlan: async (chosen) => (await groups.setPlan(telegramId, chosen)).plan ?? GROUP_PLAN };
  }
  const user = await accounts.findTelegramUser(telegramId);
  return user && { plan: user.plan, setPlan: async (chosen) => (await accounts.setPlan(user.id, chosen)).plan };
}
