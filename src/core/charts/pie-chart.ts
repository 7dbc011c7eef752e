import { BOTTOM_MARGIN, colourOf, compose, FONT, fix, INK, MARGIN, placeText, SIZE } from './canvas.ts';
import { fitLine, renderTitle } from './chart-text.ts';
import { swatch } from './legend.ts';

export interface PieChart {
  readonly title: string;
  /** Clockwise from the top; not empty. Values are positive or zero, and not all zero. */
  readonly slices: readonly { readonly name: string; readonly value: number }[];
  /** Name of the slice that the smallest ones are joined to if there are more than eight. */
  readonly others: string;
  /** Formats a share from 0 to 1. */
  readonly formatShare: (share: number) => string;
}

const MAX_SLICES = 8;
const MAX_ROW_HEIGHT = 64;
const MAX_NAME_CHARACTERS = 40;

/**
 * Renders a pie on a white background, with the names and shares of its slices beside it.
 * @returns a PNG of 1080 × 720 pixels.
 */
export async function drawPieChart(chart: PieChart): Promise<Buffer> {
  const slices = joinSmallest(chart);
  const total = slices.reduce((sum, { value }) => sum + value, 0);
  const heading = await renderTitle(chart.title);
  const top = MARGIN + heading.height + 32;
  const radius = (SIZE.height - BOTTOM_MARGIN - top) / 2;
  const centre = { x: MARGIN + radius, y: top + radius };
  const left = centre.x + radius + 60;
  const maxWidth = SIZE.width - MARGIN - left - 38;
  const rowHeight = Math.min(MAX_ROW_HEIGHT, (2 * radius) / slices.length);
  const rows = await Promise.all(
    slices.map(async ({ name, value }, at) => {
      const share = await fitLine(chart.formatShare(value / total), { ...LEGEND, maxWidth });
      const nameWidth = Math.max(60, maxWidth - share.width - 20);
      const y = centre.y + (at - (slices.length - 1) / 2) * rowHeight;
      return { name: await fitLine(name, { ...LEGEND, maxWidth: nameWidth }), share, y };
    }),
  );
  let from = 0;
  const shapes = slices.map(({ value }, at) => {
    const until = from + value / total;
    const shape = slice({ ...centre, radius }, { from, until }, colourOf(at));
    from = until;
    return shape;
  });
  return compose(
    [...shapes, ...rows.map(({ y }, at) => swatch(left, y, colourOf(at)))],
    [
      placeText(heading, { x: MARGIN, y: MARGIN + heading.height / 2, align: 0 }),
      ...rows.flatMap(({ name, share, y }) => [
        placeText(name, { x: left + 38, y, align: 0 }),
        placeText(share, { x: SIZE.width - MARGIN, y, align: 1 }),
      ]),
    ],
  );
}

const LEGEND = { fontSize: FONT.legend, maxCharacters: MAX_NAME_CHARACTERS };

function joinSmallest({ slices, others }: PieChart): PieChart['slices'] {
  if (slices.length <= MAX_SLICES) return slices;
  const kept = new Set([...slices].sort((one, other) => other.value - one.value).slice(0, MAX_SLICES - 1));
  const value = slices.reduce((sum, one) => (kept.has(one) ? sum : sum + one.value), 0);
  return [...slices.filter((one) => kept.has(one)), { name: others, value }];
}

/** @param range shares of the circle, clockwise from the top. */
function slice(
  { x, y, radius }: { readonly x: number; readonly y: number; readonly radius: number },
  { from, until }: { readonly from: number; readonly until: number },
  colour: string,
): string {
  const style = `fill="${colour}" stroke="${INK.ground}" stroke-width="3" stroke-linejoin="round"`;
  // An arc can't end where it begins.
  if (until - from > 0.9999) return `<circle cx="${fix(x)}" cy="${fix(y)}" r="${fix(radius)}" ${style}/>`;
  if (until - from < 0.0001) return '';
  const toPoint = (share: number) => {
    const angle = 2 * Math.PI * share;
    return `${fix(x + radius * Math.sin(angle))} ${fix(y - radius * Math.cos(angle))}`;
  };
  const isLarge = until - from > 0.5 ? 1 : 0;
  const arc = `A${fix(radius)} ${fix(radius)} 0 ${isLarge} 1 ${toPoint(until)}`;
  return `<path d="M${fix(x)} ${fix(y)}L${toPoint(from)}${arc}Z" ${style}/>`;
}
