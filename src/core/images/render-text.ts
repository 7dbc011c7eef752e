import { createRequire } from 'node:module';
import sharp from 'sharp';

/** Letters on a transparent ground, to lay over a picture. */
export interface RenderedText {
  /** PNG. */
  readonly bytes: Buffer;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** Reaches as high and as low as letters do. */
const STRUT = 'Éĝ';

/**
 * Renders one line that is as high whatever letters are in it, so that several side by side stand on one ground. Otherwise as
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
 * Renders a text in DejaVu Sans, which comes along as a file: a machine may have no fonts. Wrapped to `width` pixels where that
 * is given. Must hold something that can be seen.
 * @param fontSize pixels
 * @param colour as SVG has it: `#ffffffb8`
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
      fontfile: createRequire(import.meta.url).resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'),
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
