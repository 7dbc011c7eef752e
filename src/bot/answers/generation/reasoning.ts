import type { ReplyPreface } from '../../reply-stream/page-plan.ts';

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

/** Returns the title and the folded reasoning, to be shown above the answer. */
export function toPreface(title: string | undefined, reasoning = ''): ReplyPreface {
  return { heading: title, ...(reasoning !== '' && { quote: { text: reasoning, isFolded: true } }) };
}

/** Returns the newest reasoning to show while the answer has no text yet. */
export function toLivePreface(title: string | undefined, shownReasoning: string, heading: string): ReplyPreface {
  if (shownReasoning.trim() === '') return toPreface(title);
  const tail = shownReasoning.slice(-MAX_LIVE_CHARACTERS).replace(/^[\uDC00-\uDFFF]/, '');
  const isCut = shownReasoning.trimStart().length > MAX_LIVE_CHARACTERS;
  // Starts at a word boundary, because the cut moves with every preview.
  const shown = isCut ? `… ${tail.replace(/^\S*\s+/, '')}` : tail;
  return { heading: title, quote: { text: `${heading}\n${shown.trim()}`, isFolded: false } };
}

/** Adds a line to the quote above an answer. */
export function withHeading(heading: string | undefined, preface: ReplyPreface): ReplyPreface {
  if (heading === undefined) return preface;
  const { quote } = preface;
  return { ...preface, quote: { isFolded: false, ...quote, text: quote ? `${heading}\n${quote.text}` : heading } };
}
