import sharp, { type OverlayOptions } from 'sharp';
import type { RenderedText } from '../images/index.ts';
import { BOTTOM_MARGIN, EDGE, FONT, horizontalLine, INK, MARGIN, placeText, SIZE } from './canvas.ts';
import { fitLine, renderTitle } from './chart-text.ts';
import { layOutLegend } from './legend.ts';

/** A chart over labelled points. */
export interface AxisChart {
  readonly title: string;
  /** Names of the series; shown in the legend if there are several. At most six. */
  readonly series: readonly string[];
  /** From left to right. */
  readonly points: readonly Point[];
  /** True if values may be fractions, so that the axis may show them. Default false. */
  readonly hasFractions?: boolean | undefined;
  /** Formats a number of the axis. */
  readonly formatNumber: (value: number) => string;
}

export interface Point {
  /** Label below the axis. With many points only some are labelled. */
  readonly label: string;
  /** One value for each series; undefined where a series has none. */
  readonly values: readonly (number | undefined)[];
}

/** Title, legend, axes and labels of a chart, and the place of its values. */
export type Axes = Awaited<ReturnType<typeof layOutAxes>>;

/** Up to this number of points, all are labelled; above it the last one and others at even distances. */
const MAX_LABELLED = 24;
const MAX_SPREAD_LABELS = 6;
const MAX_LABEL_CHARACTERS = 28;
const MAX_TICK_CHARACTERS = 14;
/** Length of the longest label in pixels. */
const MAX_LABEL_WIDTH = 280;
/** Share of the distance between two labels that a horizontal one may take. */
const MAX_LABEL_SHARE = 0.85;
const GAP = 16;

/** @param range lowest and highest value of the axis. */
export async function layOutAxes(
  { title, series, points, hasFractions, formatNumber }: AxisChart,
  { low, high }: { readonly low: number; readonly high: number },
) {
  const heading = await renderTitle(title);
  const legendTop = MARGIN + heading.height + 24;
  const scale = toScale({ low, high, hasFractions });
  const [legend, ticks] = await Promise.all([layOutLegend(series, legendTop), renderTicks(scale, formatNumber)]);
  const right = SIZE.width - MARGIN;
  const ticksWidth = Math.max(...ticks.map(({ text }) => text.width));
  const labels = await layOutLabels(points, (right - MARGIN - ticksWidth - GAP) / Math.max(1, points.length));
  const left = Math.max(MARGIN + ticksWidth + GAP, Math.min(labels.leftNeeded, SIZE.width / 3));
  /** Width of a point in pixels. */
  const step = (right - left) / Math.max(1, points.length);
  const top = legendTop + legend.height + 24;
  const bottom = SIZE.height - BOTTOM_MARGIN - labels.height;
  /** Returns the centre of a point. */
  const toX = (at: number): number => left + (at + 0.5) * step;
  const toY = (value: number): number =>
    bottom - ((bottom - top) * (value - scale.bottom)) / (scale.top - scale.bottom);
  return {
    shapes: [...ticks.map(({ value }) => horizontalLine(left, right, toY(value), INK.line)), ...legend.shapes],
    /** The line at zero, to be drawn above the values. */
    zeroLine: scale.bottom < 0 && scale.top >= 0 ? [horizontalLine(left, right, toY(0), INK.axis)] : [],
    texts: [
      placeText(heading, { x: MARGIN, y: MARGIN + heading.height / 2, align: 0 }),
      ...legend.texts,
      ...ticks.map(({ value, text }) => placeText(text, { x: left - GAP, y: toY(value), align: 1 })),
      ...labels.place(toX, bottom),
    ],
    step,
    toX,
    toY,
  };
}

/** Ticks and ends of an axis. */
interface Scale {
  /** Evenly spaced round values, ascending. */
  readonly ticks: readonly number[];
  /** The first tick; at most the lowest value. */
  readonly bottom: number;
  /** The last tick; at least the highest value. */
  readonly top: number;
}

