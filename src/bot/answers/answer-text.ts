const THINKING = /^<(think|thinking)>/;
/** A beginning that may still become a thinking tag. */
const PERHAPS_THINKING = /^(<(t(h(i(n(k(i(n(g)?)?)?)?)?)?)?)?)?$/;

/**
 * The text of a model while it grows. Some models reason between tags before they answer: that part is kept apart, and a beginning that
 * may still turn out to be such a tag is not shown. Tags anywhere else belong to the answer.
 */
export interface GrowingText {
  /** Takes constant time per character, however the text is cut into deltas. */
  add(delta: string): void;
  /** Returns the answer without the reasoning. `isComplete`: no more will come. */
  toVisible(isComplete: boolean): string;
  /** Returns the reasoning between tags; empty where there is none. Of long reasoning the middle is left out. */
  toReasoning(): string;
}

export function createGrowingText(): GrowingText {
  let undecided = '';
  let tag: string | undefined;
  let reasoning = '';
  let visible: string | undefined;

  const addReasoning = (closing: string, delta: string) => {
    // The closing tag may come in several deltas.
    const overlap = Math.min(reasoning.length, closing.length - 1);
    const recent = reasoning.slice(reasoning.length - overlap) + delta;
    const end = recent.indexOf(closing);
    if (end >= 0) visible = recent.slice(end + closing.length).trimStart();
    const added = end < 0 ? recent : recent.slice(0, end);
    reasoning = withoutMiddle(reasoning.slice(0, reasoning.length - overlap) + added);
  };

  return {
    add(delta) {
      // A string that only grows is not copied with every delta.
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

/** Far more than is shown of reasoning, at its beginning and at its end. */
const MAX_END_CHARACTERS = 4096;

/** Returns the text; of a long one the middle is left out. */
export function withoutMiddle(text: string): string {
  if (text.length <= 4 * MAX_END_CHARACTERS) return text;
  return text.slice(0, MAX_END_CHARACTERS) + text.slice(-MAX_END_CHARACTERS);
}
