import type { OverlayOptions } from 'sharp';
import { type RenderedText, renderText } from '../../../images/index.ts';
import type { PictureSize } from '../../image-model.ts';

/**
 * The prompt's words and the line that says what the picture is, at the foot of a picture of this size: layers to lay
 * over it. What the font has no shapes for is left out, so a prompt in Chinese gives the line alone.
 */
export async function letterPrompt(prompt: string, size: PictureSize): Promise<OverlayOptions[]> {
  const unit = Math.min(size.width, size.height);
  const margin = Math.round(unit * 0.05);
  const room = { width: size.width - 2 * margin, height: Math.round(size.height * 0.24) };
  const isRussian = /[а-яё]/i.test(prompt);
  const notice = await renderText(isRussian ? RUSSIAN_NOTICE : ENGLISH_NOTICE, {
    width: room.width,
    fontSize: Math.max(11, Math.round(Math.sqrt(size.width * size.height) * 0.019)),
    colour: '#ffffffb8',
  });
  const words = await fitWords(toLegible(prompt), room);
  const gap = words ? Math.round(unit * 0.022) : 0;
  const textHeight = (words?.height ?? 0) + gap + notice.height;
  const top = size.height - margin - textHeight;
  return [
    { input: Buffer.from(shade(size, Math.max(0, top - 2 * margin))), left: 0, top: 0 },
    ...(words ? [{ input: words.bytes, left: margin, top: Math.max(0, top) }] : []),
    { input: notice.bytes, left: margin, top: Math.max(0, size.height - margin - notice.height) },
  ];
}

const ENGLISH_NOTICE = 'A demonstration picture, not made by an AI';
const RUSSIAN_NOTICE = 'Демонстрационная картинка, нарисована без ИИ';
const MAX_CHARACTERS = 300;

/** Letters that DejaVu Sans has: Latin, Greek, Cyrillic, Armenian, Hebrew, Arabic, Georgian; figures and signs. */
const LEGIBLE = new RegExp(
  '[ -~\\u00a0-\\u02af\\u0384-\\u038a\\u038c\\u038e-\\u03a1\\u03a3-\\u0525\\u0531-\\u0556\\u0561-\\u0587\\u05d0-\\u05ea' +
    '\\u0621-\\u063a\\u0640-\\u064a\\u10d0-\\u10fc\\u1e00-\\u1efb\\u2010-\\u2027\\u2030-\\u205e\\u20a0-\\u20b5\\u20bd\\u2116\\u2190-\\u22ff]',
  'u',
);

function toLegible(prompt: string): string {
  const characters = [
    ...prompt
      .normalize('NFC')
      .slice(0, 4 * MAX_CHARACTERS)
      .replace(/\s/gu, ' '),
  ];
  const kept = characters.filter((character) => LEGIBLE.test(character)).join('');
  return shorten(kept.replace(/ +/g, ' ').trim(), MAX_CHARACTERS);
}

function shorten(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const cut = text.slice(0, maxCharacters - 1);
  const lastSpace = cut.lastIndexOf(' ');
  return `${cut.slice(0, lastSpace > maxCharacters / 2 ? lastSpace : undefined).trimEnd()}…`;
}

/** As large as fits; shortened where not even small letters do. Undefined where there is nothing to read. */
async function fitWords(text: string, room: PictureSize): Promise<RenderedText | undefined> {
  if (!/[\p{L}\p{N}]/u.test(text)) return undefined;
  const largest = Math.min(room.width, room.height * 3) * 0.085;
  let words = text;
  for (const share of [1, 0.8, 0.64, 0.5, 0.5, 0.5, 0.5]) {
    const fontSize = Math.max(12, Math.round(largest * share));
    const rendered = await renderText(words, { width: room.width, fontSize, colour: '#ffffff' });
    if (rendered.height <= room.height) return rendered;
    if (share === 0.5) words = shorten(words, Math.floor((words.length * room.height * 0.9) / rendered.height));
    if (words.length < 2) return undefined;
  }
  return undefined;
}

/** Darkens the foot of the picture, so that white letters can be read on any ground. */
function shade({ width, height }: PictureSize, top: number): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">`,
    '<defs><linearGradient id="shade" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#05070f" stop-opacity="0"/>',
    '<stop offset="0.35" stop-color="#05070f" stop-opacity="0.62"/><stop offset="1" stop-color="#05070f" stop-opacity="0.8"/></linearGradient></defs>',
    `<rect y="${top}" width="${width}" height="${height - top}" fill="url(#shade)"/></svg>`,
  ].join('');
}
