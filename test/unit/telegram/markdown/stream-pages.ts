import { cutPage, type FormattedText } from '../../../../src/telegram/markdown/index.ts';

/** Returns the pages that a user sees of a growing answer: a page is final as soon as something doesn't fit it. */
export function streamPages(markdown: string, stepUnits: number, maxUnits = 4096): FormattedText[] {
  const pages: FormattedText[] = [];
  let prefix = '';
  let position = 0;
  const freeze = (end: number, isPartial: boolean): void => {
    for (;;) {
      const source = prefix + markdown.slice(position, end);
      const cut = cutPage(source, { maxUnits, isPartial });
      if (cut.consumed >= source.length) {
        if (!isPartial && cut.page.text !== '') pages.push(cut.page);
        return;
      }
      pages.push(cut.page);
      position += cut.consumed - prefix.length;
      prefix = cut.reopen;
    }
  };
  for (let end = stepUnits; end < markdown.length; end += stepUnits) freeze(end, true);
  freeze(markdown.length, false);
  return pages;
}
