import { FREQUENT } from './letter-frequencies.ts';
import { decodeStrictly, SAMPLE_BYTES, SAMPLE_CHARACTERS } from './strict-decoding.ts';

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

/** Detects an encoding of Chinese, Japanese or Korean by its frequent characters; undefined if none is plausible. */
export function detectMultiByte(bytes: Buffer): string | undefined {
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
