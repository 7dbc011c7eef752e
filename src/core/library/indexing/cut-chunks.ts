import { countCharacters } from '../../../lib/text.ts';

/** Part of a text that is found as a whole. */
export interface Chunk {
  readonly text: string;
  /** Range in the text, in characters (code points), as the database counts them. */
  readonly start: number;
  readonly length: number;
}

/** UTF-16 units of a chunk: some paragraphs, so that a snippet is near the words that were found. */
const MAX_CHUNK_UNITS = 2000;
/** Ends of chunks, the best first. */
const BREAKS = ['\n\n', '\n', '. ', ' '];

/** Cuts a text into chunks that end at paragraphs, lines, sentences or words where possible. */
export function cutChunks(text: string): readonly Chunk[] {
  const chunks: Chunk[] = [];
  let from = 0;
  let start = 0;
  while (from < text.length) {
    const chunk = text.slice(from, findEnd(text, from));
    const length = countCharacters(chunk);
    if (chunk.trim() !== '') chunks.push({ text: chunk, start, length });
    from += chunk.length;
    start += length;
  }
  return chunks;
}

/** Returns the end of the chunk that begins at `from`. */
function findEnd(text: string, from: number): number {
  const last = from + MAX_CHUNK_UNITS;
  if (last >= text.length) return text.length;
  const part = text.slice(from, last);
  for (const end of BREAKS) {
    const index = part.lastIndexOf(end);
    if (index > MAX_CHUNK_UNITS / 2) return from + index + end.length;
  }
  // Not between the halves of a character.
  return isHighSurrogate(text.charCodeAt(last - 1)) ? last - 1 : last;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
