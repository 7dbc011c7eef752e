import type { TextGenerator } from './generated-texts.ts';

/** Kind of query, by the words that it has. */
export interface QueryKind {
  readonly name: string;
  readonly write: (texts: TextGenerator) => string;
}

/** Number of the most frequent words; each is in most long texts. */
const COMMON_WORDS = 20;
/** Number of the first word that few texts have. */
const FIRST_RARE_WORD = 5000;

export const QUERY_KINDS: readonly QueryKind[] = [
  { name: 'a rare word', write: (texts) => wordFrom(texts, FIRST_RARE_WORD, texts.vocabulary.length) },
  { name: 'a word', write: (texts) => texts.word() },
  { name: 'three words', write: (texts) => texts.text(3) },
  { name: 'eight words', write: (texts) => texts.text(8) },
  {
    name: 'two common words',
    write: (texts) => `${wordFrom(texts, 0, COMMON_WORDS / 2)} ${wordFrom(texts, COMMON_WORDS / 2, COMMON_WORDS)}`,
  },
  { name: 'the commonest word', write: ({ vocabulary }) => vocabulary[0] ?? '' },
  { name: 'an unknown word', write: (texts) => `xyzzy${Math.floor(texts.random() * 1e6)}` },
];

function wordFrom({ vocabulary, random }: TextGenerator, from: number, to: number): string {
  return vocabulary[from + Math.floor(random() * (to - from))] ?? '';
}
