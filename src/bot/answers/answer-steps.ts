import type { ChatPart } from '../../core/models/index.ts';
import { GrowingText, joinParagraphs, withoutMiddle } from './answer-text.ts';

/** Text and reasoning of a model in steps, separated by tool calls. A refusal is text of the answer. */
export interface AnswerSteps {
  /** @returns the kind of content that the part adds: text of the answer, reasoning, or nothing visible. */
  add(part: ChatPart): 'words' | 'shownReasoning' | undefined;
  /** Ends the current step. */
  next(): void;
  /** Returns the visible text of all steps. `isComplete`: no more parts follow in this step. */
  toText(isComplete: boolean): string;
  /**
   * Returns the reasoning of all steps, from reasoning deltas and from marks in the text. The middle of long reasoning is
   * left out.
   */
  toShownReasoning(): string;
  /** Number of characters of all parts, reasoning included. */
  readonly length: number;
  /** The model has explained why it declines to answer. */
  readonly isRefused: boolean;
}

export function createAnswerSteps(): AnswerSteps {
  let earlier = { text: '', shownReasoning: '' };
  let written = new GrowingText();
  let reasoning = '';
  let length = 0;
  let isRefused = false;
  const toText = (isComplete: boolean) => {
    if (isComplete) written.end();
    return joinParagraphs(earlier.text, written.toVisible());
  };
  const toShownReasoning = () =>
    joinParagraphs(earlier.shownReasoning, joinParagraphs(reasoning, written.toReasoning()));
  const next = () => {
    earlier = { text: toText(true), shownReasoning: toShownReasoning() };
    written = new GrowingText();
    reasoning = '';
  };
  return {
    add(part) {
      if (part.type !== 'text-delta' && part.type !== 'reasoning-delta' && part.type !== 'refusal-delta')
        return undefined;
      length += part.text.length;
      if (part.type === 'refusal-delta') {
        // The words before it are not part of the explanation.
        if (!isRefused) next();
        isRefused = true;
        written.add(part.text);
        return 'words';
      }
      if (part.type === 'text-delta') {
        written.add(part.text);
        return 'words';
      }
      reasoning = withoutMiddle(reasoning + part.text);
      return 'shownReasoning';
    },
    next,
    toText,
    toShownReasoning,
    get length() {
      return length;
    },
    get isRefused() {
      return isRefused;
    },
  };
}
