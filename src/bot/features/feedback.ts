import { Composer } from 'grammy';
import type { ReactionType } from 'grammy/types';
import { z } from 'zod';
import { defineTexts } from '../../texts/define-texts.ts';
import { refreshOpinions } from '../answers/keyboards.ts';
import { type ActionDefinitions, type CallbackActionsOf, onAction } from '../kit/actions.ts';
import type { BotContext } from '../kit/context.ts';
import type { Feature, FeatureHandlers } from '../kit/feature.ts';
import type { BotServices } from '../kit/services.ts';
import { isOfThisChat } from './conversations/own-conversation.ts';

const actions = {
  'rate-answer': { fields: { answerId: z.number(), rating: z.enum(['up', 'down']) }, access: 'everyone' },
} as const satisfies ActionDefinitions;

declare module '../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}

/**
 * 👍 and 👎 on answers, as reactions and as buttons: one rating per user and answer, which can be changed and withdrawn.
 * Other reactions are ignored.
 */
export const feedback: Feature = { actions, create: createHandlers };

function createHandlers(services: BotServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  composer.on('message_reaction', async (ctx) => {
    const { chat, message_id: telegramMessageId, old_reaction: before, new_reaction: now } = ctx.messageReaction;
    const change = { from: toRating(before), to: toRating(now) };
    await services.feedback.rateMessage(ctx.user.id, { chatId: chat.id, telegramMessageId }, change);
  });
  composer.use(
    onAction(services, 'rate-answer', async (ctx, { answerId, rating }) => {
      const answer = await services.conversations.findMessage(answerId);
      if (!answer || !(await isOfThisChat(services, ctx, answer.conversationId)))
        return { hint: ctx.texts.staleButton };
      const stored = await services.feedback.toggleAnswer(ctx.user.id, answerId, rating);
      const words = texts[ctx.locale];
      return {
        hint: stored === undefined ? words.takenBack : words[stored],
        afterwards: async () => refreshOpinions(services, ctx.texts, answerId),
      };
    }),
  );
  return { early: composer };
}

/** Premium accounts may set several reactions; the last one counts. */
function toRating(reactions: readonly ReactionType[]): 'up' | 'down' | undefined {
  const emoji = reactions.flatMap((reaction) => (reaction.type === 'emoji' ? [reaction.emoji] : []));
  const last = emoji.findLast((one) => one === '👍' || one === '👎');
  return last && (last === '👍' ? 'up' : 'down');
}

export const texts = defineTexts({
  en: {
    up: 'Thanks for the feedback.',
    down: 'Thanks for the feedback.',
    takenBack: 'Feedback removed.',
  },
  ru: {
    up: 'Спасибо за отзыв.',
    down: 'Спасибо за отзыв.',
    takenBack: 'Отзыв убран.',
  },
});
