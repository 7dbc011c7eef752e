import { deflateSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { createDocumentTexts } from '../../../../src/core/documents/index.ts';
import { pack, writeDocx, writeEpub, writePdf, writeXlsx } from '../../../support/samples/documents.ts';

const texts = createDocumentTexts();
afterAll(() => texts.close());
const signal = AbortSignal.timeout(120_000);

let nextPersonId = 1;
const toRequest = (bytes: Buffer | string, userId = nextPersonId++) => ({
  userId,
  load: async () => Buffer.from(bytes as string),
  signal,
});
const read = (name: string, bytes: Buffer | string, from = texts) => from.read({ name }, toRequest(bytes));
const problemOf = (name: string, bytes: Buffer | string, from = texts) =>
  expect(read(name, bytes, from)).rejects.toMatchObject({ name: 'DocumentUnreadableError' });

/** A table in a Word document, around the number of columns that its cell spans. */
const SPANNING_CELL = '</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="';
const AFTER_SPAN = '"/></w:tcPr><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc></w:tr></w:tbl><w:p><w:r><w:t>';

describe('the text of a document', () => {
  it('is extracted from a PDF page by page', async () => {
    const { text, pageCount, share } = await read('a.pdf', writePdf(['The fox\nsleeps (well)', 'The hare runs']));
    expect(text).toBe('[page 1]\nThe fox\nsleeps (well)\n\n[page 2]\nThe hare runs');
    expect({ pageCount, share }).toEqual({ pageCount: 2, share: 1 });
  });

  it('is extracted from a Word document with its headings', async () => {
    const { text } = await read('a.docx', writeDocx(['# Plan', 'Buy milk &amp; bread', 'Купить хлеб']));
    expect(text).toMatch(/^Plan\n+Buy milk & bread\n+Купить хлеб$/);
  });

  it('is extracted from a workbook, one line per row', async () => {
    const rows = [
      ['item', 'price'],
      ['tea', 4.5],
      ['a\nb', 7],
    ];
    const { text } = await read('a.xlsx', writeXlsx('Prices', rows));
    expect(text).toBe('[sheet Prices]\nitem\tprice\ntea\t4.5\na b\t7');
  });

  it('is extracted from a book in reading order', async () => {
    const chapters = [
      { title: 'One', text: 'It was night.' },
      { title: 'Two', text: 'It was day.' },
    ];
    const { text } = await read('a.epub', writeEpub(chapters));
    expect(text).toMatch(/^One\n+It was night\.\n+Two\n+It was day\.$/);
  });

  it('is extracted from a web page without scripts, styles and addresses', async () => {
    const page =
      '<html><head><style>p{}</style><script>alert(1)</script></head><body><h1>Tea</h1><p>See <a href="https://example.org/x">this</a>.</p><ul><li>green</li></ul></body></html>';
    const { text } = await read('a.html', page);
    expect(text).toContain('Tea');
    expect(text).toContain('See this.');
    expect(text).toContain('green');
    expect(text).not.toMatch(/alert|example\.org|p\{\}/);
  });

  it.each([
    ['UTF-8', Buffer.from('naïve чай')],
    ['UTF-8 with a mark', Buffer.from('\ufeffnaïve чай')],
    ['UTF-16', Buffer.from('\ufeffnaïve чай', 'utf16le')],
  ])('is read as plain text from %s', async (_, bytes) => {
    expect((await read('a.csv', bytes)).text).toBe('naïve чай');
  });

  it('is decoded from old encodings', async () => {
    const cyrillic = Buffer.from([0xef, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]);
    expect((await read('a.txt', cyrillic)).text).toBe('привет');
    expect((await read('a.txt', Buffer.from('caf\xe9 cr\xe8me', 'latin1'))).text).toBe('café crème');
  });

  it('is cut if it is long, with its total length', async () => {
    const short = createDocumentTexts({ maxCharacters: 100 });
    const { text, share } = await read('a.txt', 'x'.repeat(400), short);
    expect(text).toHaveLength(100);
    expect(share).toBe(0.25);
  });

  it('comes from the first pages if there are too many', async () => {
    const few = createDocumentTexts({ maxPages: 2 });
    const { text, pageCount, share } = await read('a.pdf', writePdf(['one', 'two', 'three', 'four']), few);
    expect(text).toBe('[page 1]\none\n\n[page 2]\ntwo');
    expect({ pageCount, share }).toEqual({ pageCount: 4, share: 0.5 });
  });

  it('is extracted by the file name, or by the media type if the name has no known extension', () => {
    expect(texts.canRead({ name: 'main.rs' })).toBe(true);
    expect(texts.canRead({ name: 'file', mediaType: 'application/pdf' })).toBe(true);
    expect(texts.canRead({ name: 'Dockerfile' })).toBe(true);
    expect(texts.canRead({ name: 'photo.heic', mediaType: 'image/heic' })).toBe(false);
    expect(texts.canRead({ name: 'a.zip', mediaType: 'application/zip' })).toBe(false);
  });
});

describe('documents without readable text', () => {
  it('are reported as protected by a password', async () => {
    await expect(read('a.pdf', writePdf(['secret'], { isEncrypted: true }))).rejects.toMatchObject({
      problem: 'encrypted',
    });
    const office = Buffer.concat([Buffer.from([0xd0, 0xcf, 0x11, 0xe0]), Buffer.alloc(2000)]);
    await expect(read('a.docx', office)).rejects.toMatchObject({ problem: 'encrypted' });
    await expect(read('a.xlsx', office)).rejects.toMatchObject({ problem: 'encrypted' });
  });

  it('are reported as scanned or empty', async () => {
    await expect(read('a.pdf', writePdf(['', '']))).rejects.toMatchObject({ problem: 'scanned' });
    await expect(read('a.txt', '  \n ')).rejects.toMatchObject({ problem: 'empty' });
    await expect(read('a.xlsx', writeXlsx('Empty', []))).rejects.toMatchObject({ problem: 'empty' });
  });

  it.each(['a.pdf', 'a.docx', 'a.xlsx', 'a.epub'])('are reported as damaged: %s', async (name) => {
    const whole = { 'a.pdf': writePdf(['x']), 'a.docx': writeDocx(['x']), 'a.xlsx': writeXlsx('S', [['x']]) }[name];
    await expect(read(name, Buffer.from('nothing of the kind'))).rejects.toMatchObject({ problem: 'damaged' });
    await expect(read(name, pack({ 'other.txt': 'x' }))).rejects.toMatchObject({ problem: 'damaged' });
    if (whole && name !== 'a.pdf') await problemOf(name, whole.subarray(0, whole.length / 2));
    await expect(read('a.txt', Buffer.from([1, 2, 0, 3]))).rejects.toMatchObject({ problem: 'damaged' });
  });

  it('are abandoned when they decompress to much more than their size', async () => {
    const small = createDocumentTexts({ maxUnpackedBytes: 5_000_000 });
    const bomb = pack({ 'word/document.xml': new Uint8Array(20_000_000), 'xl/workbook.xml': 'x' });
    expect(bomb.length).toBeLessThan(100_000);
    for (const name of ['a.docx', 'a.xlsx', 'a.epub'])
      await expect(read(name, bomb, small)).rejects.toMatchObject({ problem: 'too-large' });
  });

  it('are abandoned when a PDF fills the memory', async () => {
    const tight = createDocumentTexts({ maxMemoryBytes: 64_000_000, timeoutMs: 60_000 });
    const bomb = deflateSync(Buffer.alloc(400_000_000, ' '));
    const head = writePdf(['x']).toString('latin1');
    const stream = `<< /Length ${bomb.length} /Filter /FlateDecode >>\nstream\n${bomb.toString('latin1')}\nendstream`;
    // The table of offsets is wrong now, so the reader finds the objects itself.
    const pdf = head.replace(/<< \/Length \d+ >>\nstream\n[\s\S]*?\nendstream/, () => stream);
    await expect(read('a.pdf', Buffer.from(pdf, 'latin1'), tight)).rejects.toMatchObject({ problem: 'too-complex' });
  });

  it('are abandoned when they take too long, while the process stays responsive', async () => {
    const hasty = createDocumentTexts({ timeoutMs: 1500 });
    let ticks = 0;
    const ticking = setInterval(() => {
      ticks += 1;
    }, 20);
    const deep = `<html>${'<div>'.repeat(200_000)}${'</b>'.repeat(200_000)}`;
    await expect(read('a.html', deep, hasty)).rejects.toMatchObject({ problem: 'too-slow' });
    clearInterval(ticking);
    expect(ticks).toBeGreaterThan(10);
  });

  it('load no external resources and expand no entities', async () => {
    const prolog =
      '<!DOCTYPE w [<!ENTITY secret SYSTEM "file:///etc/hostname"><!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>';
    const outcome = await read('a.docx', writeDocx(['Before &secret;&b; after'], prolog)).then(
      ({ text }) => text,
      (error) => error.problem,
    );
    expect(outcome).not.toContain('lollol');
    expect(outcome === 'damaged' || outcome.includes('Before')).toBe(true);
  });
});

describe('the document reader', () => {
  it('ends with its signal', async () => {
    const leaving = new AbortController();
    const reading = texts.read({ name: 'a.pdf' }, { ...toRequest(writePdf(['x'])), signal: leaving.signal });
    leaving.abort(new Error('gone'));
    await expect(reading).rejects.toThrow('gone');
  });

  it('reads a few documents at a time, in order, and refuses more than the queue holds', async () => {
    const small = createDocumentTexts({ atOnce: 2, maxWaiting: 3 });
    const many = Array.from({ length: 7 }, (_, index) => read('a.txt', `text ${index}`, small));
    const settled = await Promise.allSettled(many);
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    expect(settled.at(-1)).toMatchObject({ reason: { problem: 'busy' } });
  });

  it('reads one document per user at a time, and those of other users concurrently', async () => {
    const small = createDocumentTexts({ atOnce: 3, maxWaitingOfOne: 2 });
    const gate = Promise.withResolvers<void>();
    const loaded: string[] = [];
    const start = (userId: number, name: string) =>
      small.read(
        { name },
        {
          userId,
          load: async () => {
            loaded.push(name);
            if (userId === 1) await gate.promise;
            return Buffer.from(name);
          },
          signal,
        },
      );
    const mine = ['a.txt', 'b.txt', 'c.txt'].map((name) => start(1, name));
    await expect(start(1, 'd.txt')).rejects.toMatchObject({ problem: 'busy' });
    expect((await start(2, 'x.txt')).text).toBe('x.txt');
    expect((await start(2, 'y.txt')).text).toBe('y.txt');
    expect(loaded).toEqual(['a.txt', 'x.txt', 'y.txt']);
    gate.resolve();
    expect((await Promise.all(mine)).map(({ text }) => text)).toEqual(['a.txt', 'b.txt', 'c.txt']);
  });
});

describe('tables', () => {
  it('have one line per row, with empty cells where a cell spans columns or rows', async () => {
    const table = `<table><caption>Prices</caption><thead><tr><th colspan="2">Tea</th><th>Price</th></tr></thead>
      <tbody><tr><td rowspan="2">green</td><td>loose</td><td>4</td></tr><tr><td>bags</td><td>3</td></tr></tbody></table>`;
    expect((await read('a.html', table)).text).toBe('Tea\t\tPrice\ngreen\tloose\t4\n\tbags\t3');
  });

  it('with multi-line cells are read cell by cell, at any nesting depth', async () => {
    const inner = '<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>';
    const outer = `<table><tr><td>Menu</td><td>${inner}</td></tr></table>`;
    expect((await read('a.html', outer)).text).toBe('Menu\na\tb\nc\td');
  });

  it.each([
    ['HTML', 'a.html', Buffer.from('<table><tr><td colspan="1000000000">a</td></tr></table>')],
    ['HTML, rows', 'a.html', Buffer.from('<table><tr><td rowspan="1000000000">a</td></tr></table>')],
    ['Word', 'a.docx', writeDocx([`${SPANNING_CELL}1000000000${AFTER_SPAN}`])],
    ['EPUB', 'a.epub', writeEpub([{ title: 'a', text: '<table><tr><td colspan="1000000000"></td></tr></table>' }])],
  ])('whose cells span a billion columns are read like others: %s', async (_, name, bytes) => {
    expect((await read(name, bytes)).text).toBe('a');
  });

  it('read an invalid number of spanned columns as one', async () => {
    for (const span of ['0', '-7', 'NaN', 'Infinity', '1e999', '1.5', 'x', ''])
      expect((await read('a.html', `<table><tr><td colspan="${span}" rowspan="${span}">a<td>b</table>`)).text).toBe(
        'a\tb',
      );
  });

  it('take space in proportion to their text: a long word widens no other row', async () => {
    const rows = '<tr><td>a<td>b</tr>'.repeat(20_000);
    const { text } = await read('a.html', `<table><tr><td>${'x'.repeat(300_000)}<td>y</tr>${rows}</table>`);
    expect(text.length).toBe(300_000 + 2 + 20_000 * 4);
  });
});
