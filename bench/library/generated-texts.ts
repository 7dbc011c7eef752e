/** Texts of made-up words whose frequencies are those of a language: the second word is half as frequent as the first. */
export interface TextGenerator {
  /** All words, from the most to the least frequent. */
  readonly vocabulary: readonly string[];
  /** Returns a random number from 0 to 1, without 1; the same sequence in each run. */
  random(): number;
  word(): string;
  text(wordCount: number): string;
}

const WORDS = 20_000;
const SYLLABLES = 'ba ke lo mi nu ra se ti vo zu dri pla sto gre fin mor tal ven kor sil'.split(' ');

export function createTextGenerator(seed: number): TextGenerator {
  let state = seed;
  const random = () => {
    // Linear congruential generator with the constants of glibc.
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return state / 0x8000_0000;
  };
  const vocabulary = Array.from({ length: WORDS }, (_, number) => toWord(number));
  const word = () => vocabulary[Math.floor(WORDS ** random()) - 1] ?? '';
  const text = (wordCount: number) => Array.from({ length: wordCount }, word).join(' ');
  return { vocabulary, random, word, text };
}

/** Returns a different word for each number; its last syllable is no ending that the database removes. */
function toWord(number: number): string {
  const syllables: string[] = [];
  for (let rest = number + 1; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    syllables.push(SYLLABLES[rest % SYLLABLES.length] ?? '');
  return `${syllables.join('')}k`;
}
