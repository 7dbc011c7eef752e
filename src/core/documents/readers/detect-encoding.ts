import { ALPHABETS, FREQUENT } from './letter-frequencies.ts';

/** Number of characters that are examined. */
const SAMPLE_CHARACTERS = 20_000;
const SAMPLE_BYTES = 64 * 1024;

/**
 * Detects the encoding of a text that is not Unicode. Decodes strictly with every candidate and compares how plausible
 * the results are in the languages of each.
 * @returns undefined if no candidate is plausible, or two with different results are.
 */
export function detectEncoding(bytes: Buffer): string | undefined {
  if (hasEscapes(bytes.toString('latin1', 0, SAMPLE_BYTES))) return 'iso-2022-jp';
  return detectMultiByte(bytes) ?? detectSingleByte(bytes);
}

/** Returns whether a text has the escape sequences of Japanese e-mail, whose bytes are ASCII otherwise. */
export function hasEscapes(text: string): boolean {
  return text.includes('\u001b$B') || text.includes('\u001b$@');
}

interface MultiByte {
  readonly encoding: string;
  /** Range of bytes with the characters that make up nearly all of a text. */
  readonly common: readonly [first: number, last: number];
  /** Frequent characters in addition to kana, which belong to Japanese only. */
  readonly frequent: string;
  /** Bytes below are no second bytes in the other encodings with two high bytes, so a text without any is not of this one. */
  readonly needsLowBytes?: boolean;
}

const JAPANESE = { frequent: '', common: [0xb0, 0xcf] } as const;
const MULTI_BYTE: readonly MultiByte[] = [
  { encoding: 'gb18030', common: [0xb0, 0xd7], frequent: FREQUENT.simplifiedChinese },
  { encoding: 'big5', common: [0xa4, 0xc6], frequent: FREQUENT.traditionalChinese, needsLowBytes: true },
  { encoding: 'euc-kr', common: [0xb0, 0xc8], frequent: FREQUENT.korean },
  { encoding: 'shift_jis', ...JAPANESE },
  { encoding: 'euc-jp', ...JAPANESE },
];

const MIN_COMMON_SHARE = 0.9;
const MIN_FREQUENT_SHARE = 0.2;
/** Fewer may be chance. */
const MIN_FREQUENT = 3;
/** Factor by which the best candidate must have more frequent characters than another one. */
const MIN_LEAD = 1.5;
/** Fewer characters prove nothing. */
const MIN_CHARACTERS = 4;
const KANA = /[\u3041-\u3096\u30a1-\u30fc]/;
const PUNCTUATION = /[\u00a0\u00b7\u2010-\u2027\u2030-\u203b\u3000-\u3020\uff01-\uff5e\uffe5]/;

function detectMultiByte(bytes: Buffer): string | undefined {
  const candidates = MULTI_BYTE.flatMap((candidate) => {
    const text = decodeStrictly(bytes, candidate.encoding);
    const share = text === undefined ? 0 : measureFrequent(text, bytes, candidate);
    return share >= MIN_FREQUENT_SHARE ? [{ encoding: candidate.encoding, share }] : [];
  }).toSorted((a, b) => b.share - a.share);
  const [best, next] = candidates;
  return best && best.share >= MIN_LEAD * (next?.share ?? 0) ? best.encoding : undefined;
}

/** Returns the share of frequent characters among those beyond ASCII; 0 if the text is not of this encoding. */
function measureFrequent(text: string, bytes: Buffer, candidate: MultiByte): number {
  const { frequent, needsLowBytes = false } = candidate;
  const characters = [...text.slice(0, SAMPLE_CHARACTERS)].filter((character) => character > '\x7f');
  const words = characters.filter((character) => !PUNCTUATION.test(character));
  if (words.length < MIN_CHARACTERS) return 0;
  const isJapanese = frequent === '';
  const common = listCommon(candidate);
  const commonCount = words.filter((word) => common.has(word) || (isJapanese && KANA.test(word))).length;
  if (commonCount < MIN_COMMON_SHARE * words.length) return 0;
  if (needsLowBytes && !hasLowTrail(bytes)) return 0;
  const isFrequent = isJapanese ? (word: string) => KANA.test(word) : (word: string) => frequent.includes(word);
  const frequentCount = words.filter(isFrequent).length;
  if (frequentCount < MIN_FREQUENT) return 0;
  const share = frequentCount / words.length;
  // In EUC-JP and Shift JIS, kana have two values only: other texts do not hit them by chance.
  return isJapanese ? Math.min(1, share * 2) : share;
}

const commonByEncoding = new Map<string, ReadonlySet<string>>();

/** Returns the characters that make up nearly all of a text: level 1 of the national standard. */
function listCommon({ encoding, common: [first, last] }: MultiByte): ReadonlySet<string> {
  // Shift JIS has the characters of EUC-JP at other places.
  const source = encoding === 'shift_jis' ? 'euc-jp' : encoding;
  const known = commonByEncoding.get(source);
  if (known) return known;
  const decoder = new TextDecoder(source);
  const characters = new Set<string>();
  for (let lead = first; lead <= last; lead++) {
    for (let trail = source === 'big5' ? 0x40 : 0xa1; trail <= 0xfe; trail++) {
      const character = decoder.decode(Uint8Array.of(lead, trail));
      if (character.length === 1 && character !== '\ufffd') characters.add(character);
    }
  }
  commonByEncoding.set(source, characters);
  return characters;
}

/** Returns whether second bytes of pairs are below 0x80, as two of five are in Big5. */
function hasLowTrail(bytes: Buffer): boolean {
  for (let at = 0; at < Math.min(bytes.length, SAMPLE_BYTES); at++) {
    if ((bytes[at] ?? 0) < 0x81) continue;
    at += 1;
    if ((bytes[at] ?? 0xff) < 0x80) return true;
  }
  return false;
}

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

function detectSingleByte(bytes: Buffer): string | undefined {
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

/** Returns the text; undefined if a byte has no meaning in the encoding. */
export function decodeStrictly(bytes: Buffer, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
