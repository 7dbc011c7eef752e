const THINKING = /^<(think|thinking)>/;
/** Matches text that may still become a thinking tag. */
const PERHAPS_THINKING = /^(<(t(h(i(n(k(i(n(g)?)?)?)?)?)?)?)?)?$/;

/**
 * Text of a model while it streams. Reasoning between tags at the start is kept apart, and text that may still become
 * such a tag is not shown. Tags anywhere else belong to the answer.
 */
export interface GrowingText {
  /** Takes constant time per character, however the text is cut into deltas. */
  add(delta: string): void;
  /** Returns the answer without the reasoning. `isComplete`: no more deltas follow. */
  toVisible(isComplete: boolean): string;
  /** Returns the reasoning between tags; empty if there is none. The middle of long reasoning is left out. */
  toReasoning(): string;
}

export function createGrowingText(): GrowingText {
  let undecided = '';
  let tag: string | undefined;
  let reasoning = '';
  let visible: string | undefined;

  const addReasoning = (closing: string, delta: string) => {
    // The closing tag may be split over several deltas.
    const overlap = Math.min(reasoning.length, closing.length - 1);
    const recent = reasoning.slice(reasoning.length - overlap) + delta;
    const end = recent.indexOf(closing);
    if (end >= 0) visible = recent.slice(end + closing.length).trimStart();
    const added = end < 0 ? recent : recent.slice(0, end);
    reasoning = withoutMiddle(reasoning.slice(0, reasoning.length - overlap) + added);
  };

  return {
    add(delta) {
      // Plain concatenation: the engine does not copy the string with every delta.
      if (visible !== undefined) visible = visible === '' ? delta.trimStart() : visible + delta;
      else if (tag !== undefined) addReasoning(`</${tag}>`, delta);
      else {
        undecided = (undecided + delta).trimStart();
        if (PERHAPS_THINKING.test(undecided)) return;
        const opening = THINKING.exec(undecided);
        tag = opening?.[1];
        if (tag === undefined) visible = undecided;
        else addReasoning(`</${tag}>`, undecided.slice(opening?.[0].length));
      }
    },
    toVisible(isComplete) {
      const shown = visible ?? (isComplete && tag === undefined ? undecided : '');
      return isComplete ? shown.trimEnd() : shown;
    },
    toReasoning: () => reasoning,
  };
}

/** Length of the start and of the end to keep; much more than is shown of reasoning. */
const MAX_END_CHARACTERS = 4096;

/** Returns the text without its middle if it is long. */
export function withoutMiddle(text: string): string {
  if (text.length <= 4 * MAX_END_CHARACTERS) return text;
  return text.slice(0, MAX_END_CHARACTERS) + text.slice(-MAX_END_CHARACTERS);
}
