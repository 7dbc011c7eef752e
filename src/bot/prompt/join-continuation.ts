/** Text to continue, split for the model. */
export interface BrokenOffText {
  /** Text without the last word, which may be incomplete; the model writes it again. */
  readonly known: string;
  /** White space between the known text and the last word. */
  readonly gap: string;
}

/** A longer run without white space is no word but another script or an address. */
const MAX_WORD_CHARACTERS = 40;
/** Maximum length of the last word with the white space before it. */
const MAX_ENDING_CHARACTERS = 200;
/** A shorter repetition may be a coincidence. */
const MIN_REPEATED_CHARACTERS = 12;
const MAX_REPEATED_CHARACTERS = 400;

/** Splits a text at the position where a model can continue it. */
export function breakOffText(text: string): BrokenOffText {
  const [ending = '', gap = ''] = /(?<=\S)(\s+)\S*$/.exec(text.slice(-MAX_ENDING_CHARACTERS)) ?? [];
  const isWord = ending.length - gap.length <= MAX_WORD_CHARACTERS;
  return isWord ? { known: text.slice(0, text.length - ending.length), gap } : { known: text, gap: '' };
}

/**
 * Joins an interrupted text with a model's continuation. Some models repeat the last words first; many omit the space
 * in between or add one.
 * @param continuation everything written so far; if it is empty, the text is returned unchanged.
 */
export function joinContinuation(text: string, continuation: string): string {
  if (text === '') return continuation;
  if (continuation.trim() === '') return text;
  const { known, gap } = breakOffText(text);
  const unrepeated = withoutRepetition(known, continuation);
  // After a line break, leading spaces of the continuation are indentation.
  const rest = gap.endsWith('\n')
    ? unrepeated.replace(/^[\r\n]+/, '')
    : gap === ''
      ? unrepeated
      : unrepeated.trimStart();
  return known + gap + rest;
}

function withoutRepetition(known: string, continuation: string): string {
  const written = continuation.trimStart();
  const longest = Math.min(MAX_REPEATED_CHARACTERS, known.length, written.length);
  for (let length = longest; length >= MIN_REPEATED_CHARACTERS; length--) {
    if (written.startsWith(known.slice(-length))) return written.slice(length);
  }
  return continuation;
}
