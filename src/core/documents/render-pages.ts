import { type PDFiumDocument, PDFiumLibrary } from '@hyzyla/pdfium';
import sharp from 'sharp';
import { answerParent } from '../../lib/process/answer-parent.ts';
import type { RenderingResult, RenderingTask } from './rendering-task.ts';

/** Above this scale, small pages gain nothing: 288 dots per inch. */
const MAX_SCALE = 4;
const QUALITY = 80;

async function renderPages({ bytes, limits }: RenderingTask): Promise<RenderingResult> {
  try {
    const library = await PDFiumLibrary.init();
    const document = await library.loadDocument(bytes);
    const pageCount = document.getPageCount();
    if (pageCount === 0) return { problem: 'empty' };
    const images: Uint8Array[] = [];
    let sizeBytes = 0;
    for (let index = 0; index < Math.min(pageCount, limits.maxPages); index += 1) {
      const image = await renderPage(document, index, limits.maxPixels);
      sizeBytes += image.length;
      if (images.length > 0 && sizeBytes > limits.maxBytes) break;
      images.push(image);
    }
    return { images, pageCount };
  } catch (error) {
    return { problem: 'damaged', reason: String(error).slice(0, 500) };
  }
}

/** @param maxPixels length of the longer side. */
async function renderPage(document: PDFiumDocument, index: number, maxPixels: number): Promise<Uint8Array> {
  const page = document.getPage(index);
  const { originalWidth, originalHeight } = page.getOriginalSize();
  const longer = Math.max(originalWidth, originalHeight);
  if (!(longer > 0)) throw new Error(`page ${index + 1} has no size`);
  const scale = Math.min(MAX_SCALE, maxPixels / longer);
  const toPixels = (points: number) => Math.max(1, Math.round(points * scale));
  const size = { width: toPixels(originalWidth), height: toPixels(originalHeight) };
  const { data } = await page.render(size);
  return sharp(data, { raw: { ...size, channels: 4 } })
    .removeAlpha()
    .jpeg({ quality: QUALITY })
    .toBuffer();
}

// The parent is this program, so the shape of its data is known.
await answerParent((task) => renderPages(task as RenderingTask));
