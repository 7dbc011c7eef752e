/** Format of a document; selects its reader. */
export type DocumentKind = 'pdf' | 'docx' | 'xlsx' | 'epub' | 'html' | 'text';

/** Facts about a file before it is opened. */
export interface DocumentName {
  readonly name: string;
  readonly mediaType?: string | undefined;
}

const BY_EXTENSION: Readonly<Record<string, DocumentKind>> = {
  pdf: 'pdf',
  docx: 'docx',
  docm: 'docx',
  xlsx: 'xlsx',
  xlsm: 'xlsx',
  epub: 'epub',
  html: 'html',
  htm: 'html',
  xhtml: 'html',
};

const BY_MEDIA_TYPE: Readonly<Record<string, DocumentKind>> = {
  'application/pdf': 'pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/epub+zip': 'epub',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
};

/** Extensions of plain text formats; Telegram knows the media types of few of them. */
const TEXT_EXTENSIONS: ReadonlySet<string> = new Set(
  `txt text md markdown mdx rst adoc asciidoc org tex bib csv tsv json jsonl ndjson json5 geojson yaml yml toml ini cfg conf env
  properties xml svg xsd xsl plist log diff patch srt vtt ass po pot ics vcf eml
  js mjs cjs jsx ts mts cts tsx vue svelte css scss sass less py pyi ipynb rb php pl pm lua r jl m java kt kts scala groovy
  gradle c h cc cpp cxx hpp hxx cs fs vb go rs swift dart zig nim hs elm ml mli clj cljs ex exs erl lisp el scm sql graphql proto
  sh bash zsh fish ps1 bat cmd dockerfile makefile mk cmake tf hcl nix asm s v sv vhd pas f90 cob sol wat gitignore editorconfig`.split(
    /\s+/,
  ),
);

const TEXT_MEDIA_TYPES =
  /^(text\/(?!rtf|richtext).+|application\/(.+\+)?(json|xml|yaml|x-yaml|toml|javascript|typescript|sql|graphql|x-sh|x-httpd-php|x-python|x-tex|x-subrip))$/;

/**
 * Returns the kind of a document, or undefined if there is no reader for it. The extension goes before the media type,
 * because Telegram's types are often guesses.
 */
export function findDocumentKind({ name, mediaType = '' }: DocumentName): DocumentKind | undefined {
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  const type = mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const found = BY_EXTENSION[extension] ?? (TEXT_EXTENSIONS.has(extension) ? 'text' : undefined);
  return found ?? BY_MEDIA_TYPE[type] ?? (TEXT_MEDIA_TYPES.test(type) ? 'text' : undefined);
}

/** Returns whether a file is a PDF, judged by its name and type. */
export function isPdf(document: DocumentName): boolean {
  return findDocumentKind(document) === 'pdf';
}

/** Pages with less text on average are scanned pages, some of them with the name of the scanner's app. */
const FEW_CHARACTERS = 40;

/**
 * Returns whether the pages of a PDF are images, judged by their text.
 * @param text as read from the document; empty if it has none.
 */
export function isScanned(text: string, pageCount: number): boolean {
  const words = text.replaceAll(/\[page \d+\]|\s/g, '');
  return words.length < FEW_CHARACTERS * pageCount;
}

/**
 * Detects the kind of a downloaded page by its first bytes: servers often send a wrong type. Skips a byte order mark.
 */
export function findPageKind(bytes: Buffer): DocumentKind {
  const head = bytes
    .toString('latin1', 0, 1024)
    .replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '')
    .replaceAll('\0', '')
    .trimStart();
  if (head.startsWith('%PDF-')) return 'pdf';
  return head.startsWith('<') ? 'html' : 'text';
}
