import type { InlineKeyboardMarkup } from 'grammy/types';
import type { ChatTopic, StoredMessage } from '../../core/conversations/index.ts';
import type { BotDeps } from '../framework/bot-deps.ts';
import type { KeyboardChanges } from '../framework/keyboard-changes.ts';
import type { Texts } from '../texts/locales.ts';
import { type AnswerKeyboardDeps, buildAnswerKeyboard, buildMoreKeyboard, hasText } from './answer-keyboard.ts';

type ShownKeyboardDeps = AnswerKeyboardDeps &
  Pick<BotDeps, 'client'> & { readonly keyboards: Pick<KeyboardChanges, 'make'> };

/** Schedules the removal of the buttons below the last answer of a topic, because a new message follows. */
export async function removeAnswerKeyboard(
  deps: ShownKeyboardDeps,
  chatTopic: ChatTopic,
  isUnderWay: (answerId: number) => boolean,
): Promise<void> {
  const { conversations, keyboards } = deps;
  const { chatId } = chatTopic;
  const last = await conversations.findLastAnswer(chatTopic);
  if (!last) return;
  const { parentId, extras } = (await conversations.findMessage(last.answerId)) ?? {};
  const compared = extras?.comparison && parentId !== undefined ? await listShownCompared(deps, parentId, chatId) : [];
  for (const { answerId, telegramMessageId } of [last, ...compared])
    if (!isUnderWay(answerId))
      keyboards.make(`remove:${answerId}`, () => showKeyboard(deps, chatId, telegramMessageId, undefined));
}

/**
 * Schedules an update of the buttons below the compared answers to a question, because the conversation continues from
 * another one.
 * @param isUnderWay answers that get their buttons later.
 */
export async function refreshCompared(
  deps: ShownKeyboardDeps,
  texts: Texts,
  { question, chatId, userId }: { readonly question: StoredMessage; readonly chatId: number; readonly userId: number },
  isUnderWay: (answerId: number) => boolean,
): Promise<void> {
  const { conversations, keyboards } = deps;
  for (const { answerId, telegramMessageId } of await listShownCompared(deps, question.id, chatId)) {
    if (isUnderWay(answerId)) continue;
    keyboards.make(`compared:${answerId}`, async () => {
      const answer = await conversations.findMessage(answerId);
      const head = await conversations.findLatestMessage(question.conversationId);
      if (!answer || head?.parentId !== question.id || !hasText(answer)) return;
      const finished = { answer, userId: question.userId ?? userId, chatId, hasFailed: false };
      await showKeyboard(deps, chatId, telegramMessageId, await buildAnswerKeyboard(deps, texts, finished));
    });
  }
}

/** Returns the compared answers to a question, and the Telegram message with the last page of each. */
async function listShownCompared(
  { conversations }: Pick<BotDeps, 'conversations'>,
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
export function refreshOpinions(deps: ShownKeyboardDeps, texts: Texts, answerId: number): void {
  deps.keyboards.make(`refresh:${answerId}`, async () => {
    const location = await deps.conversations.findAsked(answerId);
    const last = location && (await deps.conversations.findLastAnswer(location.chatTopic));
    const answer = await deps.conversations.findMessage(answerId);
    if (!location || !answer || last?.answerId !== answerId) return;
    const { chatId } = location.chatTopic;
    const finished = { answer, userId: location.userId, chatId, hasFailed: false };
    await showKeyboard(deps, chatId, last.telegramMessageId, await buildMoreKeyboard(deps, texts, finished));
  });
}

/** Edits the keyboard at preview priority: it is dropped rather than delayed when Telegram's rate limit is reached. */
async function showKeyboard(
  { client }: ShownKeyboardDeps,
  chatId: number,
  messageId: number,
  keyboard: InlineKeyboardMarkup | undefined,
): Promise<void> {
  const options = keyboard ? { reply_markup: keyboard } : {};
  await client.withPriority('preview').editMessageReplyMarkup(chatId, messageId, options);
}
