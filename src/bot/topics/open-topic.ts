import type { ChatTopic, ConversationDetails } from '../../core/conversations/index.ts';
import { classifyTelegramError } from '../../telegram/telegram-errors.ts';
import type { Question } from '../inputs/question.ts';
import type { BotContext } from '../kit/context.ts';
import type { AnswerContext } from '../kit/feature.ts';
import type { BotServices } from '../kit/services.ts';
import { toFirstWords } from './conversation-title.ts';

/**
 * Returns whether the message is outside of topics in a private chat in which the bot may create them
 * (`has_topics_enabled` of `getMe`).
 */
export function isOutsideTopics(ctx: BotContext, chatTopic: ChatTopic): boolean {
  return ctx.chat?.type === 'private' && ctx.me.has_topics_enabled === true && chatTopic.topicId === undefined;
}

/**
 * Creates a topic in a private chat.
 * @returns undefined if Telegram refuses; the caller then continues without topics.
 */
export async function openTopic(
  { client, logger }: BotServices,
  chatId: number,
  name: string,
): Promise<ChatTopic | undefined> {
  try {
    const { message_thread_id: topicId } = await client.api.createForumTopic(chatId, name);
    return { chatId, topicId };
  } catch (error) {
    const { kind } = classifyTelegramError(error);
    if (kind === 'blocked') throw error;
    logger.info({ failure: kind }, 'a topic could not be opened');
    return undefined;
  }
}

/**
 * Returns the location for an answer. In a private chat with topics, a question outside of them gets a new topic, named
 * by its first words until there is a title.
 */
export async function toAnswerTopic(
  services: BotServices,
  ctx: BotContext,
  context: AnswerContext,
  question: Question,
): Promise<AnswerContext> {
  const { conversations } = services;
  const { chatTopic, user } = context;
  if (!isOutsideTopics(ctx, chatTopic) || question.parent) return context;
  const kept = await conversations.findByDelivery(chatTopic.chatId, question.telegramMessageId);
  const outside = await conversations.findCurrentConversation(chatTopic);
  const opened = kept
    ? (await conversations.findConversation(kept.conversationId))?.chatTopic
    : (await isWaitingOutside(services, outside))
      ? undefined
      : await openTopic(services, chatTopic.chatId, toFirstWords(question.content) ?? ctx.texts.untitled);
  if (opened?.topicId === undefined) return context;
  if (!kept) {
    const conversation = await conversations.startConversation(opened, user.id);
    await conversations.setNamesTopic(conversation.id, true);
    if (outside?.promptSource) await conversations.setPromptSource(conversation.id, outside.promptSource);
    if (outside?.model !== undefined) await conversations.setModel(conversation.id, outside.model);
  }
  return { ...context, chatTopic: opened, typingTopicId: opened.topicId };
}

/** Returns whether there are unanswered messages outside of topics, which are answered together with the next one. */
async function isWaitingOutside(
  { conversations }: BotServices,
  outside: ConversationDetails | undefined,
): Promise<boolean> {
  const latest = outside && (await conversations.findLatestMessage(outside.id));
  return latest?.role === 'user';
}
