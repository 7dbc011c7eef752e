import type { ChatPart } from '../../core/models/index.ts';
import { createGrowingText, withoutMiddle } from './answer-text.ts';

/** What a model has written and thought, step by step: between two steps tools were at work. */
export interface AnswerSteps {
  /** @returns what a part adds: words of the answer, thoughts, or nothing that people see. */
  add(part: ChatPart): 'words' | 'thoughts' | undefined;
  /** What was said so far is one step. */
  next(): void;
  /** The words of all steps, as people are to see them. `isComplete`: no more will come. */
  toText(isComplete: boolean): string;
  /** The thoughts of all steps, however their hosts tell them. Of long ones the middle is left out. */
  toThoughts(): string;
  /** Characters of all that came. */
  readonly length: number;
}

export function createAnswerSteps(): AnswerSteps {
  let earlier = { text: '', thoughts: '' };
  let written = createGrowingText();
  let reasoning = '';
  let length = 0;
  const toText = (isComplete: boolean) => joinSteps(earlier.text, written.toVisible(isComplete));
  const toThoughts = () => joinSteps(earlier.thoughts, reasoning || written.toReasoning());
  return {
    add(part) {
      if (part.type !== 'text-delta' && part.type !== 'reasoning-delta') return undefined;
      length += part.text.length;
      if (part.type === 'text-delta') {
        written.add(part.text);
        return 'words';
      }
      reasoning = withoutMiddle(reasoning + part.text);
      return 'thoughts';
    },
    next() {
      earlier = { text: toText(true), thoughts: toThoughts() };
      written = createGrowingText();
      reasoning = '';
    },
    toText,
    toThoughts,
    get length() {
      return length;
    },
  };
}

/** Joins the texts of steps; empty ones leave no gap. */
export function joinSteps(earlier: string, newest: string): string {
  return earlier === '' || newest === '' ? earlier || newest : `${earlier}\n\n${newest}`;
}
