import { writeDocx, writeEpub } from './write-documents.ts';

const SPAN = 1_000_000_000;
const HTML_TABLE = `<table><tr><td colspan="${SPAN}">a</td></tr></table>`;
const WORD_TABLE = `<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="${SPAN}"/></w:tcPr><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc></w:tr></w:tbl>`;

/** Table with one cell that spans a billion columns, in each format with tables. The text of each is `a`. */
export const WIDE_TABLES = [
  { fileName: 'wide.html', mimeType: 'text/html', bytes: Buffer.from(HTML_TABLE) },
  {
    fileName: 'wide.docx',
    mimeType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    bytes: writeDocx([`</w:t></w:r></w:p>${WORD_TABLE}<w:p><w:r><w:t>`]),
  },
  {
    fileName: 'wide.epub',
    mimeType: 'application/epub+zip',
    bytes: writeEpub([{ title: '', text: HTML_TABLE }]),
  },
] as const;

/** HTML that takes its parser minutes: each closing tag is searched for among all open ones. */
export const SLOW_HTML = Buffer.from(`${'<div>'.repeat(400_000)}${'</b>'.repeat(400_000)}`);
