import type { OverlayOptions } from 'sharp';
import { colourOf, FONT, MARGIN, placeText, rectangle, SIZE } from './canvas.ts';
import { fitLine } from './chart-text.ts';

const SWATCH = 26;
const GAP = 36;
const MAX_NAME_CHARACTERS = 32;
/** Names of more series are cut so that at least two share a row. */
const MAX_ROWS = 3;

export interface Legend {
  /** 0 without a legend. */
  readonly height: number;
  readonly shapes: readonly string[];
  readonly texts: readonly OverlayOptions[];
}

/** Lays out the names of series in rows from `top`. Empty if there is only one series. */
export async function layOutLegend(series: readonly string[], top: number): Promise<Legend> {
  if (series.length < 2) return { height: 0, shapes: [], texts: [] };
  const width = SIZE.width - 2 * MARGIN;
  const columnWidth = series.length <= MAX_ROWS ? width : (width - GAP) / 2;
  const style = { fontSize: FONT.legend, maxWidth: columnWidth - SWATCH - 12, maxCharacters: MAX_NAME_CHARACTERS };
  const names = await Promise.all(series.map((name) => fitLine(name, style)));
  const rowHeight = FONT.legend + 18;
  let [x, row] = [0, 0];
  const entries = names.map((text, at) => {
    const entryWidth = SWATCH + 12 + text.width;
    if (x > 0 && x + entryWidth > width) [x, row] = [0, row + 1];
    const entry = { text, at, x: MARGIN + x, y: top + (row + 0.5) * rowHeight };
    x += entryWidth + GAP;
    return entry;
  });
  return {
    height: (row + 1) * rowHeight,
    shapes: entries.map((entry) => swatch(entry.x, entry.y, colourOf(entry.at))),
    texts: entries.map((entry) => placeText(entry.text, { x: entry.x + SWATCH + 12, y: entry.y, align: 0 })),
  };
}

/** Returns a square of a colour, vertically centred at `y`. */
export function swatch(x: number, y: number, colour: string): string {
  return rectangle({ x, y: y - SWATCH / 2, width: SWATCH, height: SWATCH }, colour);
}
