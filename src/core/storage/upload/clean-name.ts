const MAX_BYTES = 255;
const FALLBACK = 'file';
/**
 * Cc, Cf (bidi overrides, zero width), Zl, Zp, lone surrogates and noncharacters. Joiners are kept: emoji need them.
 */
const UNSEEN = /(?!\u200c|\u200d)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Noncharacter_Code_Point}]/gu;
/** Names that Windows reserves, with any extension. "Naming Files, Paths, and Namespaces", Microsoft Learn. */
const RESERVED = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])(?=\.|$)/i;
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Returns a file name that is valid on all common systems: the last segment of a path in NFC, without invisible and
 * reserved characters, at most 255 bytes of UTF-8. Keeps the extension.
 */
export function cleanName(name: string): string {
  const last =
    name
      .slice(-4096)
      .toWellFormed()
      .replace(/(?<![\\/])[\\/]+$/, '')
      .split(/[\\/]/)
      .at(-1) ?? '';
  const visible = last
    .normalize('NFC')
    .replace(UNSEEN, '')
    .replace(/[<>:"|?*]/g, '_')
    .replace(/\s+/gu, ' ');
  // A leading dot hides the file on Unix. Windows drops a space or dot at the end.
  const trimmed = visible.replace(/^[. ]+/, '').replace(/(?<![. ])[. ]+$/, '');
  const safe = trimmed.replace(RESERVED, (word) => `${word}_`);
  return shorten(safe) || FALLBACK;
}

/** Cuts whole graphemes from the end of the stem; cuts the extension only if it is too long by itself. */
function shorten(name: string): string {
  if (Buffer.byteLength(name) <= MAX_BYTES) return name;
  const extension = /\.[^. ]{1,16}$/u.exec(name)?.[0] ?? '';
  const stem = name.slice(0, name.length - extension.length);
  return take(stem, MAX_BYTES - Buffer.byteLength(extension)).replace(/(?<![. ])[. ]+$/, '') + extension;
}

function take(text: string, maxBytes: number): string {
  let end = 0;
  let sizeBytes = 0;
  for (const { segment } of segmenter.segment(text)) {
    sizeBytes += Buffer.byteLength(segment);
    if (sizeBytes > maxBytes) break;
    end += segment.length;
  }
  return text.slice(0, end);
}
