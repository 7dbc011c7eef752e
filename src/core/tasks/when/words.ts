import { NUMBERS, WEEKDAYS } from './when-words.ts';

/** Words of a text in lower case. Commas and colons after words are words of their own. */
export type Words = readonly string[];

/** Value read from words, and the index of the word after it. */
export interface Read<Value> {
  readonly value: Value;
  readonly next: number;
}

/** Words with their places in the text. */
export interface SplitText {
  readonly words: Words;
  /** Offset of each word. */
  readonly offsets: readonly number[];
}

/** Splits a text into words. `mon-fri` is three words, `p.m.` is `pm`. */
export function splitText(text: string): SplitText {
  const words: string[] = [];
  const offsets: number[] = [];
  for (const { 0: written, index } of text.matchAll(/\S+/g)) {
    let offset = index;
    for (const word of splitWord(written.toLowerCase().replaceAll('’', "'"))) {
      words.push(/^[ap]\.m\.?$/.test(word) ? word.replaceAll('.', '') : word);
      offsets.push(offset);
      offset += word.length;
    }
  }
  return { words, offsets };
}

function splitWord(word: string): readonly string[] {
  const [, from = '', dash = '', to = ''] = /^(\p{L}+)([-–—])(\p{L}+),?$/u.exec(word) ?? [];
  if (WEEKDAYS.has(from) && WEEKDAYS.has(to)) return [from, dash, to, ...(word.endsWith(',') ? [','] : [])];
  const [, bare = '', sign = ''] = /^(.+?)([,:;])$/u.exec(word) ?? [];
  return sign === '' ? [word] : [bare, sign === ';' ? ',' : sign];
}

/** Reads `20`, `twenty`, `twenty five`. */
export function readNumber(words: Words, at: number): Read<number> | undefined {
  const word = words[at] ?? '';
  if (/^\d{1,4}$/.test(word)) return { value: Number(word), next: at + 1 };
  const number = NUMBERS.get(word);
  if (number === undefined) return undefined;
  const units = NUMBERS.get(words[at + 1] ?? '') ?? 0;
  const isCompound = number >= 20 && number % 10 === 0 && units > 0 && units < 10;
  return isCompound ? { value: number + units, next: at + 2 } : { value: number, next: at + 1 };
}
