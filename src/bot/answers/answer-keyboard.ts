import type { InlineKeyboardMarkup } from 'grammy/types';
import type { Place, StoredMessage } from '../../core/conversations/index.ts';
import type { BotDeps } from '../framework/bot-deps.ts';
import { type ChoiceButton, offerKeyboard } from '../framework/keyboard.ts';
import type { KeyboardChanges } from '../framework/keyboard-changes.ts';
import { shortenMiddle } from '../models/model-choice.ts';
import type { Texts } from '../texts/locales.ts';

/** What the buttons below an answer depend on. */
export interface FinishedAnswer {
  readonly answer: Pick<StoredMessage, 'id' | 'finishReason'>;
  /** Who asked: the buttons are this person's, but for those that say what is thought of it. */
  readonly userId: number;
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

/**
 * Returns the one row below a finished answer: its variants and what is done most, the rest behind ⋯. Telegram makes the buttons of a
 * row equally wide, so more than three of them would cut words off. Undefined where there are none.
 */
export async function buildAnswerKeyboard(
  deps: AnswerKeyboardDeps,
  texts: Texts,
  finished: FinishedAnswer,
): Promise<InlineKeyboardMarkup | undefined> {
  const { row, rest } = await listAnswerButtons(deps, texts, finished);
  const more: ChoiceButton = { text: '⋯', choice: { kind: 'list-more-answer-buttons', answerId: finished.answer.id } };
  const others = rest.flat();
  const all = [...row, ...(others.length > 1 ? [more] : others)];
  return all.length === 0 ? undefined : offerKeyboard(deps, finished, [all], TTL_MS);
}

/** Returns what is behind ⋯, with a way back. */
export async function buildMoreKeyboard(
  deps: AnswerKeyboardDeps,
  texts: Texts,
  finished: FinishedAnswer,
): Promise<InlineKeyboardMarkup> {
  const [words, signs] = (await listAnswerButtons(deps, texts, finished)).rest;
  const { id: answerId } = finished.answer;
  const back: ChoiceButton = { text: texts.buttons.back, choice: { kind: 'show-answer-buttons', answerId } };
  return offerKeyboard(deps, finished, [words, [...signs, back]], TTL_MS);
}

interface AnswerButtons {
  readonly row: readonly ChoiceButton[];
  readonly rest: readonly [words: readonly ChoiceButton[], signs: readonly ChoiceButton[]];
}

async function listAnswerButtons(
  deps: AnswerKeyboardDeps,
  { buttons }: Texts,
  finished: FinishedAnswer,
): Promise<AnswerButtons> {
  const { answer, hasFailed } = finished;
  const { id: answerId } = answer;
  const turns = await listTurns(deps, answerId);
  if (hasFailed) return { row: turns, rest: [[], []] };
  const again: ChoiceButton = { text: `🔄 ${buttons.again}`, choice: { kind: 'regenerate', answerId } };
  // A sign before it would not fit into a third of a phone.
  const other: ChoiceButton = { text: buttons.otherModel, choice: { kind: 'list-answer-models', answerId, page: 0 } };
  const speech: ChoiceButton = { text: '🔊', choice: { kind: 'read-aloud', answerId } };
  const signs = [...(deps.speech.isAvailable() ? [speech] : []), ...(await listOpinions(deps, finished))];
  const goOn = (text: string): ChoiceButton => ({ text, choice: { kind: 'continue-answer', answerId } });
  if (turns.length > 0)
    return { row: [...turns, ...(isUnfinished(answer) ? [goOn('▶️')] : [])], rest: [[again, other], signs] };
  if (isUnfinished(answer)) return { row: [goOn(`▶️ ${buttons.goOn}`), again], rest: [[other], signs] };
  return { row: [again, other], rest: [[], signs] };
}

/** What a quarter of a phone shows of a model's name, more or less. */
const MAX_MODEL_CHARACTERS = 12;

/** None where there is one variant. */
async function listTurns(
  { conversations }: Pick<BotDeps, 'conversations'>,
  answerId: number,
): Promise<readonly ChoiceButton[]> {
  const variants = await conversations.listVariants(answerId);
  const index = variants.findIndex(({ id }) => id === answerId);
  if (index < 0 || variants.length < 2) return [];
  const model = variants[index]?.model?.split('/').at(-1) ?? '';
  const number = `${index + 1}/${variants.length}`;
  const label = model === '' ? number : `${number} · ${shortenMiddle(model, MAX_MODEL_CHARACTERS)}`;
  return [
    { text: '‹', choice: { kind: 'turn-variant', answerId, by: -1 } },
    { text: label, choice: { kind: 'describe-variant', answerId } },
    { text: '›', choice: { kind: 'turn-variant', answerId, by: 1 } },
  ];
}

/** In groups everybody has a say, so there the number of them shows; where the person is alone with the bot, the choice. */
async function listOpinions(
  { accounts, feedback }: Pick<BotDeps, 'accounts' | 'feedback'>,
  { answer: { id: answerId }, userId, chatId }: FinishedAnswer,
): Promise<ChoiceButton[]> {
  const user = await accounts.findUser(userId);
  if (!user || user.settings.feedbackButtons === false) return [];
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
export function refreshOpinions(deps: ShownKeyboardDeps, texts: Texts, answerId: number): void {
  deps.keyboards.make(`refresh:${answerId}`, async () => {
    const asked = await deps.conversations.findAsked(answerId);
    const last = asked && (await deps.conversations.findLastAnswer(asked.place));
    const answer = await deps.conversations.findMessage(answerId);
    if (!asked || !answer || last?.answerId !== answerId) return;
    const { chatId } = asked.place;
    const finished = { answer, userId: asked.userId, chatId, hasFailed: false };
    await showKeyboard(deps, chatId, last.telegramMessageId, await buildMoreKeyboard(deps, texts, finished));
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
