import { LRUCache } from 'lru-cache';
import type { Retry } from './answers/failure-message.ts';
import { MAX_WAITING_ANSWERS } from './answers/queue.ts';
import { findAnsweringModel, findConversationModel } from './choices/model-choice.ts';
import { toAnswerTopic } from './choices/topics.ts';
import type { Question } from './inputs/question.ts';
import { isGroup, isInChain, toChatTopic, toTypingTopicId } from './kit/chats.ts';
import type { BotContext } from './kit/context.ts';
import type { AnswerContext } from './kit/feature.ts';
import { storeKeyboard, toButtonTarget } from './kit/keyboards.ts';
import { toFullName } from './kit/names.ts';
import type { BotServices } from './kit/services.ts';

/** Passes questions from updates to the answer queue, and replies with the reason if one is refused. */
export type QuestionService = ReturnType<typeof createQuestionService>;

/** Bounds memory; beyond it a user may get a notice again. */
const MAX_NOTICES = 10_000;

export function createQuestionService(services: BotServices) {
  /** Notices sent since the start, to send each only once. */
  const sentNotices = new LRUCache<string, true>({ max: MAX_NOTICES });

  /** A chosen model that no longer exists stays in the settings, because it may return. */
  const prepare = async (
    ctx: BotContext,
    {
      modelId,
      conversationId,
    }: { readonly modelId?: string | undefined; readonly conversationId?: number | undefined } = {},
  ): Promise<AnswerContext | undefined> => {
    if (!ctx.msg) return undefined;
    const chosenHere = await findConversationModel(services, ctx, conversationId);
    const model = findAnsweringModel(services.catalogue, ctx.user);
    if (!model) {
      await ctx.reply(ctx.texts.noModels);
      return undefined;
    }
    const notice = `${ctx.user.id}:${model.gone}:${model.entry.id}`;
    if (!chosenHere && model.gone !== undefined && !sentNotices.has(notice)) {
      sentNotices.set(notice, true);
      await ctx.reply(ctx.texts.modelGone(model.gone, model.entry.id));
    }
    const chatTopic = toChatTopic(ctx.msg);
    const typingTopicId = toTypingTopicId(ctx.msg.chat, chatTopic);
    const { user, texts, group } = ctx;
    const requestedModel = modelId === undefined ? undefined : services.catalogue.find(modelId);
    const entry = requestedModel?.type === 'chat' ? requestedModel : (chosenHere ?? model.entry);
    const userName = ctx.from && isGroup(ctx.msg.chat) ? toFullName(ctx.from) : undefined;
    const where = { chatTopic, typingTopicId, isInChain: isInChain(ctx.msg), isGroup: isGroup(ctx.msg.chat) };
    return { user, texts, language: ctx.from?.language_code, group, ...where, userName, model: entry };
  };

  const sendAgain = async (ctx: BotContext, telegramMessageId: number) => {
    const { texts } = ctx;
    const button = { text: texts.buttons.answerAnew, action: { kind: 'answer-anew', telegramMessageId } } as const;
    await ctx.reply(texts.answers.editedEarlier, {
      reply_parameters: { message_id: telegramMessageId, allow_sending_without_reply: true },
      reply_markup: await storeKeyboard(services, toButtonTarget(ctx), [[button]]),
    });
  };

  return {
    prepare,
    /** @returns whether it will be answered. */
    async ask(ctx: BotContext, question: Question): Promise<boolean> {
      const context = await prepare(ctx, { conversationId: question.parent?.conversationId });
      if (!context) return false;
      const outcome = await services.answers.ask(await toAnswerTopic(services, ctx, context, question), question);
      await explainRefusal(ctx, outcome);
      return outcome === 'accepted';
    },
    /** Stores a message as context for later questions, without an answer of its own. */
    async store(ctx: BotContext, question: Question): Promise<void> {
      const context = await prepare(ctx);
      if (context) await services.answers.store(context, question);
    },
    /** Answers an edited question again, or offers it with a button. */
    async askEdited(ctx: BotContext, edited: Question): Promise<void> {
      // Edits of messages that were not stored as questions are ignored.
      const { chatId } = ctx;
      if (chatId === undefined) return;
      const storedQuestion = await services.conversations.findByDelivery(chatId, edited.telegramMessageId);
      const context = storedQuestion && (await prepare(ctx, { conversationId: storedQuestion.conversationId }));
      const outcome = context && (await services.answers.revise(context, edited));
      if (outcome === 'full' || outcome === 'overloaded') await explainRefusal(ctx, outcome);
      if (outcome === 'left-behind') await sendAgain(ctx, edited.telegramMessageId);
    },
    /** @returns whether the answer will be written. */
    async askAgain(ctx: BotContext, retry: Retry): Promise<boolean> {
      const context = await prepare(ctx);
      const outcome = context && (await services.answers.retry(context, retry));
      if (outcome) await explainRefusal(ctx, outcome);
      return outcome === 'accepted';
    },
  };
}

async function explainRefusal(ctx: BotContext, outcome: 'accepted' | 'full' | 'overloaded' | 'stale'): Promise<void> {
  if (outcome === 'full') await ctx.reply(ctx.texts.queueFull(MAX_WAITING_ANSWERS));
  if (outcome === 'overloaded') await ctx.reply(ctx.texts.busy);
  if (outcome === 'stale') await ctx.reply(ctx.texts.movedOn);
}
