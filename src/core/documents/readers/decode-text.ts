import { DocumentUnreadableError } from '../document-error.ts';
import { detectMultiByte } from './detect-multi-byte.ts';
import { detectSingleByte } from './detect-single-byte.ts';
import { decodeStrictly, SAMPLE_BYTES } from './strict-decoding.ts';

/** Control characters of text: tab, line feed, vertical tab, form feed, carriage return, end of file, escape. */
const TEXT_CONTROLS: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1a, 0x1b]);

/**
 * Decodes text: by its byte order mark, as UTF-8, else by the older encoding that it is most plausible in.
 * @throws DocumentUnreadableError `damaged` if the bytes are not text, `encoding` if its encoding can't be told.
 */
export function decodeText(bytes: Buffer): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  if (sample.includes(0) || sample.toString('latin1', 0, 5) === '{\\rtf') throw new DocumentUnreadableError('damaged');
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!hasEscapes(text.slice(0, SAMPLE_BYTES))) return text;
  } catch {
    // It is of an older encoding.
  }
  if (sample.some((byte) => byte < 0x20 && !TEXT_CONTROLS.has(byte))) throw new DocumentUnreadableError('damaged');
  const encoding = detectEncoding(bytes);
  const text = encoding === undefined ? undefined : decodeStrictly(bytes, encoding);
  if (text === undefined) throw new DocumentUnreadableError('encoding');
  // Vietnamese has its tone marks as characters of their own.
  return text.normalize('NFC');
}

/**
 * Detects the encoding of a text that is not Unicode. Decodes strictly with every candidate and compares how plausible
 * the results are in the languages of each.
 * @returns undefined if no candidate is plausible, or two with different results are.
 */
function detectEncoding(bytes: Buffer): string | undefined {
  if (hasEscapes(bytes.toString('latin1', 0, SAMPLE_BYTES))) return 'iso-2022-jp';
  return detectMultiByte(bytes) ?? detectSingleByte(bytes);
}

/** Returns whether a text has the escape sequences of Japanese e-mail, whose bytes are ASCII otherwise. */
function hasEscapes(text: string): boolean {
  return text.includes('\u001b$B') || text.includes('\u001b$@');
}
