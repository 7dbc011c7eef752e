import type { MiddlewareFn } from 'grammy';
import { ChatLostError } from '../../core/inbox/index.ts';
import { classifyTelegramError } from '../../telegram/telegram-errors.ts';
import { answerAction } from '../kit/actions.ts';
import type { BotContext } from '../kit/context.ts';
import type { BotServices } from '../kit/services.ts';

/**
 * Creates the error boundary: errors of handlers are logged, and answered with a short apology if a user waits for an
 * answer.
 */
export function createErrorBoundary(services: BotServices): MiddlewareFn<BotContext> {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      // The new owner of the chat handles the update.
      if (error instanceof ChatLostError) throw error;
      const { kind } = classifyTelegramError(error);
      const updateId = ctx.update.update_id;
      if (kind === 'blocked' || kind === 'topic-gone') {
        services.logger.info(
          { updateId, kind },
          kind === 'blocked' ? 'user blocked the bot, or the bot left the chat' : 'the topic no longer exists',
        );
        return;
      }
      services.logger.error({ err: error, updateId }, 'an update could not be handled');
      await apologize(services, ctx).catch((failure: unknown) =>
        services.logger.warn({ err: failure, updateId }, 'the error message could not be sent to the user'),
      );
    }
  };
}

async function apologize(services: BotServices, ctx: BotContext): Promise<void> {
  if (ctx.callbackQuery && !ctx.isActionAnswered) {
    return answerAction(services, ctx, { hint: ctx.texts.apology, isAlert: true });
  }
  if (ctx.message || ctx.callbackQuery?.message) await ctx.reply(ctx.texts.apology);
}
