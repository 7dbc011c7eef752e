import { Composer } from 'grammy';
import { z } from 'zod';
import { type BudgetNotice, isGroup } from '../../../core/budget-notices/index.ts';
import { type ActionAnswer, type CallbackActionOf, type CallbackActionsOf, onAction } from '../../kit/actions.ts';
import type { BotContext } from '../../kit/context.ts';
import type { Feature, FeatureHandlers } from '../../kit/feature.ts';
import type { BotServices } from '../../kit/services.ts';
import { showView } from '../../kit/views.ts';
import { texts } from './texts.ts';
import { type KeyNews, toNoticeView } from './views.ts';

const notice = { noticeId: z.number() };
/** `limitUsd` is the budget when the raise was offered. */
const raiseFields = { ...notice, limitUsd: z.number(), byUsd: z.number() };

const actions = {
  'raise-budget': { fields: raiseFields },
  'raise-group-budget': { fields: raiseFields, access: 'group-admins' },
  'pause-noticed-key': { fields: { ...notice, isPaused: z.boolean() } },
  'pause-all-keys': { fields: notice },
  /** Asks for confirmation. */
  'ask-to-revoke-noticed-key': { fields: notice },
  'revoke-key-of-notice': { fields: notice },
  'show-budget-notice': { fields: notice },
} as const;

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}

/** Notices to owners of budgets that most or all of one is spent. */
export const budgetNotices: Feature = { actions, create: createHandlers };

/** Buttons of notices about budgets. Each is checked when it is pressed, because rights may have changed. */
function createHandlers(services: BotServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  composer.use(
    onAction(services, 'raise-budget', (ctx, action) => raise(services, ctx, action)),
    onAction(services, 'raise-group-budget', (ctx, action) => raise(services, ctx, action)),
    onAction(services, 'pause-noticed-key', (ctx, { noticeId, isPaused }) =>
      withKey(services, ctx, noticeId, async (notice, keyId) => {
        const { apiKeys, logger } = services;
        const key = await (isPaused ? apiKeys.pause(ctx.user.id, keyId) : apiKeys.resume(ctx.user.id, keyId));
        if (!key) return { hint: texts[ctx.locale].keyGone };
        logger.info({ userId: ctx.user.id, keyId }, isPaused ? 'API key paused' : 'API key resumed');
        return { afterwards: () => show(services, ctx, notice) };
      }),
    ),
    onAction(services, 'ask-to-revoke-noticed-key', (ctx, { noticeId }) =>
      withKey(services, ctx, noticeId, async (notice) => ({
        afterwards: () => show(services, ctx, notice, { asksToRevoke: true }),
      })),
    ),
    onAction(services, 'revoke-key-of-notice', (ctx, { noticeId }) =>
      withKey(services, ctx, noticeId, (notice, keyId) => revoke(services, ctx, notice, keyId)),
    ),
    onAction(services, 'show-budget-notice', (ctx, { noticeId }) =>
      withKey(services, ctx, noticeId, async (notice) => ({ afterwards: () => show(services, ctx, notice) })),
    ),
    onAction(services, 'pause-all-keys', (ctx, { noticeId }) => pauseAll(services, ctx, noticeId)),
  );
  return { middleware: composer };
}

type RaiseAction = CallbackActionOf<'raise-budget' | 'raise-group-budget'>;

async function raise(services: BotServices, ctx: BotContext, action: RaiseAction): Promise<ActionAnswer> {
  const words = texts[ctx.locale];
  const { noticeId, limitUsd, byUsd } = action;
  const notice = await services.budgetNotices.find(noticeId);
  if (!notice) return { hint: words.tooLate, isAlert: true };
  if (!(await mayRaise(services, ctx, notice, action))) return { hint: words.notAllowed, isAlert: true };
  const isInstance = notice.scope.kind === 'instance';
  const adminTelegramId = isInstance ? ctx.from?.id : undefined;
  const outcome = await services.budgetNotices.raise({ noticeId, limitUsd, byUsd, adminTelegramId });
  if (outcome === 'raised')
    services.logger.info(
      { userId: ctx.user.id, noticeId, ...notice.scope, period: notice.period, byUsd },
      'budget raised',
    );
  const hints = { raised: words.raised(byUsd), already: words.alreadyRaised, over: words.tooLate };
  return { hint: hints[outcome], isAlert: outcome !== 'raised', afterwards: () => show(services, ctx, notice) };
}

