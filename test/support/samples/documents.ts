import { strToU8, zipSync } from 'fflate';

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

/** Returns a PDF with these pages. */
export function writePdf(pages: readonly string[], options: { readonly isEncrypted?: boolean } = {}): Buffer {
  const fontId = 3 + pages.length * 2;
  const kids = pages.map((_, index) => `${3 + index * 2} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    ...pages.flatMap((text, index) => {
      const stream = text === '' ? '' : `BT /F1 12 Tf 14 TL 72 720 Td ${text.split('\n').map(toShown).join(' T* ')} ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${4 + index * 2} 0 R /Resources << /Font << /F1 ${fontId} 0 R >> >> >>`,
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      ];
    }),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    `<< /Filter /Standard /V 1 /R 2 /P -4 /O <${'5a'.repeat(32)}> /U <${'a5'.repeat(32)}> >>`,
  ];
  const encryption = options.isEncrypted ? ` /Encrypt ${objects.length} 0 R /ID [<00> <00>]` : '';
  return writePdfObjects(
    objects.map((object) => Buffer.from(object, 'latin1')),
    encryption,
  );
}

function toShown(line: string): string {
  return `(${line.replaceAll(/[\\()]/g, '\\$&')}) Tj`;
}

/** Returns a Word document with these paragraphs; `# ` marks a heading. `prolog` precedes the XML of the text. */
export function writeDocx(paragraphs: readonly string[], prolog = ''): Buffer {
  const body = paragraphs.map((text) => {
    const style = text.startsWith('# ') ? '<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>' : '';
    return `<w:p>${style}<w:r><w:t xml:space="preserve">${text.replace(/^# /, '')}</w:t></w:r></w:p>`;
  });
  const types =
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>';
  return pack({
    '[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${types}</Types>`,
    '_rels/.rels': toRelations('officeDocument', 'word/document.xml'),
    'word/document.xml': `<?xml version="1.0" encoding="UTF-8"?>${prolog}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body.join('')}</w:body></w:document>`,
  });
}

/** Returns a workbook with one sheet of these cells. */
export function writeXlsx(sheet: string, rows: readonly (readonly (string | number)[])[]): Buffer {
  const cells = rows.map((row, at) => {
    const written = row.map((value, column) => {
      const ref = `${String.fromCharCode(65 + column)}${at + 1}`;
      return typeof value === 'number'
        ? `<c r="${ref}"><v>${value}</v></c>`
        : `<c r="${ref}" t="inlineStr"><is><t>${value}</t></is></c>`;
    });
    return `<row r="${at + 1}">${written.join('')}</row>`;
  });
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  return pack({
    '[Content_Types].xml':
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
    '_rels/.rels': toRelations('officeDocument', 'xl/workbook.xml'),
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="${sheet}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': toRelations('worksheet', 'worksheets/sheet1.xml'),
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${main}"><sheetData>${cells.join('')}</sheetData></worksheet>`,
  });
}

/** Returns an EPUB with these chapters in this order. */
export function writeEpub(chapters: readonly { readonly title: string; readonly text: string }[]): Buffer {
  const items = chapters.map((_, at) => `<item id="c${at}" href="c${at}.xhtml" media-type="application/xhtml+xml"/>`);
  const spine = chapters.map((_, at) => `<itemref idref="c${at}"/>`);
  const files = chapters.map(({ title, text }, at) => [
    // The file lists later chapters first: only the package defines the reading order.
    `OEBPS/c${at}.xhtml`,
    `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>-</title></head><body><h1>${title}</h1><p>${text}</p></body></html>`,
  ]);
  return pack({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml':
      '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    ...Object.fromEntries(files.toReversed()),
    'OEBPS/content.opf': `<package xmlns="http://www.idpf.org/2007/opf"><manifest>${items.join('')}</manifest><spine>${spine.join('')}</spine></package>`,
  });
}

/** Returns a ZIP of these files. */
export function pack(files: Readonly<Record<string, string | Uint8Array>>): Buffer {
  const entries = Object.entries(files).map(([path, content]) => [
    path,
    typeof content === 'string' ? strToU8(content) : content,
  ]);
  return Buffer.from(zipSync(Object.fromEntries(entries)));
}

function toRelations(type: string, target: string): string {
  const base = 'http://schemas.openxmlformats.org';
  return `<Relationships xmlns="${base}/package/2006/relationships"><Relationship Id="rId1" Type="${base}/officeDocument/2006/relationships/${type}" Target="${target}"/></Relationships>`;
}

/**
 * Returns a PDF of these objects, whose ids are 1, 2, …; the first one is the catalogue.
 * @param fields further ones of the trailer
 */
function writePdfObjects(objects: readonly (string | Buffer)[], fields = ''): Buffer {
  const chunks: Buffer[] = [Buffer.from('%PDF-1.5\n')];
  let length = chunks[0]?.length ?? 0;
  const add = (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
  };
  const offsets = objects.map((object, index) => {
    const offset = length;
    add(Buffer.from(`${index + 1} 0 obj\n`));
    add(Buffer.from(object));
    add(Buffer.from('\nendobj\n'));
    return offset;
  });
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R${fields} >>\nstartxref\n${length}\n%%EOF\n`;
  add(Buffer.from(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}${trailer}`));
  return Buffer.concat(chunks);
}

/** Returns a stream object. */
export function toPdfStream(dictionary: string, content: Buffer): Buffer {
  const head = Buffer.from(`<< ${dictionary} /Length ${content.length} >>\nstream\n`);
  return Buffer.concat([head, content, Buffer.from('\nendstream')]);
}

/** Returns a PDF with one page that draws with these operators, and these further objects, whose ids begin at 5. */
export function writeDrawnPdf(
  operators: string,
  {
    resources = '',
    box = '0 0 612 792',
    objects = [],
  }: { readonly resources?: string; readonly box?: string; readonly objects?: readonly (string | Buffer)[] } = {},
): Buffer {
  return writePdfObjects([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [${box}] /Contents 4 0 R /Resources << ${resources} >> >>`,
    toPdfStream('', Buffer.from(operators)),
    ...objects,
  ]);
}