function renderTicks({ ticks }: Scale, formatNumber: AxisChart['formatNumber']) {
  const style = { fontSize: FONT.axis, maxWidth: 220, maxCharacters: MAX_TICK_CHARACTERS };
  return Promise.all(ticks.map(async (value) => ({ value, text: await fitLine(formatNumber(value), style) })));
}

interface Labels {
  readonly height: number;
  /** Distance of the plot from the left edge that the first label needs. */
  readonly leftNeeded: number;
  place(toX: (at: number) => number, top: number): readonly OverlayOptions[];
}

/** Renders the labels: horizontally if each fits below its point, else slanted. @param step width of a point. */
async function layOutLabels(points: readonly Point[], step: number): Promise<Labels> {
  const every = points.length <= MAX_LABELLED ? 1 : Math.ceil(points.length / MAX_SPREAD_LABELS);
  // Counted from the last point, which is always labelled.
  const chosen = points
    .map(({ label }, at) => ({ at, label }))
    .filter(({ at, label }) => (points.length - 1 - at) % every === 0 && label !== '');
  const render = (fontSize: number) => {
    const style = { fontSize, maxWidth: MAX_LABEL_WIDTH, maxCharacters: MAX_LABEL_CHARACTERS };
    return Promise.all(chosen.map(async ({ at, label }) => ({ at, text: await fitLine(label, style) })));
  };
  const labels = await render(FONT.axis);
  if (labels.every(({ text }) => text.width <= MAX_LABEL_SHARE * every * step))
    return {
      height: FONT.axis + 14,
      leftNeeded: 0,
      place: (toX, top) =>
        labels.map(({ at, text }) => placeText(text, { x: toX(at), y: top + 14 + FONT.axis / 2, align: 0.5 })),
    };
  const small = await render(FONT.slanted);
  const slanted = await Promise.all(small.map(async ({ at, text }) => ({ at, text: await slant(text) })));
  return {
    height: Math.max(...slanted.map(({ text }) => text.height)) + 10,
    leftNeeded: Math.max(...slanted.map(({ at, text }) => text.width - (at + 0.5) * step)) + EDGE,
    place: (toX, top) =>
      slanted.map(({ at, text }) =>
        placeText(text, { x: toX(at) + FONT.slanted / 3, y: top + 10 + text.height / 2, align: 1 }),
      ),
  };
}

/** Turns a line so that it rises to the right. */
async function slant({ bytes }: RenderedText): Promise<RenderedText> {
  const { data, info } = await sharp(bytes)
    .rotate(-45, { background: '#00000000' })
    .png()
    .toBuffer({ resolveWithObject: true });
  return { bytes: data, width: info.width, height: info.height };
}

/** Digits that hide the errors of floating-point multiplication. */
const DIGITS = 12;

/**
 * Returns an axis with round ticks that covers all values from `low` to `high`.
 * @param range.hasFractions ticks may be fractions. Default false.
 */
export function toScale({
  low = 0,
  high,
  hasFractions = false,
}: {
  readonly low?: number;
  readonly high: number;
  readonly hasFractions?: boolean | undefined;
}): Scale {
  const step = toStep(high - low, hasFractions);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.max(first + 1, Math.ceil(high / step - 1e-9));
  const ticks = Array.from({ length: last - first + 1 }, (_, at) => Number(((first + at) * step).toPrecision(DIGITS)));
  return { ticks, bottom: ticks[0] ?? 0, top: ticks.at(-1) ?? 1 };
}

const STEPS = [1, 2, 2.5, 5, 10];
const MAX_TICKS = 5;

function toStep(span: number, hasFractions: boolean): number {
  if (span <= 0) return 1;
  const rough = span / (MAX_TICKS - 1);
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const steps = STEPS.map((step) => Number((step * magnitude).toPrecision(DIGITS)));
  const usable = hasFractions ? steps : steps.filter((step) => step >= 1 && Number.isInteger(step));
  return usable.find((step) => step >= rough * (1 - 1e-9)) ?? Math.max(1, Math.ceil(rough));
}
