const MAX_BYTES = 255;
const FALLBACK = 'file';
/** Cc, Cf (bidi overrides, zero width), Zl, Zp, lone surrogates, private use and noncharacters. Joiners stay: emoji need them. */
const UNSEEN = /(?!\u200c|\u200d)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Noncharacter_Code_Point}]/gu;
/** What no file may be called on Windows, whatever comes after the first dot. "Naming Files, Paths, and Namespaces", Microsoft Learn. */
const RESERVED = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])(?=\.|$)/i;
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * A name under which a file can be saved anywhere: the last step of a path, without what can't be seen or what some system
 * takes for its own, in NFC, at most 255 bytes of UTF-8 with its extension kept.
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
  // A leading dot would hide it, and a space or dot at the end is dropped by Windows without a word.
  const trimmed = visible.replace(/^[. ]+/, '').replace(/(?<![. ])[. ]+$/, '');
  const safe = trimmed.replace(RESERVED, (word) => `${word}_`);
  return shorten(safe) || FALLBACK;
}

/** Cuts whole graphemes from the end of the stem, of the extension only where it is that long itself. */
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
