import type { InlineKeyboardMarkup } from 'grammy/types';
import type { ChatTopic, StoredMessage } from '../../core/conversations/index.ts';
import type { BotServices } from '../kit/services.ts';
import type { Texts } from '../texts/locales.ts';
import { buildAnswerKeyboard, buildMoreKeyboard, hasText } from './keyboards.ts';

/** Schedules the removal of the buttons below the last answer of a topic, because a new message follows. */
export async function removeAnswerKeyboard(
  services: BotServices,
  chatTopic: ChatTopic,
  isUnderWay: (answerId: number) => boolean,
): Promise<void> {
  const { conversations, keyboards } = services;
  const { chatId } = chatTopic;
  const last = await conversations.findLastAnswer(chatTopic);
  if (!last) return;
  const { parentId, extras } = (await conversations.findMessage(last.answerId)) ?? {};
  const compared =
    extras?.comparison && parentId !== undefined ? await listShownCompared(services, parentId, chatId) : [];
  for (const { answerId, telegramMessageId } of [last, ...compared])
    if (!isUnderWay(answerId))
      keyboards.make(`remove:${answerId}`, () => showKeyboard(services, chatId, telegramMessageId, undefined));
}

/**
 * Schedules an update of the buttons below the compared answers to a question, because the conversation continues from
 * another one.
 * @param isUnderWay answers that get their buttons later.
 */
export async function refreshCompared(
  services: BotServices,
  texts: Texts,
  { question, chatId, userId }: { readonly question: StoredMessage; readonly chatId: number; readonly userId: number },
  isUnderWay: (answerId: number) => boolean,
): Promise<void> {
  const { conversations, keyboards } = services;
  for (const { answerId, telegramMessageId } of await listShownCompared(services, question.id, chatId)) {
    if (isUnderWay(answerId)) continue;
    keyboards.make(`compared:${answerId}`, async () => {
      const answer = await conversations.findMessage(answerId);
      const head = await conversations.findLatestMessage(question.conversationId);
      if (!answer || head?.parentId !== question.id || !hasText(answer)) return;
      const finished = { answer, userId: question.userId ?? userId, chatId, hasFailed: false };
      await showKeyboard(services, chatId, telegramMessageId, await buildAnswerKeyboard(services, texts, finished));
    });
  }
}

/** Returns the compared answers to a question, and the Telegram message with the last page of each. */
async function listShownCompared(
  { conversations }: BotServices,
  questionId: number,
  chatId: number,
): Promise<readonly { readonly answerId: number; readonly telegramMessageId: number }[]> {
  const shown = [];
  for (const { id: answerId } of await conversations.listCompared(questionId)) {
    const telegramMessageId = (await conversations.listShownIn({ answerId, chatId })).at(-1);
    if (telegramMessageId !== undefined) shown.push({ answerId, telegramMessageId });
  }
  return shown;
}

/** Schedules an update of the rating buttons if the answer is the last one of its topic. */
export function refreshOpinions(services: BotServices, texts: Texts, answerId: number): void {
  services.keyboards.make(`refresh:${answerId}`, async () => {
    const location = await services.conversations.findAsked(answerId);
    const last = location && (await services.conversations.findLastAnswer(location.chatTopic));
    const answer = await services.conversations.findMessage(answerId);
    if (!location || !answer || last?.answerId !== answerId) return;
    const { chatId } = location.chatTopic;
    const finished = { answer, userId: location.userId, chatId, hasFailed: false };
    await showKeyboard(services, chatId, last.telegramMessageId, await buildMoreKeyboard(services, texts, finished));
  });
}

/** Edits the keyboard at preview priority: it is dropped rather than delayed when Telegram's rate limit is reached. */
async function showKeyboard(
  { client }: BotServices,
  chatId: number,
  messageId: number,
  keyboard: InlineKeyboardMarkup | undefined,
): Promise<void> {
  const options = keyboard ? { reply_markup: keyboard } : {};
  await client.withPriority('preview').editMessageReplyMarkup(chatId, messageId, options);
}
