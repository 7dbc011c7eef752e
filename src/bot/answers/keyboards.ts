import type { InlineKeyboardMarkup } from 'grammy/types';
import type { StoredMessage } from '../../core/conversations/index.ts';
import { shortenMiddle } from '../choices/model-choice.ts';
import { type ActionButton, storeKeyboard } from '../kit/keyboards.ts';
import type { BotServices } from '../kit/services.ts';
import type { Texts } from '../texts/locales.ts';

/** Input for the buttons below an answer. */
export interface FinishedAnswer {
  readonly answer: Pick<StoredMessage, 'id' | 'conversationId' | 'content' | 'finishReason' | 'extras'>;
  /** User who asked the question. Only this user may use the buttons, except for those that rate the answer. */
  readonly userId: number;
  /** Chat that shows the answer. */
  readonly chatId: number;
  /**
   * The answer has failed. The failure message has its own buttons for the remedies, except that of a compared answer,
   * which contains its failure.
   */
  readonly hasFailed: boolean;
  /** Another attempt of a compared answer that failed may succeed. Default true. */
  readonly canRetry?: boolean;
}

/** Every answer has a keyboard, so unused callback actions expire after a week. */
const TTL_MS = 7 * 86_400_000;
/** Finish reasons after which a model can continue. */
const UNFINISHED: ReadonlySet<string> = new Set(['length', 'stopped']);

/** Returns whether a model can continue the answer. */
export function isUnfinished({ finishReason = 'stop' }: Pick<StoredMessage, 'finishReason'>): boolean {
  return UNFINISHED.has(finishReason);
}

/** Returns whether an answer has text and has not failed, so that a conversation can continue from it. */
export function hasText({ content, finishReason }: StoredMessage): boolean {
  return content !== '' && finishReason !== undefined && finishReason !== 'error' && finishReason !== 'interrupted';
}

/**
 * Returns the row below a finished answer: its variants and the most used actions, with the rest in the ⋯ menu. Telegram
 * makes the buttons of a row equally wide, so a fourth button would truncate labels. Above it, the compared answer from
 * which the conversation continues has a mark. Undefined if there are no buttons.
 */
export async function buildAnswerKeyboard(
  services: BotServices,
  texts: Texts,
  finished: FinishedAnswer,
): Promise<InlineKeyboardMarkup | undefined> {
  const { above = [], row, rest } = await listAnswerButtons(services, texts, finished);
  const more: ActionButton = { text: '⋯', action: { kind: 'list-more-answer-buttons', answerId: finished.answer.id } };
  const others = rest.flat();
  const all = [...row, ...(others.length > 1 ? [more] : others)];
  return all.length === 0 ? undefined : storeKeyboard(services, finished, [...above, all], TTL_MS);
}

/** Returns the ⋯ menu with a back button. */
export async function buildMoreKeyboard(
  services: BotServices,
  texts: Texts,
  finished: FinishedAnswer,
): Promise<InlineKeyboardMarkup> {
  const [words, signs] = (await listAnswerButtons(services, texts, finished)).rest;
  const { id: answerId } = finished.answer;
  const back: ActionButton = { text: texts.buttons.back, action: { kind: 'show-answer-buttons', answerId } };
  return storeKeyboard(services, finished, [words, [...signs, back]], TTL_MS);
}

interface AnswerButtons {
  /** Rows above: the mark of the compared answer from which the conversation continues, variants of an unfinished one. */
  readonly above?: readonly (readonly ActionButton[])[];
  readonly row: readonly ActionButton[];
  readonly rest: readonly [words: readonly ActionButton[], signs: readonly ActionButton[]];
}

