import { Composer } from 'grammy';
import { z } from 'zod';
import { findPage } from '../inputs/links.ts';
import { isEmptyQuestion } from '../inputs/question.ts';
import { readQuestion, toPageQuestion } from '../inputs/read-question.ts';
import { type CallbackActionsOf, onAction } from '../kit/actions.ts';
import { findLeadingCommand } from '../kit/address.ts';
import { toChatTopic } from '../kit/chats.ts';
import type { BotContext } from '../kit/context.ts';
import type { Feature, FeatureHandlers } from '../kit/feature.ts';
import type { BotServices } from '../kit/services.ts';
import { closeView } from '../kit/views.ts';

const actions = {
  /** Edited earlier question, identified by its Telegram message. */
  'answer-anew': { fields: { telegramMessageId: z.number() } },
};

declare module '../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}

/**
 * Generates a new answer to an edited question in the messages of the previous one. If the conversation has newer
 * messages, a button offers it instead.
 */
export const editedQuestions: Feature = { actions, create: createHandlers };

function createHandlers(services: BotServices): FeatureHandlers {
  const { answers, questionService } = services;
  const composer = new Composer<BotContext>();
  composer.on('edited_message', async (ctx) => {
    const message = ctx.editedMessage;
    // A live location changes through edits, which are not questions.
    if (findLeadingCommand(message) !== undefined || message.location) return;
    const page = findPage(message, ctx.me);
    const question = page
      ? toPageQuestion(ctx, page, message.message_id)
      : await readQuestion(services, ctx, { parts: [message] });
    if (!isEmptyQuestion(question)) await questionService.askEdited(ctx, question);
  });
  composer.use(
    onAction(services, 'answer-anew', async (ctx, { telegramMessageId }) => {
      const context = await questionService.prepare(ctx);
      if (!context || !ctx.msg) return {};
      const outcome = await answers.answerAnew({ ...context, chatTopic: toChatTopic(ctx.msg) }, telegramMessageId);
      if (outcome === 'full' || outcome === 'overloaded') return { hint: ctx.texts.answers.stillWriting };
      const afterwards = () => closeView(ctx);
      return outcome === 'stale' ? { hint: ctx.texts.answers.answeredAlready, afterwards } : { afterwards };
    }),
  );
  return { early: composer };
}
