import { Composer } from 'grammy';
import type { Message } from 'grammy/types';
import { findGroupModelNotice, listChatModels } from '../../choices/model-choice.ts';
import { toAnswerTopic } from '../../choices/topics.ts';
import { readQuestion } from '../../inputs/read-question.ts';
import { toChatTopic } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import type { BotServices } from '../../kit/services.ts';
import { texts } from './texts.ts';
import { findChoice, MIN_MODELS, toModelChooser } from './views.ts';

/** Matches the command at the end of a question, after quoted text. */
const COMMAND = /(?<=^|\n\n)\/compare\b(?:@\w+)?\s*/i;

/** `/compare question`: chooses models for it. Without a question: for the last one of the conversation. */
export function createCommand(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('compare', async (ctx) => {
    const words = texts[ctx.locale];
    const isSet = findGroupModelNotice(ctx);
    if (isSet) return void (await ctx.reply(isSet.hint));
    if (listChatModels(services.catalogue).length < MIN_MODELS) return void (await ctx.reply(words.oneModel));
    const isAlone = ctx.match.trim() === '';
    const asked = isAlone ? await findLastQuestion(services, ctx.msg) : await storeQuestion(services, ctx, ctx.msg);
    if (!asked) return void (await ctx.reply(words.askWhat));
    const models = findChoice(services, ctx, ctx.user.settings.model);
    const choice = { questionId: asked.questionId, answerId: undefined, page: 0, models };
    const { topicId } = asked;
    await ctx.reply(words.choose, {
      reply_markup: await toModelChooser(services, ctx, choice, ctx.user.id),
      ...(topicId !== toChatTopic(ctx.msg).topicId && topicId !== undefined && { message_thread_id: topicId }),
    });
  });
  return composer;
}

interface AskedQuestion {
  readonly questionId: number;
  /** Topic of the conversation; a question outside of topics opens one. */
  readonly topicId: number | undefined;
}

async function findLastQuestion({ conversations }: BotServices, message: Message): Promise<AskedQuestion | undefined> {
  const chatTopic = toChatTopic(message);
  const conversation = await conversations.findCurrentConversation(chatTopic);
  const head = conversation && (await conversations.findLatestMessage(conversation.id));
  const questionId = head?.role === 'assistant' ? head.parentId : undefined;
  return questionId === undefined ? undefined : { questionId, topicId: chatTopic.topicId };
}

/** Stores the question, so that it has an answer only if the user chooses models. */
async function storeQuestion(
  services: BotServices,
  ctx: BotContext,
  message: Message,
): Promise<AskedQuestion | undefined> {
  const written = await readQuestion(services, ctx, { parts: [message] });
  const question = { ...written, content: written.content.replace(COMMAND, '') };
  const context = await services.questionService.prepare(ctx, { conversationId: question.parent?.conversationId });
  if (!context) return undefined;
  const place = await toAnswerTopic(services, ctx, context, question);
  const { id } = await services.answers.storeDetached(place, question);
  return { questionId: id, topicId: place.chatTopic.topicId };
}
