import type { OverlayOptions } from 'sharp';
import { shorten } from '../../../../lib/text.ts';
import { renderText } from '../../../images/index.ts';
import type { ImageSize } from '../../contract/image-model.ts';

const ENGLISH_NOTICE = 'A demonstration image, not made by an AI';
const RUSSIAN_NOTICE = 'Демонстрационная картинка, нарисована без ИИ';
const MAX_CHARACTERS = 120;

/**
 * Characters that DejaVu Sans lacks; it has Latin, Greek, Cyrillic, Armenian, Hebrew, Arabic, Georgian, digits and
 * symbols. They are left out, so an image for a Chinese prompt shows only the notice.
 */
const ILLEGIBLE = new RegExp(
  '[^ -~\\u00a0-\\u02af\\u0384-\\u038a\\u038c\\u038e-\\u03a1\\u03a3-\\u0525\\u0531-\\u0556\\u0561-\\u0587\\u05d0-\\u05ea' +
    '\\u0621-\\u063a\\u0640-\\u064a\\u10d0-\\u10fc\\u1e00-\\u1efb\\u2010-\\u2027\\u2030-\\u205e\\u20a0-\\u20b5\\u20bd\\u2116\\u2190-\\u22ff]',
  'gu',
);

/**
 * Returns layers for the lower edge of an image: a dark band, the text of the prompt, and a notice that this is a
 * demonstration.
 */
export async function letterPrompt(prompt: string, size: ImageSize): Promise<OverlayOptions[]> {
  const margin = Math.round(Math.min(size.width, size.height) * 0.05);
  const width = size.width - 2 * margin;
  const fontSize = Math.max(11, Math.round(Math.sqrt(size.width * size.height) * 0.019));
  const notice = await renderText(/[а-яё]/i.test(prompt) ? RUSSIAN_NOTICE : ENGLISH_NOTICE, {
    width,
    fontSize,
    colour: '#ffffffb8',
  });
  // Limits the text to two fifths of the image, assuming square characters.
  const maxCharacters = Math.min(MAX_CHARACTERS, Math.floor((0.4 * width * size.height) / (2 * fontSize) ** 2));
  const legible = prompt.normalize('NFC').replace(/\s/g, ' ').replace(ILLEGIBLE, '').replace(/ +/g, ' ').trim();
  const text = shorten(legible, maxCharacters);
  const words = /[\p{L}\p{N}]/u.test(text)
    ? await renderText(text, { width, fontSize: 2 * fontSize, colour: '#ffffff' })
    : undefined;
  const noticeTop = size.height - margin - notice.height;
  const wordsTop = Math.max(0, noticeTop - (words ? words.height + fontSize : 0));
  return [
    { input: Buffer.from(drawBand(size, Math.max(0, wordsTop - margin))), left: 0, top: 0 },
    ...(words ? [{ input: words.bytes, left: margin, top: wordsTop }] : []),
    { input: notice.bytes, left: margin, top: Math.max(0, noticeTop) },
  ];
}

/** Draws a band that makes white letters readable on any background. */
function drawBand({ width, height }: ImageSize, top: number): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect y="${top}" width="${width}" height="${height - top}" fill="#05070fb0"/></svg>`;
}
