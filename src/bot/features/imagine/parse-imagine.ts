import { ASPECT_RATIOS, parseRatio } from '../../../core/images/index.ts';

/** What somebody wrote after `/imagine`. What is not named is undefined. */
export interface ImagineWish {
  /** The words without the flags; empty where there are none. */
  readonly prompt: string;
  /** One of the eleven. */
  readonly ratio?: string;
  /** As it was written: a name or a part of one. */
  readonly model?: string;
  readonly count?: number;
  readonly seed?: number;
}

/** Why a wish can't be fulfilled as it stands. `value` is what was written, empty where nothing was. */
export type ImagineProblem =
  | { readonly kind: 'flag' | 'ratio' | 'model' | 'count' | 'seed'; readonly value: string }
  | { readonly kind: 'length'; readonly length: number };

/** Characters of a prompt. */
export const MAX_PROMPT = 4000;
/** An album of Telegram holds as many. */
const MAX_COUNT = 10;
const MAX_SEED = 2 ** 31 - 1;

type FlagName = 'ratio' | 'model' | 'count' | 'seed';
const FLAGS: Readonly<Record<string, FlagName>> = {
  ratio: 'ratio',
  ar: 'ratio',
  model: 'model',
  n: 'count',
  count: 'count',
  seed: 'seed',
};

/**
 * Reads the words and flags of an `/imagine` command. Flags may stand anywhere: `--ratio 16:9`, `--ratio=16:9`, `-n 4`, and
 * `—ratio 16:9`, because phones turn two hyphens into a dash. The last of several equal flags counts.
 */
export function parseImagine(text: string): ImagineWish | { readonly problem: ImagineProblem } {
  const tokens = [...text.matchAll(/\S+/g)].map((match) => ({ word: match[0], start: match.index }));
  const pieces: string[] = [];
  let wish: Omit<ImagineWish, 'prompt'> = {};
  let keptFrom = 0;
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index];
    const flag = token && readFlag(token.word);
    if (!token || !flag) continue;
    if (flag.name === undefined) return { problem: { kind: 'flag', value: token.word } };
    const next = flag.value === undefined ? tokens[index + 1] : undefined;
    const value = flag.value ?? (next && !readFlag(next.word) ? next.word : '');
    const change = readValue(flag.name, value);
    if (!change) return { problem: { kind: flag.name, value } };
    wish = { ...wish, ...change };
    pieces.push(text.slice(keptFrom, token.start));
    const last = next ?? token;
    keptFrom = last.start + last.word.length;
    if (next) index += 1;
  }
  const prompt = [...pieces, text.slice(keptFrom)]
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '')
    .join(' ');
  return prompt.length > MAX_PROMPT ? { problem: { kind: 'length', length: prompt.length } } : { prompt, ...wish };
}

/** Undefined for ordinary words; without a name for what looks like a flag and is none. */
function readFlag(word: string): { name: FlagName | undefined; value: string | undefined } | undefined {
  const match = /^(--?|[—–])([a-z][a-z-]*)(?:=(.*))?$/i.exec(word);
  const [, dash, written = '', value] = match ?? [];
  if (dash === undefined) return undefined;
  const lower = written.toLowerCase();
  const name = Object.hasOwn(FLAGS, lower) ? FLAGS[lower] : undefined;
  // Dashes belong to prose, and so does a hyphen before a word: only two hyphens mean nothing else.
  if (dash === '--') return { name, value };
  return name !== undefined && (dash !== '-' || lower === 'n') ? { name, value } : undefined;
}

function readValue(name: FlagName, value: string): Omit<ImagineWish, 'prompt'> | undefined {
  switch (name) {
    case 'ratio': {
      const ratio = value.replace(/[x×/]/i, ':');
      return parseRatio(ratio) && { ratio };
    }
    case 'model':
      return value === '' ? undefined : { model: value };
    case 'count':
      return isWhole(value, 1, MAX_COUNT) ? { count: Number(value) } : undefined;
    case 'seed':
      return isWhole(value, 0, MAX_SEED) ? { seed: Number(value) } : undefined;
  }
}

function isWhole(value: string, min: number, max: number): boolean {
  return /^\d{1,10}$/.test(value) && Number(value) >= min && Number(value) <= max;
}

/** The one of the eleven ratios that comes nearest to a picture's sides. */
export function findNearestRatio(sides: { readonly width: number; readonly height: number }): string {
  const distance = (ratio: string) => {
    const { width, height } = parseRatio(ratio) ?? { width: 1, height: 1 };
    return Math.abs(Math.log(sides.width / sides.height / (width / height)));
  };
  return ASPECT_RATIOS.toSorted((a, b) => distance(a) - distance(b))[0] ?? '1:1';
}
