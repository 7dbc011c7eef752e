import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { toPackageFile } from '../../lib/layout.ts';

/** Text rendered on a transparent background, to overlay on an image. */
export interface RenderedText {
  /** PNG. */
  readonly bytes: Buffer;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** Covers the full height of letters, accents and descenders included. */
const STRUT = 'Éĝ';
const FONT = fileURLToPath(toPackageFile('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'));

/**
 * Renders one line whose height is independent of its letters, so that adjacent lines share a baseline. Otherwise like
 * `renderText`.
 */
export async function renderLine(
  text: string,
  style: { readonly fontSize: number; readonly colour: string },
): Promise<RenderedText> {
  const { width } = await renderText(text, style);
  const { bytes, height } = await renderMarkup(`${toSpan(text, style.colour)}${toSpan(STRUT, '#00000000')}`, style);
  return { bytes: await sharp(bytes).extract({ left: 0, top: 0, width, height }).png().toBuffer(), width, height };
}

/**
 * Renders a text in the bundled font DejaVu Sans: the machine may have no fonts. The text is wrapped to `width` pixels
 * if given, and must contain a visible character.
 * @param style `fontSize` in pixels; `colour` as in SVG, e.g. `#ffffffb8`.
 */
export function renderText(
  text: string,
  style: { readonly width?: number; readonly fontSize: number; readonly colour: string },
): Promise<RenderedText> {
  return renderMarkup(toSpan(text, style.colour), style);
}

async function renderMarkup(
  markup: string,
  { width, fontSize }: { readonly width?: number; readonly fontSize: number },
): Promise<RenderedText> {
  const { data, info } = await sharp({
    text: {
      text: markup,
      font: `DejaVu Sans ${fontSize}`,
      fontfile: FONT,
      dpi: 72,
      ...(width === undefined ? {} : { width, wrap: 'word-char' as const }),
      rgba: true,
    },
  })
    .png()
    .toBuffer({ resolveWithObject: true });
  return { bytes: data, width: info.width, height: info.height };
}

function toSpan(text: string, colour: string): string {
  return `<span foreground="${colour}">${escapeMarkup(text)}</span>`;
}

function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
