/** Scripts that are written without spaces between words, and Korean, whose words have many endings. */
const UNSPACED = String.raw`\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}`;
const WORD = new RegExp(
  String.raw`(?<unspaced>[[\p{L}\p{M}\p{N}]&&[${UNSPACED}]]+)|[[\p{L}\p{M}\p{N}]--[${UNSPACED}]]+`,
  'gv',
);

/** Longer words, such as encoded data, are cut. */
const MAX_WORD_CHARACTERS = 60;
const MAX_TERMS = 10;

/** A word of a text, or a run of characters of a script without spaces. */
export interface Word {
  /** In the form in which words are compared. */
  readonly text: string;
  readonly isUnspaced: boolean;
  /** Range in the text, in UTF-16 units. */
  readonly offset: number;
  readonly length: number;
}

/** One condition of a search. */
export interface Term {
  readonly text: string;
  /** Words that begin with the text match as well. */
  readonly isPrefix: boolean;
}

/** Lists the words of a text. */
export function listWords(text: string): readonly Word[] {
  return Array.from(text.matchAll(WORD), ({ 0: written, groups, index: offset }) => {
    const isUnspaced = groups?.['unspaced'] !== undefined;
    const comparable = toComparable(written);
    return { text: isUnspaced ? comparable : cut(comparable), isUnspaced, offset, length: written.length };
  });
}

/**
 * Returns a text as words separated by spaces, the same for all forms of a character and whatever characters the
 * database takes for letters. Scripts without spaces become pairs of neighbouring characters.
 */
export function toIndexedText(text: string): string {
  return listWords(text)
    .flatMap((word) => (word.isUnspaced ? [...listPairs(word.text), lastCharacter(word.text)] : word.text))
    .join(' ');
}

/** Returns the conditions that a search consists of, without repetitions; the first ones if there are many. */
export function listTerms(query: string): readonly Term[] {
  const terms = new Map<string, Term>();
  for (const word of listWords(query)) {
    const pairs = word.isUnspaced ? listPairs(word.text) : [word.text];
    const isPrefix = pairs.length === 0;
    for (const text of isPrefix ? [word.text] : pairs) terms.set(text, { text, isPrefix });
  }
  return [...terms.values()].slice(0, MAX_TERMS);
}

function toComparable(word: string): string {
  return word.normalize('NFKC').toLowerCase().replaceAll('ё', 'е');
}

function cut(word: string): string {
  return word.length <= MAX_WORD_CHARACTERS ? word : [...word].slice(0, MAX_WORD_CHARACTERS).join('');
}

function listPairs(text: string): readonly string[] {
  const characters = [...text];
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** A search for a single character finds it at the beginning of a pair, or by this one. */
function lastCharacter(text: string): string {
  return [...text].at(-1) ?? '';
}
