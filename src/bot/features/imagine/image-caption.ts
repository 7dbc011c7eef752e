import type { MessageEntity } from 'grammy/types';

/** Telegram's limit in UTF-16 units. */
const MAX_CAPTION = 1024;

/** Caption of an image. */
export interface ImageCaption {
  readonly caption: string;
  readonly caption_entities: MessageEntity[];
}

/**
 * Returns the prompt, cut to fit, and a line of details. Both are formatted as code: Telegram detects no commands,
 * names or links there, and a tap copies the prompt.
 */
export function toImageCaption(prompt: string, details: readonly string[]): ImageCaption {
  const line = details.join(' · ');
  const words = cutText(prompt, MAX_CAPTION - line.length - 1);
  const entity = (offset: number, length: number): MessageEntity => ({ type: 'code', offset, length });
  const entities = [entity(0, words.length), entity(words.length + 1, line.length)];
  return { caption: `${words}\n${line}`, caption_entities: entities.filter(({ length }) => length > 0) };
}

/** Formats seeds in their order, with consecutive ones as a range: `7–10`, `7, 12`. */
export function toSeedList(seeds: readonly number[]): string {
  const runs: { readonly first: number; last: number }[] = [];
  for (const seed of seeds) {
    const run = runs.at(-1);
    if (run && seed === run.last + 1) run.last = seed;
    else runs.push({ first: seed, last: seed });
  }
  return runs.map(({ first, last }) => (first === last ? `${first}` : `${first}–${last}`)).join(', ');
}

/** Cuts a text to `maxLength` UTF-16 units without splitting a grapheme. */
function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  let kept = '';
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)) {
    if (kept.length + segment.length > maxLength - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}
