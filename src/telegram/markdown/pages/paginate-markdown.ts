import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { isBlank } from '../../../lib/text.ts';
import type { FormattedText } from '../to-entities.ts';
import { type CutPageOptions, cutPage } from './cut-page.ts';

/** Returns all non-empty pages of a source; none for blank Markdown. */
export function paginateMarkdown(markdown: string, options: CutPageOptions = {}): FormattedText[] {
  return [...cutPages(markdown, options)].filter((page) => page.text !== '');
}

const STEP_CHARACTERS = 5000;
/** Matches text that begins with a word, which no syntax of Markdown hides. Some letters are blank. */
const BEGINS_WITH_WORD = /^\s*([\p{L}\p{N}])/u;

/** Returns whether nothing of a source is visible once it is rendered. Yields to the event loop between pages. */
export async function isBlankMarkdown(markdown: string): Promise<boolean> {
  if (!isBlank(BEGINS_WITH_WORD.exec(markdown)?.[1] ?? '')) return false;
  const visibleAt = await skipBlank(markdown);
  for (const page of cutPages(markdown.slice(visibleAt), {})) {
    if (page.text !== '') return false;
    await yieldToEventLoop();
  }
  return true;
}

/** Returns the number of characters at the start that need no parser to be blank, in steps. */
async function skipBlank(text: string): Promise<number> {
  let position = 0;
  while (position < text.length && isBlank(text.slice(position, position + STEP_CHARACTERS))) {
    position += STEP_CHARACTERS;
    await yieldToEventLoop();
  }
  return position;
}

function* cutPages(markdown: string, options: CutPageOptions): Generator<FormattedText> {
  let rest = markdown;
  while (rest.trim() !== '') {
    const { page, consumed, reopen } = cutPage(rest, options);
    yield page;
    rest = reopen + rest.slice(consumed);
  }
}
