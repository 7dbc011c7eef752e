import type { ChatPart } from '../../../core/models/index.ts';
import { GrowingText, joinParagraphs, withoutMiddle } from './text.ts';

/** Collects text and reasoning of a model in steps, separated by tool calls. A refusal is text of the answer. */
export function createAnswerSteps() {
  let earlier = { text: '', shownReasoning: '' };
  let written = new GrowingText();
  let reasoning = '';
  let length = 0;
  let isRefused = false;
  /** Returns the visible text of all steps. `isComplete`: no more parts follow in this step. */
  const toText = (isComplete: boolean): string => {
    if (isComplete) written.end();
    return joinParagraphs(earlier.text, written.toVisible());
  };
  /**
   * Returns the reasoning of all steps, from reasoning deltas and from marks in the text. The middle of long reasoning is
   * left out.
   */
  const toShownReasoning = (): string =>
    joinParagraphs(earlier.shownReasoning, joinParagraphs(reasoning, written.toReasoning()));
  /** Ends the current step. */
  const next = (): void => {
    earlier = { text: toText(true), shownReasoning: toShownReasoning() };
    written = new GrowingText();
    reasoning = '';
  };
  return {
    /** @returns the kind of content that the part adds: text of the answer, reasoning, or nothing visible. */
    add(part: ChatPart): 'words' | 'shownReasoning' | undefined {
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
    /** Number of characters of all parts, reasoning included. */
    get length() {
      return length;
    },
    /** The model has explained why it declines to answer. */
    get isRefused() {
      return isRefused;
    },
  };
}
