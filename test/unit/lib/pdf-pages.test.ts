import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundPdfPages } from '../../../src/lib/formats/pdf-pages.ts';
import { writePdf } from '../../support/samples/documents.ts';

const PDF = '%PDF-1.7\n';
const bound = (text: string | Buffer) => boundPdfPages(Buffer.concat([Buffer.from(PDF), Buffer.from(text)]));
const tree = '1 0 obj << /Type /Pages /Kids [2 0 R 3 0 R] /Count 2 >> endobj';
const toObjectStream = (content: string, filter = '/FlateDecode') =>
  Buffer.concat([
    Buffer.from(`9 0 obj << /Type /ObjStm /N 3 /First 10 /Filter ${filter} /Length 99 >>\nstream\r\n`),
    deflateSync(content),
    Buffer.from('\nendstream endobj'),
  ]);

describe('the most pages of a PDF', () => {
  it('are the references of its page tree', () => {
    expect([1, 2, 300].map((count) => boundPdfPages(writePdf(Array.from({ length: count }, () => 'x'))))).toEqual([
      ...[1, 2, 300],
    ]);
    expect(bound(`${tree} 2 0 obj << /Kids\n[ 4 0 R\n5 0 R ] >>`)).toBe(4);
  });

  it('are found in compressed objects too', () => {
    expect(bound(toObjectStream(`1 0 2 50 << /Kids[7 0 R 8 0 R 10 0 R]>> <</Type/Page>>`))).toBe(3);
  });

  it.each([
    ['that is none', Buffer.from('hello')],
    ['without a page tree', `${PDF} hello`],
    ['with a page twice', `${PDF}<< /Kids [2 0 R 2 0 R] >>`],
    ['with a part of the tree twice', `${PDF}${tree} << /Kids [4 0 R 2 0 R] >>`],
    ['whose tree is elsewhere', `${PDF}<< /Kids 12 0 R >>`],
    ['whose tree is no list of references', `${PDF}<< /Kids [2 0 R (x) 0 R] >>`],
    ['whose names are written with escapes', `${PDF}${tree} << /K#69ds [4 0 R 4 0 R] >>`],
    ['with hidden compressed objects', `${PDF}${tree} << /Type /Obj#53tm >> stream`],
    ['with damaged compressed objects', `${PDF}${tree} << /ObjStm /Filter /FlateDecode >> stream\nhello`],
    [
      'with objects in another compression',
      Buffer.concat([Buffer.from(PDF), toObjectStream('/Kids [2 0 R]', '/LZWDecode')]),
    ],
    [
      'with objects in two compressions',
      Buffer.concat([Buffer.from(PDF), toObjectStream('/Kids [2 0 R]', '[/ASCIIHexDecode /FlateDecode]')]),
    ],
    ['with compressed objects of gigabytes', Buffer.concat([Buffer.from(PDF), toObjectStream('x'.repeat(2 ** 24))])],
  ])('are unknown for a file %s', (_, bytes) => {
    expect(boundPdfPages(Buffer.from(bytes))).toBeUndefined();
  });

  it('are counted for any bytes without an error', () => {
    const word = fc.constantFrom(
      '/Kids',
      '[',
      ']',
      '2 0 R ',
      '/ObjStm',
      '/Filter',
      '/FlateDecode',
      'stream\n',
      '#',
      '/K#69',
    );
    fc.assert(fc.property(fc.array(fc.oneof(word, fc.string())), (words) => void bound(words.join(' '))));
  });

  it('are counted in a moment, however large and hostile the file is', () => {
    const size = 15 * 2 ** 20;
    const texts = [
      '#',
      `/#${'.'.repeat(60)}`,
      '/Kids [',
      '/Kids [] ',
      '/ObjStm ',
      '/ObjStm stream ',
      '2 0 R ',
      '2 0 R ]',
    ];
    for (const text of texts)
      expect(timeOf(Buffer.from(PDF + text.repeat(Math.floor(size / text.length)))), text).toBeLessThan(150);
  });
});

function timeOf(bytes: Buffer): number {
  const before = process.threadCpuUsage();
  boundPdfPages(bytes);
  return process.threadCpuUsage(before).user / 1000;
}
