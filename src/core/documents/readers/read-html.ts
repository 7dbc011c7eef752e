import { compile } from 'html-to-text';
import { decodeText } from './decode-text.ts';
import type { DocumentReader } from './document-reader.ts';
import { formatOrderedList, formatTable } from './html-formatters.ts';

const LIMITS = { maxInputLength: 20_000_000, maxDepth: 200, ellipsis: '' };
const SKIPPED = ['img', 'nav', 'svg', 'noscript', 'template', 'iframe', 'button'];
/** Elements outside the main content of a page. */
const AROUND = ['footer', 'aside', 'form'];
const MAX_TITLE_CHARACTERS = 500;

const toOptions = (skipped: readonly string[]) => ({
  wordwrap: false as const,
  formatters: { lines: formatTable, boundedList: formatOrderedList },
  selectors: [
    ...skipped.map((selector) => ({ selector, format: 'skip' })),
    { selector: 'a', options: { ignoreHref: true } },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    { selector: 'ol', format: 'boundedList' },
    { selector: 'table', format: 'lines' },
  ],
});

const toText = compile({ ...toOptions(SKIPPED), limits: LIMITS });
const toMainText = compile({
  ...toOptions([...SKIPPED, ...AROUND]),
  limits: { ...LIMITS, maxBaseElements: 1 },
  baseElements: { selectors: ['main', 'article', 'body'], orderBy: 'selectors', returnDomByDefault: true },
});
/** Converts an HTML fragment to text: headings, lists and tables, without scripts, images and link targets. */
export function htmlToText(html: string): string {
  return toText(html).trim();
}

/** Reads a page: its title and its main content if it has one `main` or `article` element, else all of it. */
export const readHtml: DocumentReader = async (bytes) => {
  const html = decodeHtml(bytes);
  // A page with several articles has no main one.
  const hasOneArticle = /<main[\s>]/i.test(html) || html.split(/<article[\s>]/i, 3).length === 2;
  const text = ((hasOneArticle && toMainText(html).trim()) || htmlToText(html)).replace(/\n{3,}/g, '\n\n');
  const title = htmlToText(/<title[^>]{0,200}>([^<]{1,500})/i.exec(html)?.[1] ?? '').slice(0, MAX_TITLE_CHARACTERS);
  return { text: title === '' || text.startsWith(title) || text === '' ? text : `${title}\n\n${text}` };
};

/** Decodes a page in the charset that it declares, if any: single-byte charsets can't be told apart by their bytes. */
function decodeHtml(bytes: Buffer): string {
  const named = /<meta[^>]{1,200}charset=["']?\s*([\w-]{1,40})/i.exec(bytes.toString('latin1', 0, 4096))?.[1];
  const decoder = named !== undefined && !/^utf/i.test(named) ? findDecoder(named) : undefined;
  return decoder && !bytes.includes(0) ? decoder.decode(bytes) : decodeText(bytes);
}

function findDecoder(charset: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(charset);
  } catch {
    return undefined;
  }
}
