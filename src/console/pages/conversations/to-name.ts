import type { Conversation } from '../../api/types.ts';

const MAX_FIRST_WORDS = 60;

/** Returns the title of a conversation, or its first words. */
export function toName({ title, first_words: firstWords }: Conversation, untitled: string): string {
  const words = firstWords.replace(/\s+/g, ' ').trim();
  const short = words.length > MAX_FIRST_WORDS ? `${words.slice(0, MAX_FIRST_WORDS - 1).toWellFormed()}…` : words;
  return title ?? (short === '' ? untitled : short);
}
