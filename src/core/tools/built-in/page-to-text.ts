import { compile } from 'html-to-text';

/** An article has far less; what is longer is cut before it costs time. */
const MAX_CHARACTERS = 1_500_000;

/** The article where the page says which part it is, else all of it; without what only a browser needs. */
const toText = compile({
  wordwrap: false,
  baseElements: { selectors: ['main', 'article', 'body'], orderBy: 'selectors', returnDomByDefault: true },
  limits: { maxBaseElements: 1, maxDepth: 60, ellipsis: '…' },
  selectors: [
    ...['nav', 'footer', 'aside', 'form', 'button', 'noscript', 'template', 'svg', 'img', 'iframe'].map((selector) => ({
      selector,
      format: 'skip',
    })),
    { selector: 'a', options: { ignoreHref: true } },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    { selector: 'table', format: 'dataTable', options: { uppercaseHeaderCells: false, maxColumnWidth: 40 } },
  ],
});

/**
 * The text of a page, with its title above it. What is no HTML but text (JSON, plain words) stays as it is; undefined where it is
 * neither. Takes its time, for some pages more than anybody has.
 */
export function pageToText(bytes: Uint8Array): string | undefined {
  const page = decode(bytes).slice(0, MAX_CHARACTERS);
  if (page.includes('\0')) return undefined;
  if (!/<(?:!doctype|html|head|body|div|p|article|main)[\s>]/i.test(page.slice(0, 10_000))) return page.trim();
  const title = /<title[^>]{0,200}>([^<]{1,500})/i.exec(page)?.[1];
  const text = toText(page)
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return title === undefined ? text : `${toText(title).trim()}\n\n${text}`;
}

function decode(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, 2048)).toString('latin1');
  const named = /<meta[^>]+charset=["']?\s*([\w-]{1,40})/i.exec(head)?.[1];
  return findDecoder(named ?? 'utf-8').decode(bytes);
}

function findDecoder(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
