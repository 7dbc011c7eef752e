import { TextDecoder } from 'node:util';

/** Types that browsers display without executing their content, with their usual extensions. */
const EXTENSIONS: Readonly<Record<string, readonly string[]>> = {
  'image/png': ['png'],
  'image/jpeg': ['jpg', 'jpeg'],
  'image/webp': ['webp'],
  'image/gif': ['gif'],
  'image/avif': ['avif'],
  'video/mp4': ['mp4', 'm4v'],
  'video/webm': ['webm'],
  'audio/mpeg': ['mp3'],
  'audio/ogg': ['ogg', 'oga', 'opus'],
  'audio/wav': ['wav'],
  'text/plain': ['txt', 'log', 'md'],
};

/** Types that are sent as they are, because browsers only save them. */
const HARMLESS =
  /^(?:(?:audio|font|video)\/[\w.+-]+|image\/(?![\w.-]+\+)[\w.-]+|text\/(?:csv|markdown)|application\/(?:gzip|json|msword|ogg|rtf|vnd\.(?:android|ms|oasis|openxmlformats|rar)[\w.-]*|x-(?:7z-compressed|bzip2|tar|xz)|zip|zstd|epub\+zip))$/;

const UNKNOWN_TYPE = 'application/octet-stream';

/** Kind of preview. */
export type PreviewKind = 'image' | 'audio' | 'video' | 'text';

/** Types previewed as text although browsers don't display them. */
const READABLE = new Set(['text/markdown', 'text/csv', 'application/json']);

/** Returns true if browsers display this type without executing its content. */
export function isShownByBrowsers(mediaType: string): boolean {
  return EXTENSIONS[toPlainType(mediaType)] !== undefined;
}

/** Returns the kind of a safe preview for the type, undefined if there is none. */
export function findPreviewKind(mediaType: string): PreviewKind | undefined {
  const type = toPlainType(mediaType);
  if (READABLE.has(type)) return 'text';
  if (EXTENSIONS[type] === undefined) return undefined;
  const [family] = type.split('/');
  return family === 'image' || family === 'audio' || family === 'video' || family === 'text' ? family : undefined;
}

/**
 * Returns the `Content-Type` of a download: `application/octet-stream` for unknown types and those that a browser might
 * execute (HTML, SVG, XML, scripts, style sheets). Texts keep the charset that their uploader declared.
 */
export function toServedType(mediaType: string): string {
  const type = toPlainType(mediaType);
  const charset = findCharset(mediaType) ?? (type === 'text/plain' ? 'utf-8' : undefined);
  if (READABLE.has(type) || type === 'text/plain') return charset === undefined ? type : `${type}; charset=${charset}`;
  return EXTENSIONS[type] !== undefined || HARMLESS.test(type) ? type : UNKNOWN_TYPE;
}

const TYPE_BY_EXTENSION = new Map(
  Object.entries(EXTENSIONS).flatMap(([type, extensions]) => extensions.map((extension) => [extension, type] as const)),
);

/** Returns the given type; if there is none, a harmless type by the extension of the file name. */
export function toMediaType(given: string | undefined, fileName: string): string | undefined {
  if (given !== undefined && toPlainType(given) !== UNKNOWN_TYPE) return given;
  const extension = /\.([a-z0-9]{1,5})$/i.exec(fileName)?.[1]?.toLowerCase();
  return (extension === undefined ? undefined : TYPE_BY_EXTENSION.get(extension)) ?? given;
}

/** Decodes the beginning of a text by its byte order mark, its declared charset, or else as UTF-8. */
export function decodePreview(bytes: Buffer, mediaType: string, { isCut }: { readonly isCut: boolean }): string {
  const [first, second] = bytes;
  const marked =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
  const isUtf8 = first === 0xef && second === 0xbb && bytes[2] === 0xbf;
  const charset = marked ?? (isUtf8 ? 'utf-8' : findCharset(mediaType));
  // With `stream` an incomplete character at the end is omitted.
  return createDecoder(charset).decode(bytes, { stream: isCut });
}

function createDecoder(charset: string | undefined): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    // A charset that browsers don't know either.
    return new TextDecoder();
  }
}

function findCharset(mediaType: string): string | undefined {
  return /;\s*charset=([\w.:+-]{1,40})$/i.exec(mediaType)?.[1];
}

/** Aliases of the types above. */
const SYNONYMS: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'audio/mp3': 'audio/mpeg',
  'audio/wave': 'audio/wav',
  'audio/x-wav': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
};

/** Normalizes a type: no parameters, lower case, aliases resolved. */
function toPlainType(mediaType: string): string {
  const type = mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return SYNONYMS[type] ?? type;
}
