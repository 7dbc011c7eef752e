import type { ReplyPreface } from '../reply-stream/index.ts';

const MAX_KEPT_CHARACTERS = 1200;
const MAX_HEAD_CHARACTERS = 600;
const MAX_TAIL_CHARACTERS = 500;
const MAX_LIVE_CHARACTERS = 200;

/** Returns the reasoning to store: of long reasoning, only the start and the end. */
export function shortenReasoning(shownReasoning: string): string {
  const reasoning = shownReasoning.trim();
  if (reasoning.length <= MAX_KEPT_CHARACTERS) return reasoning;
  const head = reasoning.slice(0, MAX_HEAD_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '');
  const tail = reasoning.slice(-MAX_TAIL_CHARACTERS).replace(/^[\uDC00-\uDFFF]/, '');
  return `${head.trimEnd()} …\n\n… ${tail.trimStart()}`;
}

/** Returns the reasoning as a folded block above the answer; undefined if there is none. */
export function toPreface(reasoning: string | undefined): ReplyPreface | undefined {
  return reasoning ? { text: reasoning, isFolded: true } : undefined;
}

/** Returns the newest reasoning to show while the answer has no text yet. */
export function toLivePreface(shownReasoning: string, heading: string): ReplyPreface | undefined {
  if (shownReasoning.trim() === '') return undefined;
  const tail = shownReasoning.slice(-MAX_LIVE_CHARACTERS).replace(/^[\uDC00-\uDFFF]/, '');
  const isCut = shownReasoning.trimStart().length > MAX_LIVE_CHARACTERS;
  // Starts at a word boundary, because the cut moves with every preview.
  const shown = isCut ? `… ${tail.replace(/^\S*\s+/, '')}` : tail;
  return { text: `${heading}\n${shown.trim()}`, isFolded: false };
}
