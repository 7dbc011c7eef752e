import { type CutPageOptions, cutPage } from './cut-page.ts';
import type { FormattedText } from './to-entities.ts';

/** Returns all non-empty pages of a source; none for blank Markdown. */
export function paginateMarkdown(markdown: string, options: CutPageOptions = {}): FormattedText[] {
  const pages: FormattedText[] = [];
  let rest = markdown;
  while (rest.trim() !== '') {
    const { page, consumed, reopen } = cutPage(rest, options);
    if (page.text !== '') pages.push(page);
    rest = reopen + rest.slice(consumed);
  }
  return pages;
}
