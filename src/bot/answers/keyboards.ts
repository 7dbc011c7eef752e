import type { InlineKeyboardMarkup } from 'grammy/types';
import type { ChatTopic, StoredMessage } from '../../core/conversations/index.ts';
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
  /** The answer has failed. The message about the failure, if there is one, has buttons for the remedies. */
  readonly hasFailed: boolean;
  /** Another attempt of an answer that failed may succeed. Default true. */
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
 * makes the buttons of a row equally wide, so a fourth button would truncate labels. Undefined if there are no buttons.
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

/** Buttons below an answer. */
export interface AnswerButtons {
  /** Rows above the others. Default none. */
  readonly above?: readonly (readonly ActionButton[])[];
  readonly row: readonly ActionButton[];
  /** Further ones, in the ⋯ menu. */
  readonly rest: readonly [words: readonly ActionButton[], signs: readonly ActionButton[]];
}

/** The usual buttons, and which of them generate nothing. */
export interface UsualButtons extends AnswerButtons {
  /** Switch variants. Empty if there is only one. */
  readonly pager: readonly ActionButton[];
  /** Show what the answer was made from. */
  readonly lookUp: readonly ActionButton[];
}

async function listAnswerButtons(
  services: BotServices,
  texts: Texts,
  finished: FinishedAnswer,
): Promise<AnswerButtons> {
  const usual = await listUsualButtons(services, texts, finished);
  for (const { arrangeButtons } of services.listAnswerExtensions()) {
    const arranged = await arrangeButtons?.(finished, usual, texts);
    if (arranged) return arranged;
  }
  return usual;
}

async function listUsualButtons(
  services: BotServices,
  { buttons }: Texts,
  finished: FinishedAnswer,
): Promise<UsualButtons> {
  const { answer } = finished;
  const { id: answerId } = answer;
  const pager = await listPagerButtons(services, answerId);
  if (finished.hasFailed) return { pager, lookUp: [], row: pager, rest: [[], []] };
  const again: ActionButton = { text: `🔄 ${buttons.again}`, action: { kind: 'regenerate', answerId } };
  // An emoji before the label would not fit into a third of a phone's width.
  const other: ActionButton = { text: buttons.otherModel, action: { kind: 'list-answer-models', answerId, page: 0 } };
  const speech: ActionButton = { text: '🔊', action: { kind: 'read-aloud', answerId } };
  const signs = [...(services.speech.isAvailable() ? [speech] : []), ...(await listOpinions(services, finished))];
  const hasMemories = Boolean(answer.extras.memoryIds?.length);
  const memories: ActionButton = { text: `🧠 ${buttons.memory}`, action: { kind: 'show-used-memories', answerId } };
  const lookUp = hasMemories ? [memories] : [];
  const toContinue: ActionButton = { text: `▶️ ${buttons.continue}`, action: { kind: 'continue-answer', answerId } };
  const rest = [other, ...lookUp];
  if (isUnfinished(answer)) return { pager, lookUp, above: [pager], row: [toContinue, again], rest: [rest, signs] };
  if (pager.length > 0) return { pager, lookUp, row: pager, rest: [[again, ...rest], signs] };
  return { pager, lookUp, row: [again, other], rest: [lookUp, signs] };
}

/** Returns whether an answer has buttons: it is the newest message of its conversation, or a feature keeps them. */
export async function hasButtons(
  { conversations, listAnswerExtensions }: BotServices,
  answer: Pick<StoredMessage, 'id' | 'conversationId' | 'parentId' | 'extras'>,
): Promise<boolean> {
  const newest = await conversations.findLatestMessage(answer.conversationId);
  return newest?.id === answer.id || listAnswerExtensions().some((one) => one.keepsButtons?.(answer, newest));
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
