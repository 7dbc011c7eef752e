/** What a model is shown of a text that it is to go on with, and what stands between that and the rest. */
export interface BrokenOffText {
  /** Without the last word: nobody can tell whether it is whole, so the model writes it again. */
  readonly known: string;
  /** White space between the known text and the word. */
  readonly gap: string;
}

/** A longer piece without white space is no word: other scripts, addresses. */
const MAX_WORD_CHARACTERS = 40;
/** A last word with much white space in front. */
const MAX_ENDING_CHARACTERS = 200;
/** Fewer repeated characters may be chance. */
const MIN_REPEATED_CHARACTERS = 12;
const MAX_REPEATED_CHARACTERS = 400;

/** Cuts a text where a model can take it up. */
export function breakOffText(text: string): BrokenOffText {
  const [ending = '', gap = ''] = /(?<=\S)(\s+)\S*$/.exec(text.slice(-MAX_ENDING_CHARACTERS)) ?? [];
  const isWord = ending.length - gap.length <= MAX_WORD_CHARACTERS;
  return isWord ? { known: text.slice(0, text.length - ending.length), gap } : { known: text, gap: '' };
}

/**
 * Joins a text that broke off with what a model wrote when it was asked to go on. Some models repeat the last words first, many leave
 * out the space in between, or put one too many.
 * @param continuation all that was written so far; where it is empty the text stays as it was.
 */
export function joinContinuation(text: string, continuation: string): string {
  if (text === '') return continuation;
  if (continuation.trim() === '') return text;
  const { known, gap } = breakOffText(text);
  const unrepeated = withoutRepetition(known, continuation);
  // Behind a new line the spaces of the continuation are an indentation.
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
