import type { InlineKeyboardMarkup } from 'grammy/types';
import type { Place } from '../core/conversations/index.ts';
import type { BotDeps } from './bot-deps.ts';
import { type ChoiceButton, offerKeyboard } from './keyboard.ts';
import type { KeyboardChanges } from './keyboard-changes.ts';

/** There are many answers: what nobody presses within a week is not kept longer. */
const TTL_MS = 7 * 86_400_000;

/** A finished answer, and who asked for it. */
export interface AnsweredReply {
  readonly answerId: number;
  /** Who asked. */
  readonly personId: number;
  readonly isGroup: boolean;
  /** Whether the person who asked wants 👍 and 👎 below answers. */
  readonly hasFeedbackButtons: boolean;
}

/** What stands below the last answer of a place; undefined where nothing does. */
export async function buildAnswerKeyboard(
  deps: Pick<BotDeps, 'feedback' | 'interactions'>,
  reply: AnsweredReply,
): Promise<InlineKeyboardMarkup | undefined> {
  const rows = [await toFeedbackRow(deps, reply)].filter((row) => row.length > 0);
  return rows.length === 0 ? undefined : offerKeyboard(deps, reply.personId, rows, TTL_MS);
}

/** In groups everybody has a say, so there the number of them shows; where the person is alone with the bot, the choice. */
async function toFeedbackRow(
  { feedback }: Pick<BotDeps, 'feedback'>,
  { answerId, isGroup, hasFeedbackButtons }: AnsweredReply,
): Promise<ChoiceButton[]> {
  if (!hasFeedbackButtons) return [];
  const opinions = await feedback.countOpinions(answerId);
  return (['up', 'down'] as const).map((rating) => ({
    text: toLabel(rating, opinions[rating], isGroup),
    choice: { kind: 'rate-answer', answerId, rating },
  }));
}

function toLabel(rating: 'up' | 'down', count: number, isGroup: boolean): string {
  const thumb = rating === 'up' ? '👍' : '👎';
  if (count === 0) return thumb;
  return isGroup ? `${thumb} ${count}` : `✓ ${thumb}`;
}

type ShownKeyboardDeps = Pick<BotDeps, 'accounts' | 'client' | 'conversations' | 'feedback' | 'interactions'> & {
  readonly keyboards: Pick<KeyboardChanges, 'make'>;
};

/** Takes the buttons from the answer before this one, soon: only the last one of a place has any. */
export function removeOlderKeyboard(
  deps: ShownKeyboardDeps,
  answer: { readonly place: Place; readonly answerId: number; readonly shownIds: ReadonlySet<number> },
): void {
  deps.keyboards.make(`remove:${answer.answerId}`, async () => {
    const older = await deps.conversations.findLastAnswer(answer.place, answer.answerId);
    if (!older || answer.shownIds.has(older.telegramMessageId)) return;
    await showKeyboard(deps, answer.place.chatId, older.telegramMessageId, undefined);
  });
}

/** Shows opinions that have just changed below an answer, soon, where it is the last one of its place. */
export function refreshAnswerKeyboard(deps: ShownKeyboardDeps, answerId: number): void {
  deps.keyboards.make(`refresh:${answerId}`, async () => {
    const asked = await deps.conversations.findAsked(answerId);
    const last = asked && (await deps.conversations.findLastAnswer(asked.place));
    const person = asked && (await deps.accounts.findPerson(asked.personId));
    if (!person || last?.answerId !== answerId) return;
    const { chatId } = asked.place;
    const hasFeedbackButtons = person.settings.feedbackButtons ?? true;
    const reply = { answerId, personId: person.id, isGroup: chatId < 0, hasFeedbackButtons };
    await showKeyboard(deps, chatId, last.telegramMessageId, await buildAnswerKeyboard(deps, reply));
  });
}

/** Words of an answer matter more: goes at once or not at all. */
async function showKeyboard(
  { client }: ShownKeyboardDeps,
  chatId: number,
  messageId: number,
  keyboard: InlineKeyboardMarkup | undefined,
): Promise<void> {
  const options = keyboard ? { reply_markup: keyboard } : {};
  await client.withPriority('preview').editMessageReplyMarkup(chatId, messageId, options);
}
