import type { InlineKeyboardMarkup } from 'grammy/types';
import type { Place, StoredMessage } from '../../core/conversations/index.ts';
import type { BotDeps } from '../bot-deps.ts';
import { type ChoiceButton, offerKeyboard } from '../keyboards/keyboard.ts';
import type { KeyboardChanges } from '../keyboards/keyboard-changes.ts';

/** What the buttons below an answer depend on. */
export interface FinishedAnswer {
  readonly answer: Pick<StoredMessage, 'id' | 'finishReason'>;
  /** Who asked: the buttons are this person's, but for those that say what is thought of it. */
  readonly personId: number;
  /** The chat that shows it. */
  readonly chatId: number;
  /** Something went wrong with it, and what can be done about that stands below the words about it. */
  readonly hasFailed: boolean;
}

/** There are many answers: what nobody presses within a week is not kept longer. */
const TTL_MS = 7 * 86_400_000;
/** Ends that leave something to be said. */
const UNFINISHED: ReadonlySet<string> = new Set(['length', 'stopped']);

/** Whether a model can go on with an answer. */
export function isUnfinished({ finishReason = 'stop' }: Pick<StoredMessage, 'finishReason'>): boolean {
  return UNFINISHED.has(finishReason);
}

type AnswerKeyboardDeps = Pick<BotDeps, 'accounts' | 'conversations' | 'feedback' | 'interactions' | 'speech'>;

/** The buttons below a finished answer: what can be done with it, and what is thought of it. Undefined where there are none. */
export async function buildAnswerKeyboard(
  deps: AnswerKeyboardDeps,
  finished: FinishedAnswer,
): Promise<InlineKeyboardMarkup | undefined> {
  const [controls, opinions] = await Promise.all([toControlRow(deps, finished), toFeedbackRow(deps, finished)]);
  const { answer, hasFailed } = finished;
  const speech: ChoiceButton[] =
    deps.speech.isAvailable() && !hasFailed
      ? [{ text: '🔊', choice: { kind: 'read-aloud', answerId: answer.id } }]
      : [];
  // A lone button would take a row of its own.
  const all = opinions.length > 0 ? [controls, [...opinions, ...speech]] : [[...controls, ...speech]];
  const rows = all.filter((row) => row.length > 0);
  return rows.length === 0 ? undefined : offerKeyboard(deps, finished, rows, TTL_MS);
}

/** Labels are signs: names of models and words in any language would not fit beside one another. */
async function toControlRow(
  { conversations }: Pick<BotDeps, 'conversations'>,
  { answer, hasFailed }: FinishedAnswer,
): Promise<ChoiceButton[]> {
  const { id: answerId } = answer;
  const variants = await conversations.listVariants(answerId);
  const index = variants.findIndex(({ id }) => id === answerId);
  const turns: ChoiceButton[] = [
    { text: '‹', choice: { kind: 'turn-variant', answerId, by: -1 } },
    { text: `${index + 1}/${variants.length}`, choice: { kind: 'describe-variant', answerId } },
    { text: '›', choice: { kind: 'turn-variant', answerId, by: 1 } },
  ];
  const controls: ChoiceButton[] = [
    { text: '🔄', choice: { kind: 'regenerate', answerId } },
    ...(isUnfinished(answer) ? [{ text: '▶️', choice: { kind: 'continue-answer', answerId } } as const] : []),
    { text: '🤖', choice: { kind: 'list-answer-models', answerId, page: 0 } },
  ];
  return [...(index >= 0 && variants.length > 1 ? turns : []), ...(hasFailed ? [] : controls)];
}

/** In groups everybody has a say, so there the number of them shows; where the person is alone with the bot, the choice. */
async function toFeedbackRow(
  { accounts, feedback }: Pick<BotDeps, 'accounts' | 'feedback'>,
  { answer: { id: answerId }, personId, chatId, hasFailed }: FinishedAnswer,
): Promise<ChoiceButton[]> {
  const person = hasFailed ? undefined : await accounts.findPerson(personId);
  if (!person || person.settings.feedbackButtons === false) return [];
  const opinions = await feedback.countOpinions(answerId);
  return (['up', 'down'] as const).map((rating) => ({
    text: toLabel(rating, opinions[rating], chatId < 0),
    choice: { kind: 'rate-answer', answerId, rating },
  }));
}

function toLabel(rating: 'up' | 'down', count: number, isGroup: boolean): string {
  const thumb = rating === 'up' ? '👍' : '👎';
  if (count === 0) return thumb;
  return isGroup ? `${thumb} ${count}` : `✓ ${thumb}`;
}

type ShownKeyboardDeps = AnswerKeyboardDeps &
  Pick<BotDeps, 'client'> & { readonly keyboards: Pick<KeyboardChanges, 'make'> };

/** Takes the buttons from the last answer of a place, soon: something is about to come below it. */
export async function removeAnswerKeyboard(
  deps: ShownKeyboardDeps,
  place: Place,
  isUnderWay: (answerId: number) => boolean,
): Promise<void> {
  const last = await deps.conversations.findLastAnswer(place);
  if (!last || isUnderWay(last.answerId)) return;
  deps.keyboards.make(`remove:${last.answerId}`, () =>
    showKeyboard(deps, place.chatId, last.telegramMessageId, undefined),
  );
}

/** Shows opinions that have just changed below an answer, soon, where it is the last one of its place. */
export function refreshAnswerKeyboard(deps: ShownKeyboardDeps, answerId: number): void {
  deps.keyboards.make(`refresh:${answerId}`, async () => {
    const asked = await deps.conversations.findAsked(answerId);
    const last = asked && (await deps.conversations.findLastAnswer(asked.place));
    const answer = await deps.conversations.findMessage(answerId);
    if (!asked || !answer || last?.answerId !== answerId) return;
    const { chatId } = asked.place;
    const finished = { answer, personId: asked.personId, chatId, hasFailed: false };
    await showKeyboard(deps, chatId, last.telegramMessageId, await buildAnswerKeyboard(deps, finished));
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
