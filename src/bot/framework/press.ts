import type { MiddlewareFn } from 'grammy';
import type { Logger } from '../../lib/logger.ts';
import type { ChoiceKind, ChoiceOf } from './choice.ts';
import type { BotContext } from './context.ts';

/** Answer to a callback query. Telegram shows a spinner until it arrives, so slow work belongs in `afterwards`. */
export interface PressAnswer {
  /** Short notice at the top of the screen; undefined only ends the spinner. */
  readonly hint?: string;
  /** Shows the hint as an alert that the user has to close. */
  readonly isAlert?: boolean;
  readonly afterwards?: () => Promise<unknown>;
}

/** Registers a handler for callback queries with one kind of action. */
export function onPress<Kind extends ChoiceKind>(
  deps: { readonly logger: Logger },
  kind: Kind,
  handle: (ctx: BotContext, choice: ChoiceOf<Kind>) => Promise<PressAnswer> | PressAnswer,
): MiddlewareFn<BotContext> {
  return async (ctx, next) => {
    const choice = ctx.choice;
    if (!isOfKind(choice, kind)) return next();
    const answer = await handle(ctx, choice);
    await answerPress(deps, ctx, answer);
    await answer.afterwards?.();
  };
}

/** Answers a callback query once. Errors are only logged: the query may have expired. */
export async function answerPress(deps: { readonly logger: Logger }, ctx: BotContext, answer: PressAnswer) {
  if (ctx.isPressAnswered) return;
  ctx.isPressAnswered = true;
  const { hint, isAlert = false } = answer;
  try {
    await ctx.answerCallbackQuery(hint === undefined ? undefined : { text: hint, show_alert: isAlert });
  } catch (error) {
    deps.logger.debug({ err: error }, 'a press could not be answered');
  }
}

function isOfKind<Kind extends ChoiceKind>(choice: BotContext['choice'], kind: Kind): choice is ChoiceOf<Kind> {
  return choice?.kind === kind;
}
