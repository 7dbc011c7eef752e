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

/**
 * Renders a text in DejaVu Sans, which comes along as a file: a machine may have no fonts. Wrapped to `width` pixels where that
 * is given. Must hold something that can be seen.
 * @param fontSize pixels
 * @param colour as SVG has it: `#ffffffb8`
 */
export async function renderText(
  text: string,
  { width, fontSize, colour }: { readonly width?: number; readonly fontSize: number; readonly colour: string },
): Promise<RenderedText> {
  const { data, info } = await sharp({
    text: {
      text: `<span foreground="${colour}">${escapeMarkup(text)}</span>`,
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

function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
