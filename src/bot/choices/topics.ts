import type { ChatTopic, ConversationDetails } from '../../core/conversations/index.ts';
import { isBlank, toOneLine } from '../../lib/text.ts';
import { classifyTelegramError } from '../../telegram/telegram-errors.ts';
import type { Question } from '../inputs/question.ts';
import type { BotContext } from '../kit/context.ts';
import type { AnswerContext } from '../kit/feature.ts';
import type { BotServices } from '../kit/services.ts';

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
  const stored = await conversations.findByDelivery(chatTopic.chatId, question.telegramMessageId);
  const outside = await conversations.findCurrentConversation(chatTopic);
  const opened = stored
    ? (await conversations.findConversation(stored.conversationId))?.chatTopic
    : (await isWaitingOutside(services, outside))
      ? undefined
      : await openTopic(services, chatTopic.chatId, toFirstWords(question.content) ?? ctx.texts.untitled);
  if (opened?.topicId === undefined) return context;
  if (!stored) {
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

/**
 * Renames the topic of a conversation if the bot may name it. Failures (missing right, deleted topic) are only logged.
 */
export async function nameTopic(
  { client, logger }: BotServices,
  { chatTopic, namesTopic }: Pick<ConversationDetails, 'chatTopic' | 'namesTopic'>,
  name: string,
): Promise<void> {
  if (!namesTopic || chatTopic.topicId === undefined) return;
  try {
    await client.withPriority('page').editForumTopic(chatTopic.chatId, chatTopic.topicId, { name });
  } catch (error) {
    logger.info({ failure: classifyTelegramError(error).kind }, 'a topic could not be renamed');
  }
}

/** Fits into one line of a list on a phone, and into a topic's name (128 characters). */
const MAX_TITLE_CHARACTERS = 60;
const MAX_FIRST_WORDS_CHARACTERS = 48;
/** Labels that models put before a title. */
const ANNOUNCEMENT = /^(?:(?:conversation |chat )?title|subject|topic|название|заголовок|тема)\s*[:：-]\s*/iu;
/** Quotation marks and Markdown around a title. */
const WRAPPING = /^[\s"'`*_#>«»„“”‘’「」]+|(?<![\s"'`*_#«»„“”‘’「」])[\s"'`*_#«»„“”‘’「」]+$/gu;

/** Markdown marks of a formatted question. */
const MARKS = /\*\*|~~|\|\||<\/?u>|^```.*$|`/gm;

/** Normalizes a title that a user wrote to one line; undefined if nothing of it is visible. */
export function toTitle(written: string): string | undefined {
  return toVisible(cutAtWord(toOneLine(written), MAX_TITLE_CHARACTERS));
}

function toVisible(title: string): string | undefined {
  return isBlank(title) ? undefined : title;
}

/** Extracts the title from a model's answer; undefined if there is none. */
export function readTitle(answer: string): string | undefined {
  const line = answer.split('\n').find((one) => !isBlank(one.replace(WRAPPING, ''))) ?? '';
  const bare = toOneLine(line).replace(WRAPPING, '').replace(ANNOUNCEMENT, '').replace(WRAPPING, '');
  return toTitle(bare.replace(/(?<!\.)[.。]$/u, ''));
}

/** Returns the first words of a question, without quoted text; undefined if it has none. */
export function toFirstWords(question: string): string | undefined {
  const plain = question.replaceAll(MARKS, '');
  const own = toOneLine(plain.replaceAll(/^>.*$/gm, ''));
  return toVisible(cutAtWord(isBlank(own) ? toOneLine(plain) : own, MAX_FIRST_WORDS_CHARACTERS));
}

/** Cuts a line to `maxCharacters`, at the last space unless that is in the first half. */
export function cutAtWord(line: string, maxCharacters: number): string {
  const characters = [...line];
  if (characters.length <= maxCharacters) return line;
  const head = characters.slice(0, maxCharacters - 1).join('');
  const gap = head.lastIndexOf(' ');
  return `${(gap > head.length / 2 ? head.slice(0, gap) : head).replace(/(?<![\s,;:–-])[\s,;:–-]+$/u, '')}…`;
}
