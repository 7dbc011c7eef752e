/** Returns a PDF of these objects, whose ids are 1, 2, …; the first one is the catalogue. */
function writePdfObjects(objects: readonly (string | Buffer)[]): Buffer {
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
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${length}\n%%EOF\n`;
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
