import { Composer } from 'grammy';
import type { BotDeps } from '../bot-deps.ts';
import type { BotContext } from '../context.ts';

/** 👍 and 👎 on the bot's answers: one opinion a person and answer, changed and taken back as the reaction is. Others are just reactions. */
export function createFeedbackFeature(deps: Pick<BotDeps, 'feedback'>): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.on('message_reaction', async (ctx) => {
    const { chat, message_id: telegramMessageId, new_reaction: reactions } = ctx.messageReaction;
    const emoji = reactions.flatMap((reaction) => (reaction.type === 'emoji' ? [reaction.emoji] : []));
    // Premium accounts may give several; the last one counts.
    const last = emoji.findLast((one) => one === '👍' || one === '👎');
    const rating = last && (last === '👍' ? 'up' : 'down');
    await deps.feedback.rateMessage(ctx.person.id, { chatId: chat.id, telegramMessageId }, rating);
  });
  return composer;
}
