import { getDocumentProxy } from 'unpdf';
import { DocumentUnreadableError } from '../document-error.ts';
import type { DocumentReader } from './document-reader.ts';

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

/** Reads a PDF page by page. Each page begins with its number, because users ask about pages. */
export const readPdf: DocumentReader = async (bytes, { maxCharacters, maxPages }) => {
  const pdf = await open(bytes);
  const pageCount = pdf.numPages;
  const pages: string[] = [];
  let characters = 0;
  let hasWords = false;
  for (let number = 1; number <= Math.min(pageCount, maxPages) && characters < maxCharacters; number += 1) {
    const text = await readPage(pdf, number);
    hasWords ||= text !== '';
    pages.push(`[page ${number}]\n${text}`);
    characters += text.length;
  }
  if (!hasWords) throw new DocumentUnreadableError('scanned', { pageCount });
  const readShare = pages.length < pageCount ? pages.length / pageCount : undefined;
  return { text: pages.join('\n\n'), pageCount, readShare };
};

async function open(bytes: Buffer): Promise<Pdf> {
  try {
    return await getDocumentProxy(new Uint8Array(bytes), {
      // Nothing is rendered.
      disableFontFace: true,
      useSystemFonts: false,
      stopAtErrors: false,
      verbosity: 0,
    });
  } catch (error) {
    if (error instanceof Error && error.name === 'PasswordException')
      throw new DocumentUnreadableError('encrypted', { cause: error });
    throw error;
  }
}

async function readPage(pdf: Pdf, number: number): Promise<string> {
  const page = await pdf.getPage(number);
  const { items } = await page.getTextContent();
  const text = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('');
  page.cleanup();
  return text.replaceAll(/(?<![ \t])[ \t]+\n/g, '\n').trim();
}
