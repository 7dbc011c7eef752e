import { Composer } from 'grammy';
import { z } from 'zod';
import type { AccessDecision } from '../../../core/administration/index.ts';
import { findAccountName } from '../../kit/account-names.ts';
import { type ActionAnswer, type CallbackActionOf, type CallbackActionsOf, onAction } from '../../kit/actions.ts';
import type { BotContext } from '../../kit/context.ts';
import type { Feature, FeatureHandlers } from '../../kit/feature.ts';
import { storeKeyboard, toButtonTarget } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { showView } from '../../kit/views.ts';
import { findLocale } from '../../texts/locales.ts';
import { texts } from './texts.ts';
import { listPlans, readRequests, toFingerprint, toPlanRows, toRequestsView } from './views.ts';

const request = { telegramId: z.number() };

const actions = {
  'show-access-request': { fields: request },
  'choose-access-plan': { fields: request },
  'decide-access': {
    fields: { ...request, decision: z.enum(['allow', 'ignore', 'block']), plan: z.string().optional() },
  },
  /** Only those that waited when the button was made; older buttons name none. */
  'ignore-access-requests': { fields: { telegramIds: z.array(z.number()).optional() } },
};

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}

/**
 * Decisions of admins about accounts that ask for access to a private service. `middleware/access-control.ts` takes the
 * requests, `request-sender.ts` shows them to the admins.
 */
export const accessRequests: Feature = { actions, create: createHandlers };

function createHandlers(services: BotServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  composer.use(
    onAdminAction(services, 'show-access-request', (ctx, { telegramId }) => ({
      afterwards: () => show(services, ctx, telegramId),
    })),
    onAdminAction(services, 'choose-access-plan', (ctx, { telegramId }) => ({
      afterwards: async () => {
        const text = `${ctx.msg?.text ?? ''}\n\n${texts[ctx.locale].askPlan}`.trim();
        const rows = toPlanRows(services, telegramId, ctx.texts.buttons.back);
        await showView(ctx, { text, keyboard: await storeKeyboard(services, toButtonTarget(ctx), rows) });
      },
    })),
    onAdminAction(services, 'decide-access', (ctx, action) => decide(services, ctx, action)),
    onAdminAction(services, 'ignore-access-requests', async (ctx, { telegramIds = [] }) => {
      for (const telegramId of telegramIds) await decideOne(services, ctx, telegramId, { kind: 'ignore' });
      return { afterwards: () => show(services, ctx) };
    }),
  );
  return { middleware: composer };
}

type RequestAction = 'show-access-request' | 'choose-access-plan' | 'decide-access' | 'ignore-access-requests';

/** Registers a handler that refuses users who are no admins any more. */
function onAdminAction<Kind extends RequestAction>(
  services: BotServices,
  kind: Kind,
  handle: (ctx: BotContext, action: CallbackActionOf<Kind>) => Promise<ActionAnswer> | ActionAnswer,
) {
  return onAction(services, kind, (ctx, action) =>
    ctx.user.role === 'admin' ? handle(ctx, action) : { hint: texts[ctx.locale].onlyAdmins, isAlert: true },
  );
}

async function decide(
  services: BotServices,
  ctx: BotContext,
  { telegramId, decision: kind, plan }: CallbackActionOf<'decide-access'>,
): Promise<ActionAnswer> {
  const words = texts[ctx.locale];
  if (plan !== undefined && !listPlans(services).includes(plan)) return { hint: words.noPlan, isAlert: true };
  const outcome = await decideOne(services, ctx, telegramId, kind === 'allow' ? { kind, plan } : { kind });
  const afterwards = () => show(services, ctx);
  if (outcome === 'decided') return { afterwards };
  if (outcome === 'admin') return { hint: words.isAdmin, isAlert: true, afterwards };
  if (outcome === 'gone' || outcome.state === 'open') return { hint: words.lapsed, isAlert: true, afterwards };
  const admin = await findAccountName(services, outcome.decidedBy ?? 0);
  return { hint: words.already[outcome.state](admin), isAlert: true, afterwards };
}

async function decideOne(services: BotServices, ctx: BotContext, telegramId: number, decision: AccessDecision) {
  const adminTelegramId = ctx.from?.id ?? 0;
  const outcome = await services.accessRequests.decide({ adminTelegramId, telegramId, decision });
  if (outcome === 'decided') {
    services.logger.info({ adminId: ctx.user.id, telegramId, decision: decision.kind }, 'request for access decided');
    services.requestSender.wake();
  }
  return outcome;
}

/** Shows the open requests in the message whose button was pressed: the wanted one if it is open, or else the oldest. */
async function show(services: BotServices, ctx: BotContext, telegramId?: number): Promise<void> {
  const adminTelegramId = ctx.from?.id ?? 0;
  const { message } = ctx.callbackQuery ?? {};
  const notice = (await services.accessRequests.listNotices()).find(
    (one) => one.adminTelegramId === adminTelegramId && one.messageId === message?.message_id,
  );
  const since = notice?.sentAt ?? new Date((message?.date ?? 0) * 1000);
  const state = await readRequests(services, since, await services.accessRequests.listOpen());
  const shown = state.open.find((one) => one.telegramId === telegramId)?.telegramId;
  const { text, rows, hasOpen, shownTelegramId } = await toRequestsView(services, state, {
    ...{ locale: ctx.locale, adminTelegramId, telegramId: shown },
  });
  // Stored first, so that the sender does not replace it.
  if (notice && !hasOpen) await services.accessRequests.removeNotice(adminTelegramId);
  else if (notice) {
    const content = toFingerprint(state, findLocale(ctx.user.settings.language));
    await services.accessRequests.writeNotice({ ...notice, shownTelegramId, content });
  }
  await showView(ctx, { text, keyboard: await storeKeyboard(services, toButtonTarget(ctx), rows) });
}
