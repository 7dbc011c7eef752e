import { type CutPageOptions, cutPage } from './cut-page.ts';
import type { FormattedText } from './to-entities.ts';

/** All pages of a source, none of them blank; blank Markdown has no pages. */
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
