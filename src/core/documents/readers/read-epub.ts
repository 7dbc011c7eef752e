import { posix } from 'node:path';
import { Parser } from 'htmlparser2';
import { DocumentUnreadableError } from '../document-error.ts';
import { decodeText } from './decode-text.ts';
import type { DocumentReader } from './document-reader.ts';
import { htmlToText } from './read-html.ts';
import { unpack } from './unpack.ts';

const CONTAINER = 'META-INF/container.xml';
/** More chapters than any real book has. */
const MAX_CHAPTERS = 5000;
const READ = /^META-INF\/(container|encryption)\.xml$|\.(opf|x?html?|xml)$/i;

/** Reads the chapters of a book in reading order. */
export const readEpub: DocumentReader = async (bytes, { maxCharacters, maxUnpackedBytes }) => {
  const entries = unpack(bytes, maxUnpackedBytes, (name) => READ.test(name));
  const read = (path: string) => {
    const entry = entries.get(path);
    return entry && decodeText(entry);
  };
  const packagePath = listElements(read(CONTAINER) ?? '', 'rootfile')[0]?.['full-path'] ?? '';
  const listing = read(packagePath);
  if (listing === undefined) throw new DocumentUnreadableError('damaged');
  const hrefs = new Map(listElements(listing, 'item').map(({ id = '', href = '' }) => [id, href]));
  const chapters: string[] = [];
  let characters = 0;
  const spine = listElements(listing, 'itemref');
  for (const { idref = '' } of spine.slice(0, MAX_CHAPTERS)) {
    if (characters > maxCharacters) break;
    const href = decodeAddress(hrefs.get(idref)?.split('#', 1)[0] ?? '');
    const text = htmlToText(read(posix.join(posix.dirname(packagePath), href)) ?? '');
    chapters.push(text);
    characters += text.length;
  }
  const isProtected = chapters.every((text) => text === '') && entries.has('META-INF/encryption.xml');
  if (isProtected) throw new DocumentUnreadableError('encrypted');
  const readShare = chapters.length < spine.length ? chapters.length / spine.length : undefined;
  return { text: chapters.filter((text) => text !== '').join('\n\n'), readShare };
};

function decodeAddress(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    // Some programs write an unescaped percent sign.
    return href;
  }
}

/**
 * Lists the attributes of all elements of a name, in any namespace. The parser does not expand entities that the
 * document defines.
 */
function listElements(xml: string, wanted: string): readonly Readonly<Record<string, string>>[] {
  const found: Record<string, string>[] = [];
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (name === wanted || name.endsWith(`:${wanted}`)) found.push(attributes);
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return found;
}
