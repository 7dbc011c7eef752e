import type { InlineKeyboardMarkup } from 'grammy/types';
import type { ChatTopic } from '../../core/conversations/index.ts';
import type { BotServices } from '../kit/services.ts';
import type { Texts } from '../texts/locales.ts';
import { buildMoreKeyboard } from './keyboards.ts';

/** Schedules the removal of the buttons below the last answer of a topic, because a new message follows. */
export async function removeAnswerKeyboard(
  services: BotServices,
  chatTopic: ChatTopic,
  isUnderWay: (answerId: number) => boolean,
): Promise<void> {
  const { conversations, keyboards, listAnswerExtensions } = services;
  const { chatId } = chatTopic;
  const last = await conversations.findLastAnswer(chatTopic);
  if (!last) return;
  const answer = await conversations.findMessage(last.answerId);
  const others = listAnswerExtensions().map((one) => (answer && one.listShownBeside?.(answer, chatId)) ?? []);
  for (const { answerId, telegramMessageId } of [last, ...(await Promise.all(others)).flat()])
    if (!isUnderWay(answerId))
      keyboards.make(`remove:${answerId}`, () => showKeyboard(services, chatId, telegramMessageId, undefined));
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
export async function showKeyboard(
  { client }: BotServices,
  chatId: number,
  messageId: number,
  keyboard: InlineKeyboardMarkup | undefined,
): Promise<void> {
  const options = keyboard ? { reply_markup: keyboard } : {};
  await client.withPriority('preview').editMessageReplyMarkup(chatId, messageId, options);
}
