import { createHash } from 'node:crypto';
import { toStorableText } from '../../database/storable.ts';
import { toOneLine } from '../../lib/one-line.ts';

/** Maximum number of characters of a memory. Short lines keep prompts small and fit completely into a question to the user. */
export const MAX_MEMORY_CHARACTERS = 300;

/** Returns a text as one line that can be stored: without line breaks and control characters. */
export function toMemoryText(text: string): string {
  return toOneLine(toStorableText(text).normalize('NFC'));
}

/** Returns a hash that is equal for texts that differ only in case, in forms of characters and in their last punctuation. */
export function toDigest(text: string): string {
  const comparable = trimPunctuation(toMemoryText(text).normalize('NFKC').toLowerCase());
  return createHash('sha256').update(comparable).digest('base64url');
}

/** Returns the text without punctuation at its end; unchanged if it is nothing else. */
function trimPunctuation(text: string): string {
  let end = text.length;
  while (end > 0 && /[\s.,;:!?…]/.test(text.charAt(end - 1))) end -= 1;
  return end === 0 ? text : text.slice(0, end);
}
