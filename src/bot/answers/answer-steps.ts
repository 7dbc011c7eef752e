import type { ChatPart } from '../../core/models/index.ts';
import { createGrowingText, withoutMiddle } from './answer-text.ts';

/** Text and reasoning of a model in steps, separated by tool calls. */
export interface AnswerSteps {
  /** @returns the kind of content that the part adds: text of the answer, reasoning, or nothing visible. */
  add(part: ChatPart): 'words' | 'shownReasoning' | undefined;
  /** Ends the current step. */
  next(): void;
  /** Returns the visible text of all steps. `isComplete`: no more parts follow. */
  toText(isComplete: boolean): string;
  /**
   * Returns the reasoning of all steps, from reasoning deltas or from tags in the text. The middle of long reasoning is
   * left out.
   */
  toShownReasoning(): string;
  /** Number of characters of all parts, reasoning included. */
  readonly length: number;
}

export function createAnswerSteps(): AnswerSteps {
  let earlier = { text: '', shownReasoning: '' };
  let written = createGrowingText();
  let reasoning = '';
  let length = 0;
  const toText = (isComplete: boolean) => joinSteps(earlier.text, written.toVisible(isComplete));
  const toShownReasoning = () => joinSteps(earlier.shownReasoning, reasoning || written.toReasoning());
  return {
    add(part) {
      if (part.type !== 'text-delta' && part.type !== 'reasoning-delta') return undefined;
      length += part.text.length;
      if (part.type === 'text-delta') {
        written.add(part.text);
        return 'words';
      }
      reasoning = withoutMiddle(reasoning + part.text);
      return 'shownReasoning';
    },
    next() {
      earlier = { text: toText(true), shownReasoning: toShownReasoning() };
      written = createGrowingText();
      reasoning = '';
    },
    toText,
    toShownReasoning,
    get length() {
      return length;
    },
  };
}

/** Joins the texts of two steps with an empty line, unless one of them is empty. */
export function joinSteps(earlier: string, newest: string): string {
  return earlier === '' || newest === '' ? earlier || newest : `${earlier}\n\n${newest}`;
}
