import { compile } from 'html-to-text';
import { decodeText } from './decode-text.ts';
import type { DocumentReader } from './document-reader.ts';

const toText = compile({
  wordwrap: false,
  limits: { maxInputLength: 20_000_000, maxDepth: 200, ellipsis: '' },
  selectors: [
    { selector: 'img', format: 'skip' },
    { selector: 'nav', format: 'skip' },
    { selector: 'a', options: { ignoreHref: true } },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    { selector: 'table', format: 'dataTable', options: { uppercaseHeaderCells: false, maxColumnWidth: 200 } },
  ],
});

/** The words of a page: headings, lists and tables as text, nothing of scripts, pictures and addresses. */
export function htmlToText(html: string): string {
  return toText(html).trim();
}

/** A page as it was saved. */
export const readHtml: DocumentReader = async (bytes) => ({ text: htmlToText(decodeText(bytes)) });
