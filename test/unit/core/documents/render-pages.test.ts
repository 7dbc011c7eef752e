import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, describe, expect, it } from 'vitest';
import { createDocumentTexts, isScanned } from '../../../../src/core/documents/index.ts';
import { findChildren } from '../../../support/machine/child-processes.ts';
import { toPdfStream, writeDrawnPdf, writePdf } from '../../../support/samples/documents.ts';

const texts = createDocumentTexts();
afterAll(() => texts.close());

let nextUserId = 1;
const render = (bytes: Buffer, from = texts) =>
  from.renderPages({ userId: nextUserId++, load: async () => bytes, signal: AbortSignal.timeout(120_000) });
const problemOf = (bytes: Buffer, from = texts) =>
  render(bytes, from).then(String, ({ problem }: { problem: string }) => problem);

/** Returns the color in the middle of an image. */
async function findColor(image: Uint8Array): Promise<number[]> {
  const { data, info } = await sharp(image).raw().toBuffer({ resolveWithObject: true });
  const at = (Math.floor(info.height / 2) * info.width + Math.floor(info.width / 2)) * info.channels;
  return [...data.subarray(at, at + 3)];
}

describe('the pages of a PDF', () => {
  it('are rendered as JPEG, with the longer side of the length that models see', async () => {
    const red = writeDrawnPdf('1 0 0 rg 0 0 612 792 re f');
    const { images, pageCount } = await render(red);
    expect(pageCount).toBe(1);
    const [image = new Uint8Array()] = images;
    expect(await sharp(image).metadata()).toMatchObject({ format: 'jpeg', width: 1212, height: 1568 });
    const [r = 0, g = 255, b = 255] = await findColor(image);
    expect([r > 240, g < 20, b < 20]).toEqual([true, true, true]);
  });

  it('are the first ten, and fewer if they are large', async () => {
    const many = writePdf(Array.from({ length: 12 }, () => ''));
    expect(await render(many)).toMatchObject({ pageCount: 12, images: { length: 10 } });
    const small = createDocumentTexts({ rendering: { maxBytes: 10_000 } });
    expect((await render(many, small)).images).toHaveLength(1);
    await small.close();
    const request = { userId: 1, load: async () => many, signal: AbortSignal.timeout(60_000) };
    expect((await texts.renderPages({ ...request, maxPages: 2 })).images).toHaveLength(2);
    expect((await texts.renderPages({ ...request, maxPages: 99 })).images).toHaveLength(10);
  });

  it.each([
    ['a point', '0 0 1 1', [4, 4]],
    ['a wall', '0 0 1000000 1000000', [1568, 1568]],
    ['a line', '0 0 14400 0.1', [1568, 1]],
  ])('have a bounded size if a page is as large as %s', async (_, box, [width, height]) => {
    const [image] = (await render(writeDrawnPdf('', { box }))).images;
    expect(await sharp(image).metadata()).toMatchObject({ width, height });
  });
});

describe('a hostile PDF', () => {
  it.each([
    ['without pages', Buffer.from('%PDF-1.4\n%%EOF')],
    ['that is no PDF', Buffer.from('<html>')],
    ['that is encrypted', writePdf(['secret'], { isEncrypted: true })],
  ])('%s is damaged', async (_, bytes) => {
    expect(await problemOf(bytes)).toBe('damaged');
  });

  it('that takes long to draw is given up in time, and its process is killed', async () => {
    const slow = writeDrawnPdf('0 0 600 700 re f '.repeat(100_000));
    const hasty = createDocumentTexts({ timeoutMs: 1000 });
    expect(await problemOf(slow, hasty)).toBe('too-slow');
    expect(await findChildren(process.pid, 'render-pages.')).toEqual([]);
    await hasty.close();
  });

  it('whose forms contain each other forty times does not take more memory than it may', async () => {
    const toForm = (id: number) =>
      toPdfStream(
        `/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /XObject << /F ${id} 0 R >> >>`,
        Buffer.from('/F Do '.repeat(40)),
      );
    const forms = Array.from({ length: 12 }, (__, index) => toForm(index + 6));
    const last = toPdfStream('/Type /XObject /Subtype /Form /BBox [0 0 612 792]', Buffer.from('0 0 600 700 re f '));
    const endless = writeDrawnPdf('/F Do', { resources: '/XObject << /F 5 0 R >>', objects: [...forms, last] });
    const tight = createDocumentTexts({ timeoutMs: 20_000, maxMemoryBytes: 128 * 2 ** 20 });
    expect(await problemOf(endless, tight)).toMatch(/^too-(complex|slow)$/);
    await tight.close();
  });

  it('with a huge image is rendered within the memory that it may have', async () => {
    const rows = deflateSync(deflateSync(Buffer.alloc(2 ** 26)));
    const image = toPdfStream(
      '/Type /XObject /Subtype /Image /Width 12000 /Height 12000 /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter [/FlateDecode /FlateDecode]',
      rows,
    );
    const bomb = writeDrawnPdf('600 0 0 700 0 0 cm /I Do', { resources: '/XObject << /I 5 0 R >>', objects: [image] });
    const tight = createDocumentTexts({ maxMemoryBytes: 128 * 2 ** 20 });
    expect((await render(bomb, tight)).images).toHaveLength(1);
    await tight.close();
  });
});

describe('a PDF counts as scanned', () => {
  it('without text, or with less than a line on its pages', () => {
    expect(isScanned('', 3)).toBe(true);
    expect(isScanned('[page 1]\nCamScanner\n\n[page 2]\nCamScanner', 2)).toBe(true);
    expect(isScanned('[page 1]\nThe rent is 700 euros. It is due on the third of each month.', 1)).toBe(false);
  });
});
