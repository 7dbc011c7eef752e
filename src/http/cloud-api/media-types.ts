/** Types that a browser shows without running anything of what is in them, by the extensions they usually have. */
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
const TYPE_BY_EXTENSION = new Map(
  Object.entries(EXTENSIONS).flatMap(([type, extensions]) => extensions.map((extension) => [extension, type] as const)),
);

/** Other names of the types above. */
const SYNONYMS: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'audio/mp3': 'audio/mpeg',
  'audio/wave': 'audio/wav',
  'audio/x-wav': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
};

/** Told to the client because no browser does more with them than save them. */
const HARMLESS =
  /^(?:(?:audio|font|video)\/[\w.+-]+|image\/(?![\w.-]+\+)[\w.-]+|text\/(?:csv|markdown)|application\/(?:gzip|json|msword|ogg|rtf|vnd\.(?:android|ms|oasis|openxmlformats|rar)[\w.-]*|x-(?:7z-compressed|bzip2|tar|xz)|zip|zstd|epub\+zip))$/;

const UNKNOWN_TYPE = 'application/octet-stream';

/** How a page shows a file. */
export type PreviewKind = 'image' | 'audio' | 'video' | 'text';

/** Read as text on a page, though browsers do not show them by themselves. */
const READABLE = new Set(['text/markdown', 'text/csv', 'application/json']);

/** Whether a browser shows bytes of this type, and runs nothing of what is in them. */
export function isShownByBrowsers(mediaType: string): boolean {
  return EXTENSIONS[toPlainType(mediaType)] !== undefined;
}

/** How a page can show a file of this type without danger; undefined where it can only be saved. */
export function findPreviewKind(mediaType: string): PreviewKind | undefined {
  const type = toPlainType(mediaType);
  if (READABLE.has(type)) return 'text';
  if (EXTENSIONS[type] === undefined) return undefined;
  const [family] = type.split('/');
  return family === 'image' || family === 'audio' || family === 'video' || family === 'text' ? family : undefined;
}

/**
 * The `Content-Type` of a download. Whatever a browser might run (HTML, SVG, XML, scripts, style sheets) or nobody knows is
 * `application/octet-stream`.
 */
export function toServedType(mediaType: string): string {
  const type = toPlainType(mediaType);
  if (type === 'text/plain') return 'text/plain; charset=utf-8';
  return EXTENSIONS[type] !== undefined || HARMLESS.test(type) ? type : UNKNOWN_TYPE;
}

/** The type that the sender named; where it named none, what the name of the file tells of harmless types. */
export function toMediaType(given: string | undefined, fileName: string): string | undefined {
  if (given !== undefined && toPlainType(given) !== UNKNOWN_TYPE) return given;
  const extension = /\.([a-z0-9]{1,5})$/i.exec(fileName)?.[1]?.toLowerCase();
  return (extension === undefined ? undefined : TYPE_BY_EXTENSION.get(extension)) ?? given;
}

/** Without parameters, in lower case, by its usual name. */
function toPlainType(mediaType: string): string {
  const type = mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return SYNONYMS[type] ?? type;
}
