import { Composer } from 'grammy';
import type { InlineQueryResultArticle } from 'grammy/types';
import { classifyTelegramError } from '../../../telegram/telegram-errors.ts';
import { isEmptyQuestion } from '../../inputs/question.ts';
import { readGuestQuestion } from '../../inputs/read-question.ts';
import type { BotContext } from '../../kit/context.ts';
import { storeKeyboard } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { beginInlineAnswer } from './inline-answers.ts';
import { texts } from './texts.ts';

/** Same lifetime as in inline mode. */
const TTL_MS = 3_600_000;

/**
 * Answers questions from chats that the bot is not a member of. Telegram requires one message at once, which is then
 * edited. Only the message is known; its chat id may equal that of another chat, so it is not used for lookups.
 */
export function createGuestQuestions(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.on('guest_message', async (ctx) => {
    const { guest_query_id: queryId } = ctx.guestMessage;
    if (queryId === undefined) return;
    const question = await readGuestQuestion(services, ctx, ctx.guestMessage);
    const isEmpty = isEmptyQuestion(question);
    try {
      // Not retried: after a lost response the result is unknown, and Telegram refuses a second answer.
      const result = await toPlaceholder(services, ctx, isEmpty ? undefined : question.content);
      const sent = await ctx.api.answerGuestQuery(queryId, result);
      if (isEmpty) return;
      await beginInlineAnswer(services, ctx, {
        inlineMessageId: sent.inline_message_id,
        ...question,
        showsQuestion: false,
      });
    } catch (error) {
      const failure = classifyTelegramError(error);
      if (failure.kind !== 'rejected') throw error;
      services.logger.info({ reason: failure.description }, 'a guest question could not be answered');
    }
  });
  return composer;
}

/** @param question undefined if it is empty. */
async function toPlaceholder(
  services: BotServices,
  ctx: BotContext,
  question: string | undefined,
): Promise<InlineQueryResultArticle> {
  const { answer, waiting } = texts[ctx.locale];
  const words = question === undefined ? ctx.texts.emptyQuestion : waiting;
  const action = { kind: 'answer-inline', question: question ?? '', isGuest: true } as const;
  const rows = question === undefined ? [] : [[{ text: answer, action }]];
  return {
    type: 'article',
    id: 'guest',
    title: words,
    input_message_content: { message_text: words },
    ...(rows.length > 0 && {
      reply_markup: await storeKeyboard(services, { userId: ctx.user.id, chatId: undefined }, rows, TTL_MS),
    }),
  };
}
