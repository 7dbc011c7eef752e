import { shorten } from '../../lib/text.ts';
import { type RenderedText, renderLine, renderText } from '../images/index.ts';
import { FONT, INK, MARGIN, SIZE } from './canvas.ts';

const MAX_TITLE_CHARACTERS = 70;
const MAX_TITLE_HEIGHT = 120;
/** Shown for a text without visible characters. */
const NO_TEXT = '–';
const MAX_FITS = 6;

/** Renders a line of at most `maxWidth` pixels and `maxCharacters` characters; a longer text ends in an ellipsis. */
export async function fitLine(
  text: string,
  {
    fontSize,
    maxWidth,
    maxCharacters,
  }: { readonly fontSize: number; readonly maxWidth: number; readonly maxCharacters: number },
): Promise<RenderedText> {
  let shown = shorten(clean(text), maxCharacters);
  for (let fits = 0; ; fits += 1) {
    const line = await renderLine(shown, { fontSize, colour: INK.text });
    const count = [...shown].length;
    if (line.width <= maxWidth || fits === MAX_FITS || count === 1) return line;
    shown = shorten(shown, Math.max(1, Math.min(count - 1, Math.floor((count * maxWidth) / line.width))));
  }
}

/** Renders the title, in two lines if it is long. */
export async function renderTitle(title: string): Promise<RenderedText> {
  let shown = shorten(clean(title), MAX_TITLE_CHARACTERS);
  for (let fits = 0; ; fits += 1) {
    const text = await renderText(shown, { width: SIZE.width - 2 * MARGIN, fontSize: FONT.title, colour: INK.title });
    if (text.height <= MAX_TITLE_HEIGHT || fits === MAX_FITS) return text;
    shown = shorten(shown, Math.ceil([...shown].length * 0.85));
  }
}

/** Returns the text in one line without invisible characters. */
function clean(text: string): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim();
  return line === '' ? NO_TEXT : line;
}
