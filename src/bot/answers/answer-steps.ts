import type { JsonObject } from '../../lib/json.ts';
import { readAnswerDelta, readReasoningDelta, toThought, toVisibleText } from './answer-text.ts';

/** What a model has written and thought, step by step: between two steps tools were at work. */
export interface AnswerSteps {
  /** @returns what a chunk adds: words of the answer, thoughts, or nothing that people see. */
  add(chunk: JsonObject): 'words' | 'thoughts' | undefined;
  /** What was said so far is one step. */
  next(): void;
  /** The words of all steps, as people are to see them. `isComplete`: no more will come. */
  toText(isComplete: boolean): string;
  /** The thoughts of all steps, however their hosts tell them. */
  toThoughts(): string;
  /** Characters of all of it. */
  readonly length: number;
}

export function createAnswerSteps(): AnswerSteps {
  let earlier = { text: '', thoughts: '' };
  let written = '';
  let reasoning = '';
  const toText = (isComplete: boolean) => joinSteps(earlier.text, toVisibleText(written, isComplete));
  const toThoughts = () => joinSteps(earlier.thoughts, reasoning || toThought(written));
  return {
    add(chunk) {
      const [delta, thought] = [readAnswerDelta(chunk), readReasoningDelta(chunk)];
      written += delta;
      reasoning += thought;
      if (delta !== '') return 'words';
      return thought === '' ? undefined : 'thoughts';
    },
    next() {
      earlier = { text: toText(true), thoughts: toThoughts() };
      written = '';
      reasoning = '';
    },
    toText,
    toThoughts,
    get length() {
      return earlier.text.length + earlier.thoughts.length + written.length + reasoning.length;
    },
  };
}

function joinSteps(...steps: readonly string[]): string {
  return steps.filter((step) => step !== '').join('\n\n');
}
