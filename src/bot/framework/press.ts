import type { MiddlewareFn } from 'grammy';
import type { Logger } from '../../lib/logger.ts';
import type { ChoiceKind, ChoiceOf } from './choice.ts';
import type { BotContext } from './context.ts';

/** How a press is answered. Telegram's spinner ends with the answer, so what takes long comes afterwards. */
export interface PressAnswer {
  /** A few words at the top of the screen; none ends the spinner silently. */
  readonly hint?: string;
  /** Shows the hint as a window that has to be closed. */
  readonly isAlert?: boolean;
  readonly afterwards?: () => Promise<unknown>;
}

/** Runs for presses of buttons of one kind. */
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

/** Answers a press. That Telegram no longer takes the answer (the press is too old) harms nobody. */
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
