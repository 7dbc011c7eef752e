import type { InlineKeyboardMarkup } from 'grammy/types';
import type { StoredMessage } from '../core/conversations/index.ts';
import type { BotDeps } from './bot-deps.ts';
import { type ChoiceButton, offerKeyboard } from './keyboard.ts';

/** What the buttons below an answer depend on. */
export interface FinishedAnswer {
  readonly answer: Pick<StoredMessage, 'id' | 'finishReason'>;
  /** Who asked: the buttons are this person's. */
  readonly personId: number;
  /** Something went wrong with it, and what can be done about that stands below the words about it. */
  readonly hasFailed: boolean;
}

/** Ends that leave something to be said. */
const UNFINISHED: ReadonlySet<string> = new Set(['length', 'stopped']);

/** The buttons below a finished answer: what can be done with it, and what is thought of it. */
export async function buildAnswerKeyboard(
  deps: Pick<BotDeps, 'conversations' | 'interactions'>,
  finished: FinishedAnswer,
): Promise<InlineKeyboardMarkup | undefined> {
  const rows = [await toControlRow(deps, finished)].filter((row) => row.length > 0);
  return rows.length === 0 ? undefined : offerKeyboard(deps, finished.personId, rows);
}

/** Labels are signs: names of models and words in any language would not fit beside one another. */
async function toControlRow(
  { conversations }: Pick<BotDeps, 'conversations'>,
  { answer, hasFailed }: FinishedAnswer,
): Promise<ChoiceButton[]> {
  const { id: answerId, finishReason = 'stop' } = answer;
  const variants = await conversations.listVariants(answerId);
  const index = variants.findIndex(({ id }) => id === answerId);
  const turns: ChoiceButton[] = [
    { text: '‹', choice: { kind: 'turn-variant', answerId, by: -1 } },
    { text: `${index + 1}/${variants.length}`, choice: { kind: 'describe-variant', answerId } },
    { text: '›', choice: { kind: 'turn-variant', answerId, by: 1 } },
  ];
  const controls: ChoiceButton[] = [
    { text: '🔄', choice: { kind: 'regenerate', answerId } },
    ...(UNFINISHED.has(finishReason) ? [{ text: '▶️', choice: { kind: 'continue-answer', answerId } } as const] : []),
    { text: '🤖', choice: { kind: 'list-answer-models', answerId, page: 0 } },
  ];
  return [...(index >= 0 && variants.length > 1 ? turns : []), ...(hasFailed ? [] : controls)];
}
