import type { JsonObject } from '../../lib/json.ts';
import { createGrowingText, readAnswerDelta, readReasoningDelta, withoutMiddle } from './answer-text.ts';

/** What a model has written and thought, step by step: between two steps tools were at work. */
export interface AnswerSteps {
  /** @returns what a chunk adds: words of the answer, thoughts, or nothing that people see. */
  add(chunk: JsonObject): 'words' | 'thoughts' | undefined;
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
    add(chunk) {
      const [delta, thought] = [readAnswerDelta(chunk), readReasoningDelta(chunk)];
      written.add(delta);
      reasoning = withoutMiddle(reasoning + thought);
      length += delta.length + thought.length;
      if (delta !== '') return 'words';
      return thought === '' ? undefined : 'thoughts';
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
