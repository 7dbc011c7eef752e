import { DocumentUnreadableError } from '../document-error.ts';

/** Number of bytes that are examined to detect the encoding. */
const SAMPLE_BYTES = 64 * 1024;

/**
 * Decodes text: by its byte order mark, as UTF-8, else as Windows-1251 or Windows-1252.
 * @throws DocumentUnreadableError `damaged` if the bytes are not text.
 */
export function decodeText(bytes: Buffer): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  if (bytes.subarray(0, SAMPLE_BYTES).includes(0)) throw new DocumentUnreadableError('damaged');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder(isCyrillic(bytes) ? 'windows-1251' : 'windows-1252').decode(bytes);
  }
}

/** Detects Windows-1251: Cyrillic words consist of non-ASCII letters, western words contain single ones. */
function isCyrillic(bytes: Buffer): boolean {
  let high = 0;
  let inRuns = 0;
  for (let at = 1; at < Math.min(bytes.length, SAMPLE_BYTES); at += 1) {
    if ((bytes[at] ?? 0) < 0xc0) continue;
    high += 1;
    if ((bytes[at - 1] ?? 0) >= 0xc0) inRuns += 1;
  }
  return inRuns * 2 > high;
}