/** Admins may raise the budget of the instance, owners their own by the amounts of the plan, group admins likewise. */
async function mayRaise(
  services: BotServices,
  ctx: BotContext,
  notice: BudgetNotice,
  { kind, byUsd }: RaiseAction,
): Promise<boolean> {
  const { scope } = notice;
  // The access of the group's action was checked, that of the other one is for private chats.
  if (isGroup(scope) !== (kind === 'raise-group-budget')) return false;
  if (scope.kind === 'instance')
    return ctx.from !== undefined && services.administration.adminIds.includes(ctx.from.id);
  if (scope.kind === 'chat') {
    const isHere = ctx.chatId !== undefined && (await services.groups.isSameChat(scope.id, ctx.chatId));
    if (!isHere) return false;
  } else if ((await services.budgetNotices.findOwner(scope)) !== ctx.user.id) return false;
  const budget = await services.budgetNotices.readBudget(notice);
  // Without a budget, the raise reports that it is over.
  return !budget || (await services.budgetNotices.listRaises(notice, budget)).includes(byUsd);
}

async function revoke(
  services: BotServices,
  ctx: BotContext,
  notice: BudgetNotice,
  keyId: number,
): Promise<ActionAnswer> {
  const key = await services.apiKeys.find(ctx.user.id, keyId);
  if (!key || !(await services.apiKeys.revoke(ctx.user.id, keyId))) return { hint: texts[ctx.locale].keyGone };
  services.logger.info({ userId: ctx.user.id, keyId }, 'API key revoked');
  return { hint: texts[ctx.locale].keyRevoked, afterwards: () => show(services, ctx, notice, { revokedKey: key }) };
}

async function pauseAll(services: BotServices, ctx: BotContext, noticeId: number): Promise<ActionAnswer> {
  const words = texts[ctx.locale];
  const notice = await services.budgetNotices.find(noticeId);
  if (notice?.scope.kind !== 'user' || notice.scope.id !== ctx.user.id) return { hint: words.tooLate };
  const keys = await services.apiKeys.list(ctx.user.id);
  for (const { id } of keys) await services.apiKeys.pause(ctx.user.id, id);
  services.logger.info({ userId: ctx.user.id, count: keys.length }, 'all API keys of a user paused');
  return { hint: words.allPaused, afterwards: () => show(services, ctx, notice, { allArePaused: true }) };
}

/** Calls `change` with the notice about a key of the user, and the key's id. */
async function withKey(
  services: BotServices,
  ctx: BotContext,
  noticeId: number,
  change: (notice: BudgetNotice, keyId: number) => Promise<ActionAnswer>,
): Promise<ActionAnswer> {
  const notice = await services.budgetNotices.find(noticeId);
  const isOwn = notice?.scope.kind === 'key' && (await services.budgetNotices.findOwner(notice.scope)) === ctx.user.id;
  if (notice?.scope.kind === 'key' && isOwn) return change(notice, notice.scope.id);
  const hint = texts[ctx.locale].keyGone;
  return notice ? { hint, afterwards: () => closeButtons(ctx) } : { hint };
}

/** Shows the notice as it is now. */
async function show(services: BotServices, ctx: BotContext, { id }: BudgetNotice, news?: KeyNews): Promise<void> {
  const notice = await services.budgetNotices.find(id);
  if (!notice || ctx.chatId === undefined) return;
  const { locale, user, chatId } = ctx;
  const chat = { chatId, userId: user.id, locale, timeZone: user.settings.timeZone };
  await showView(ctx, await toNoticeView(services, notice, chat, news));
}

async function closeButtons(ctx: BotContext): Promise<void> {
  await ctx.editMessageReplyMarkup().catch(() => {});
}