async function listAnswerButtons(
  services: BotServices,
  { buttons }: Texts,
  finished: FinishedAnswer,
): Promise<AnswerButtons> {
  const { answer } = finished;
  const { id: answerId } = answer;
  const pagerRow = await listPagerButtons(services, answerId);
  const isCompared = answer.extras.comparison !== undefined;
  if (finished.hasFailed || (isCompared && answer.content === ''))
    return { row: [...pagerRow, ...listRetryButtons(buttons, finished)], rest: [[], []] };
  const again: ActionButton = { text: `🔄 ${buttons.again}`, action: { kind: 'regenerate', answerId } };
  // An emoji before the label would not fit into a third of a phone's width.
  const other: ActionButton = { text: buttons.otherModel, action: { kind: 'list-answer-models', answerId, page: 0 } };
  const speech: ActionButton = { text: '🔊', action: { kind: 'read-aloud', answerId } };
  const signs = [...(services.speech.isAvailable() ? [speech] : []), ...(await listOpinions(services, finished))];
  const hasMemories = Boolean(answer.extras.memoryIds?.length);
  const memories: ActionButton = { text: `🧠 ${buttons.memory}`, action: { kind: 'show-used-memories', answerId } };
  const lookUp = hasMemories ? [memories] : [];
  const toContinue: ActionButton = { text: `▶️ ${buttons.continue}`, action: { kind: 'continue-answer', answerId } };
  const pick = (text: string): ActionButton => ({ text, action: { kind: 'continue-with', answerId } });
  if (isCompared && !(await isHead(services, answer)))
    return { row: [pick(buttons.continueWith)], rest: [lookUp, signs] };
  const mark = isCompared ? [[pick(`✓ ${buttons.continuesHere}`)]] : [];
  const rest = [other, ...lookUp];
  if (isUnfinished(answer)) return { above: [...mark, pagerRow], row: [toContinue, again], rest: [rest, signs] };
  if (pagerRow.length > 0) return { above: mark, row: pagerRow, rest: [[again, ...rest], signs] };
  return { above: mark, row: [again, other], rest: [lookUp, signs] };
}

/** Returns the button that repeats a compared answer; other answers have it below the message about their failure. */
function listRetryButtons(
  buttons: Texts['buttons'],
  { answer, canRetry = true }: FinishedAnswer,
): readonly ActionButton[] {
  if (!answer.extras.comparison || !canRetry) return [];
  return [{ text: buttons.retry, action: { kind: 'retry-compared', answerId: answer.id } }];
}

/** Returns whether an answer is the newest message of its conversation, or one of several of which another one is. */
export async function isAtEnd(
  { conversations }: BotServices,
  { id, conversationId, parentId, extras }: Pick<StoredMessage, 'id' | 'conversationId' | 'parentId' | 'extras'>,
): Promise<boolean> {
  const last = await conversations.findLatestMessage(conversationId);
  return last?.id === id || (extras.comparison !== undefined && last?.parentId === parentId);
}

async function isHead(
  { conversations }: BotServices,
  { id, conversationId }: FinishedAnswer['answer'],
): Promise<boolean> {
  return (await conversations.findLatestMessage(conversationId))?.id === id;
}

/** Approximate number of characters of a model's name that fit into a quarter of a phone's width. */
const MAX_MODEL_CHARACTERS = 12;

/** Returns the buttons that switch variants; empty if there is only one variant. */
async function listPagerButtons({ conversations }: BotServices, answerId: number): Promise<readonly ActionButton[]> {
  const variants = await conversations.listVariants(answerId);
  const index = variants.findIndex(({ id }) => id === answerId);
  if (index < 0 || variants.length < 2) return [];
  const model = variants[index]?.model?.split('/').at(-1) ?? '';
  const number = `${index + 1}/${variants.length}`;
  const label = model === '' ? number : `${number} · ${shortenMiddle(model, MAX_MODEL_CHARACTERS)}`;
  return [
    { text: '‹', action: { kind: 'turn-variant', answerId, by: -1 } },
    { text: label, action: { kind: 'describe-variant', answerId } },
    { text: '›', action: { kind: 'turn-variant', answerId, by: 1 } },
  ];
}

/** Returns the rating buttons. In groups they show the number of ratings, in private chats the user's own rating. */
async function listOpinions(
  { accounts, feedback }: BotServices,
  { answer: { id: answerId }, userId, chatId }: FinishedAnswer,
): Promise<ActionButton[]> {
  const user = await accounts.findUser(userId);
  if (!user || user.settings.feedbackButtons === false) return [];
  const opinions = await feedback.countOpinions(answerId);
  return (['up', 'down'] as const).map((rating) => ({
    text: toLabel(rating, opinions[rating], chatId < 0),
    action: { kind: 'rate-answer', answerId, rating },
  }));
}

function toLabel(rating: 'up' | 'down', count: number, isGroup: boolean): string {
  const thumb = rating === 'up' ? '👍' : '👎';
  if (count === 0) return thumb;
  return isGroup ? `${thumb} ${count}` : `✓ ${thumb}`;
}
