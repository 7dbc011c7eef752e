import type { User } from 'grammy/types';
import { toOneLine } from '../../lib/text.ts';

export function toFullName({ first_name: firstName, last_name: lastName }: User): string {
  return [firstName, lastName].filter(Boolean).join(' ');
}

const MAX_CHARACTERS = 60;
const ENDING_CHARACTERS = 12;
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Returns a file name for a line of text: without invisible and direction-changing characters, and shortened in the
 * middle.
 */
export function toShownName(name: string): string {
  const visible = name
    .toWellFormed()
    .replace(/(?!\u200c|\u200d)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .trim();
  const characters = Array.from(segmenter.segment(visible.slice(0, 4096)), ({ segment }) => segment);
  if (characters.length <= MAX_CHARACTERS) return visible || '…';
  const head = characters.slice(0, MAX_CHARACTERS - ENDING_CHARACTERS - 1);
  return `${head.join('')}…${characters.slice(-ENDING_CHARACTERS).join('')}`;
}

const MAX_SEARCH_CHARACTERS = 100;

/** Normalizes search text to the form of stored names; undefined if it is empty. */
export function toSearch(text: string): string | undefined {
  return (
    Array.from(toOneLine(text.normalize('NFC')))
      .slice(0, MAX_SEARCH_CHARACTERS)
      .join('')
      .trim() || undefined
  );
}
