import { Composer } from 'grammy';
import { type BudgetNotice, isGroup } from '../../../core/budget-notices/index.ts';
import type { CallbackActionOf } from '../../framework/callback-action.ts';
import type { BotContext } from '../../framework/context.ts';
import type { FeatureHandlers } from '../../framework/feature.ts';
import { type ActionAnswer, onAction } from '../../framework/on-action.ts';
import { showView } from '../../framework/view.ts';
import { type KeyNews, toNoticeView } from './notice-view.ts';
import type { BudgetNoticeServices } from './services.ts';
import { texts } from './texts/index.ts';

/** Buttons of notices about budgets. Each is checked when it is pressed, because rights may have changed. */
export function createHandlers(deps: BudgetNoticeServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  composer.use(
    onAction(deps, 'raise-budget', (ctx, action) => raise(deps, ctx, action)),
    onAction(deps, 'raise-group-budget', (ctx, action) => raise(deps, ctx, action)),
    onAction(deps, 'pause-noticed-key', (ctx, { noticeId, isPaused }) =>
      withKey(deps, ctx, noticeId, async (notice, keyId) => {
        const { apiKeys, logger } = deps;
        const key = await (isPaused ? apiKeys.pause(ctx.user.id, keyId) : apiKeys.resume(ctx.user.id, keyId));
        if (!key) return { hint: texts[ctx.locale].keyGone };
        logger.info({ userId: ctx.user.id, keyId }, isPaused ? 'API key paused' : 'API key resumed');
        return { afterwards: () => show(deps, ctx, notice) };
      }),
    ),
    onAction(deps, 'ask-to-revoke-noticed-key', (ctx, { noticeId }) =>
      withKey(deps, ctx, noticeId, async (notice) => ({
        afterwards: () => show(deps, ctx, notice, { asksToRevoke: true }),
      })),
    ),
    onAction(deps, 'revoke-key-of-notice', (ctx, { noticeId }) =>
      withKey(deps, ctx, noticeId, (notice, keyId) => revoke(deps, ctx, notice, keyId)),
    ),
    onAction(deps, 'show-budget-notice', (ctx, { noticeId }) =>
      withKey(deps, ctx, noticeId, async (notice) => ({ afterwards: () => show(deps, ctx, notice) })),
    ),
    onAction(deps, 'pause-all-keys', (ctx, { noticeId }) => pauseAll(deps, ctx, noticeId)),
  );
  return { middleware: composer };
}

type RaiseAction = CallbackActionOf<'raise-budget' | 'raise-group-budget'>;

async function raise(deps: BudgetNoticeServices, ctx: BotContext, action: RaiseAction): Promise<ActionAnswer> {
  const words = texts[ctx.locale];
  const { noticeId, limitUsd, byUsd } = action;
  const notice = await deps.budgetNotices.find(noticeId);
  if (!notice) return { hint: words.tooLate, isAlert: true };
  if (!(await mayRaise(deps, ctx, notice, action))) return { hint: words.notAllowed, isAlert: true };
  const isInstance = notice.scope.kind === 'instance';
  const adminTelegramId = isInstance ? ctx.from?.id : undefined;
  const outcome = await deps.budgetNotices.raise({ noticeId, limitUsd, byUsd, adminTelegramId });
  if (outcome === 'raised')
    deps.logger.info({ userId: ctx.user.id, noticeId, ...notice.scope, period: notice.period, byUsd }, 'budget raised');
  const hints = { raised: words.raised(byUsd), already: words.alreadyRaised, over: words.tooLate };
  return { hint: hints[outcome], isAlert: outcome !== 'raised', afterwards: () => show(deps, ctx, notice) };
}

/** Admins may raise the budget of the instance, owners their own by the amounts of the plan, group admins likewise. */
async function mayRaise(
  deps: BudgetNoticeServices,
  ctx: BotContext,
  notice: BudgetNotice,
  { kind, byUsd }: RaiseAction,
): Promise<boolean> {
  const { scope } = notice;
  // The access of the group's action was checked, that of the other one is for private chats.
  if (isGroup(scope) !== (kind === 'raise-group-budget')) return false;
  if (scope.kind === 'instance') return ctx.from !== undefined && deps.administration.adminIds.includes(ctx.from.id);
  if (scope.kind === 'chat') {
    const isHere = ctx.chatId !== undefined && (await deps.groups.isSameChat(scope.id, ctx.chatId));
    if (!isHere) return false;
  } else if ((await deps.budgetNotices.findOwner(scope)) !== ctx.user.id) return false;
  const budget = await deps.budgetNotices.readBudget(notice);
  // Without a budget, the raise reports that it is over.
  return !budget || (await deps.budgetNotices.listRaises(notice, budget)).includes(byUsd);
}

async function revoke(
  deps: BudgetNoticeServices,
  ctx: BotContext,
  notice: BudgetNotice,
  keyId: number,
): Promise<ActionAnswer> {
  const key = await deps.apiKeys.find(ctx.user.id, keyId);
  if (!key || !(await deps.apiKeys.revoke(ctx.user.id, keyId))) return { hint: texts[ctx.locale].keyGone };
  deps.logger.info({ userId: ctx.user.id, keyId }, 'API key revoked');
  return { hint: texts[ctx.locale].keyRevoked, afterwards: () => show(deps, ctx, notice, { revokedKey: key }) };
}

async function pauseAll(deps: BudgetNoticeServices, ctx: BotContext, noticeId: number): Promise<ActionAnswer> {
  const words = texts[ctx.locale];
  const notice = await deps.budgetNotices.find(noticeId);
  if (notice?.scope.kind !== 'person' || notice.scope.id !== ctx.user.id) return { hint: words.tooLate };
  const keys = await deps.apiKeys.list(ctx.user.id);
  for (const { id } of keys) await deps.apiKeys.pause(ctx.user.id, id);
  deps.logger.info({ userId: ctx.user.id, count: keys.length }, 'all API keys of a user paused');
  return { hint: words.allPaused, afterwards: () => show(deps, ctx, notice, { allArePaused: true }) };
}

/** Calls `change` with the notice about a key of the user, and the key's id. */
async function withKey(
  deps: BudgetNoticeServices,
  ctx: BotContext,
  noticeId: number,
  change: (notice: BudgetNotice, keyId: number) => Promise<ActionAnswer>,
): Promise<ActionAnswer> {
  const notice = await deps.budgetNotices.find(noticeId);
  const isOwn = notice?.scope.kind === 'key' && (await deps.budgetNotices.findOwner(notice.scope)) === ctx.user.id;
  if (notice?.scope.kind === 'key' && isOwn) return change(notice, notice.scope.id);
  const hint = texts[ctx.locale].keyGone;
  return notice ? { hint, afterwards: () => closeButtons(ctx) } : { hint };
}

/** Shows the notice as it is now. */
async function show(deps: BudgetNoticeServices, ctx: BotContext, { id }: BudgetNotice, news?: KeyNews): Promise<void> {
  const notice = await deps.budgetNotices.find(id);
  if (!notice || ctx.chatId === undefined) return;
  const { locale, user, chatId } = ctx;
  const chat = { chatId, userId: user.id, locale, timeZone: user.settings.timeZone };
  await showView(ctx, await toNoticeView(deps, notice, chat, news));
}

async function closeButtons(ctx: BotContext): Promise<void> {
  await ctx.editMessageReplyMarkup().catch(() => {});
}
