import { ALPHABETS } from './letter-frequencies.ts';
import { decodeStrictly, SAMPLE_BYTES, SAMPLE_CHARACTERS } from './strict-decoding.ts';

interface SingleByteResult {
  readonly encoding: string;
  readonly text: string;
  /** Logarithm of the likelihood of the characters beyond ASCII. */
  readonly score: number;
}

/** Western and Russian texts are the most. */
const PRIOR: Readonly<Record<string, number>> = { 'windows-1252': 1, 'windows-1251': 1, 'iso-8859-2': -2 };
const MARK_LIKELIHOOD = 0.01;
const FOREIGN_LIKELIHOOD = 1e-4;
/** See `isMisplaced`. */
const MISPLACED_LIKELIHOOD = 0.02;
const WORD_SCORE = 1;
const MAX_WORD_SCORE = 6;
/** Least difference between the best two, in natural logarithms. */
const MIN_DIFFERENCE = 1.5;
/** Least mean of a plausible text. */
const MIN_MEAN = Math.log(0.004);
/** Greatest share of characters that are in no language of the encoding, or in unlikely places. */
const MAX_WRONG_SHARE = 0.05;
const MARKS = '\u00a0–—‘’‚“”„†‡•…‰‹›«»€£§©®°±²³·½¼¾№™¿¡×÷ºª';

/** Detects an encoding with one byte for a character by the places and frequency of its letters. */
export function detectSingleByte(bytes: Buffer): string | undefined {
  const encodings = [...new Set(ALPHABETS.flatMap((alphabet) => alphabet.encodings))];
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const results = encodings
    .flatMap((encoding): readonly SingleByteResult[] => {
      const text = decodeStrictly(sample, encoding)?.slice(0, SAMPLE_CHARACTERS);
      // C1 controls are never part of a text.
      return text === undefined || /[\x80-\x9f]/.test(text)
        ? []
        : [{ encoding, text, score: scoreText(text, encoding) }];
    })
    .toSorted((a, b) => b.score - a.score);
  const [best] = results;
  const next = results.find(({ text }) => text !== best?.text);
  if (!best || !isPlausible(best) || (next && best.score - next.score < MIN_DIFFERENCE)) return undefined;
  return best.encoding;
}

function isPlausible({ encoding, text, score }: SingleByteResult): boolean {
  const known = new Set(listAlphabets(encoding).join(''));
  const places = countPlaces(text);
  const isWrong = (place: Place) => place.isMisplaced || !(known.has(place.lower) || MARKS.includes(place.lower));
  const count = places.reduce((sum, place) => sum + place.count, 0);
  const wrongCount = places.filter(isWrong).reduce((sum, place) => sum + place.count, 0);
  return (
    wrongCount <= MAX_WRONG_SHARE * count &&
    score - (PRIOR[encoding] ?? 0) - scoreWords(text, encoding) >= MIN_MEAN * count
  );
}

function listAlphabets(encoding: string): readonly string[] {
  return ALPHABETS.filter(({ encodings }) => encodings.includes(encoding)).map(({ letters }) => letters);
}

/** Returns the sum of the scores of the lines, each in the language that fits it best. */
function scoreText(text: string, encoding: string): number {
  const languages = listAlphabets(encoding).map(toLikelihoods);
  const lines = text.split('\n').map(countPlaces);
  const score = lines.reduce((sum, places) => sum + Math.max(...languages.map((one) => scorePlaces(places, one))), 0);
  return score + (PRIOR[encoding] ?? 0) + scoreWords(text, encoding);
}

/** Returns the score of frequent words, which weighs in texts with few letters beyond ASCII. */
function scoreWords(text: string, encoding: string): number {
  const written = text.toLowerCase().match(/[a-z]+/g) ?? [];
  const counts = ALPHABETS.filter(({ encodings }) => encodings.includes(encoding)).map(({ words = '' }) => {
    const known = new Set(words.split(' '));
    return written.filter((word) => known.has(word)).length;
  });
  return Math.min(MAX_WORD_SCORE, WORD_SCORE * Math.max(...counts));
}

/** Returns the likelihood of each letter, by its rank. */
function toLikelihoods(letters: string): ReadonlyMap<string, number> {
  const weights = [...letters].map((letter, rank) => [letter, 1 / (rank + 3)] as const);
  const sum = weights.reduce((total, [, weight]) => total + weight, 0);
  return new Map(weights.map(([letter, weight]) => [letter, weight / sum]));
}

function scorePlaces(places: readonly Place[], likelihoods: ReadonlyMap<string, number>): number {
  return places.reduce((score, { lower, isMisplaced: isWrong, count }) => {
    const likelihood = MARKS.includes(lower) ? MARK_LIKELIHOOD : (likelihoods.get(lower) ?? FOREIGN_LIKELIHOOD);
    return score + count * Math.log(likelihood * (isWrong ? MISPLACED_LIKELIHOOD : 1));
  }, 0);
}

interface Place {
  /** Lower case. */
  readonly lower: string;
  readonly isMisplaced: boolean;
  count: number;
}

/** Counts the characters beyond ASCII, those in unlikely places separately. */
function countPlaces(text: string): readonly Place[] {
  const places = new Map<string, Place>();
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (character <= '\x7f') continue;
    const isWrong = isMisplaced(character, text[at - 1] ?? ' ', text[at + 1] ?? ' ');
    const lower = character.toLowerCase();
    const place = places.get(`${lower}${isWrong}`) ?? { lower, isMisplaced: isWrong, count: 0 };
    place.count += 1;
    places.set(`${lower}${isWrong}`, place);
  }
  return [...places.values()];
}

/**
 * Returns whether a character is in an unlikely place: a capital or a mark within a word, a letter alone, beside a digit or
 * beside one of another script, a combining sign without its letter.
 */
function isMisplaced(character: string, before: string, after: string): boolean {
  const neighbours = before + after;
  // An apostrophe belongs between letters.
  if (MARKS.includes(character)) return character !== '’' && isLower(before) && isLower(after);
  if (THAI_SIGN.test(character)) return !THAI_BASE.test(before);
  if (/\p{M}/u.test(character)) return !/\p{L}/u.test(before);
  if (/\d/.test(neighbours)) return true;
  if (!/[\p{L}\p{M}]/u.test(neighbours) && !SHORT_WORDS.includes(character)) return true;
  // French and Italian have these at the end of words only, and the others after a consonant, i or u.
  if (/[ùì]/.test(character) && isLower(after)) return true;
  if (/[òì]/.test(character) && /[aeoyâêô]/.test(before)) return true;
  if (!/\p{Script=Latin}/u.test(character)) {
    return /[A-Za-z]/.test(neighbours) || (isLower(before) && character !== character.toLowerCase());
  }
  return isLower(before) && character !== character.toLowerCase();
}

/** Letters that are words. */
const SHORT_WORDS = 'авикосуябіїєАВИКОСУЯІЄéàèêòóáúíøåöæôÀÉÈÓÅÖØηοόήו';
const THAI_SIGN = /[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]/;
const THAI_BASE = /[\u0e01-\u0e2e\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]/;

function isLower(character: string): boolean {
  return character !== character.toUpperCase();
}
