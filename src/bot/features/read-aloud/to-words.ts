import { MAX_SPOKEN_CHARACTERS } from '../../../core/models/index.ts';
import { toSpokenText } from '../../../telegram/markdown/index.ts';
import type { Texts } from '../../texts/locales.ts';

/** An answer as it is read aloud; empty where there is nothing to say. What is too long ends with a sentence, and says so. */
export function toWords(markdown: string, { voice }: Pick<Texts, 'voice'>): string {
  const words = toSpokenText(markdown, voice.signs);
  if (words.length <= MAX_SPOKEN_CHARACTERS) return words;
  const room = words.slice(0, MAX_SPOKEN_CHARACTERS - voice.rest.length - 2).toWellFormed();
  return `${room.slice(0, findEnd(room))}\n\n${voice.rest}`;
}

/** Behind the last sentence in the second half, else the last word. */
function findEnd(text: string): number {
  const ends = [...text.matchAll(/[.!?…。！？](?=\s)|\n/g)].map((found) => found.index + 1);
  const end = ends.at(-1) ?? 0;
  if (end > text.length / 2) return end;
  const space = text.lastIndexOf(' ');
  return space > text.length / 2 ? space : text.length;
}
