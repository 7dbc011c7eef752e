import type { MiddlewareFn } from 'grammy';
import { SetByAdminError } from '../../core/accounts/index.ts';
import type { CallbackActionKind, CallbackActionOf } from './actions.ts';
import type { BotContext } from './context.ts';
import type { BotServices } from './services.ts';

/** Answer to a callback query. Telegram shows a spinner until it arrives, so slow work belongs in `afterwards`. */
export interface ActionAnswer {
  /** Short notice at the top of the screen; undefined only ends the spinner. */
  readonly hint?: string;
  /** Shows the hint as an alert that the user has to close. */
  readonly isAlert?: boolean;
  readonly afterwards?: () => Promise<unknown>;
}

/** Registers a handler for callback queries with one kind of action. */
export function onAction<Kind extends CallbackActionKind>(
  services: BotServices,
  kind: Kind,
  handle: (ctx: BotContext, action: CallbackActionOf<Kind>) => Promise<ActionAnswer> | ActionAnswer,
): MiddlewareFn<BotContext> {
  return async (ctx, next) => {
    const action = ctx.action;
    if (!isOfKind(action, kind)) return next();
    const answer = await handleOrRefuse(ctx, () => handle(ctx, action));
    await answerAction(services, ctx, answer);
    await answer.afterwards?.();
  };
}

/** Calls the handler. The owner of a key gets an alert if an admin has set what the button changes. */
async function handleOrRefuse(ctx: BotContext, handle: () => Promise<ActionAnswer> | ActionAnswer) {
  try {
    return await handle();
  } catch (error) {
    if (error instanceof SetByAdminError) return { hint: ctx.texts.setByAdmin, isAlert: true };
    throw error;
  }
}

/** Answers a callback query once. Errors are only logged: the query may have expired. */
export async function answerAction(services: BotServices, ctx: BotContext, answer: ActionAnswer) {
  if (ctx.isActionAnswered) return;
  ctx.isActionAnswered = true;
  const { hint, isAlert = false } = answer;
  try {
    await ctx.answerCallbackQuery(hint === undefined ? undefined : { text: hint, show_alert: isAlert });
  } catch (error) {
    services.logger.debug({ err: error }, 'a callback query could not be answered');
  }
}

function isOfKind<Kind extends CallbackActionKind>(
  action: BotContext['action'],
  kind: Kind,
): action is CallbackActionOf<Kind> {
  return action?.kind === kind;
}
