import type { Memory } from '../../../core/memory/index.ts';
import { classifyTelegramError } from '../../../telegram/telegram-errors.ts';
import type { BotContext } from '../../framework/context.ts';
import type { ActionAnswer } from '../../framework/on-action.ts';
import { texts } from './texts/index.ts';

/** Replies to the message that a memory comes from, in the topic of that message. */
export async function showSource(ctx: BotContext, { text, source }: Memory): Promise<ActionAnswer> {
  const words = texts[ctx.locale];
  const gone: ActionAnswer = { hint: words.sourceGone, isAlert: true };
  if (!source || source.chatId !== ctx.chatId) return gone;
  try {
    await ctx.api.sendMessage(source.chatId, words.isSource(text), {
      reply_parameters: { message_id: source.telegramMessageId },
      link_preview_options: { is_disabled: true },
    });
    return {};
  } catch (error) {
    if (classifyTelegramError(error).kind !== 'reply-target-gone') throw error;
    return gone;
  }
}
