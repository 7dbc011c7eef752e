import sharp, { type OverlayOptions } from 'sharp';
import { shorten } from '../../lib/shorten.ts';
import { type RenderedText, renderLine, renderText } from '../images/index.ts';
import { toFractionalScale, toScale } from './scale.ts';

/** A stacked bar chart. */
export interface BarChart {
  readonly title: string;
  /** Names of the stacked series, from the bottom up; shown in the legend if there are several. At most six. */
  readonly parts: readonly string[];
  /** From left to right. */
  readonly bars: readonly Bar[];
  /** True if values may be fractions, so that the axis may show them. Default false. */
  readonly hasFractions?: boolean | undefined;
  /** Formats a number of the axis. */
  readonly formatNumber: (value: number) => string;
}

export interface Bar {
  /** Label below the axis. Only the last bar and others at even distances are labelled, at most six. */
  readonly label: string;
  /** One value for each series. */
  readonly values: readonly number[];
}

/** Sized for phones: large letters, and a ratio that leaves space for the text below the image. */
const SIZE = { width: 1080, height: 720 };
const MARGIN = 40;
/** Minimum distance of letters to the right edge. */
const EDGE = 12;
const FONT = { title: 42, legend: 30, axis: 30 };
const INK = { title: '#1d2433', text: '#5b6577', line: '#e3e7ee', ground: '#ffffff' };
const PART_COLOURS = ['#2f6fde', '#f08a3c', '#23a08c', '#9a62c7', '#d9508a', '#aeb6c4'];
const MAX_LABELS = 6;
/** Maximum length of an axis label that always fits. */
const MAX_AXIS_CHARACTERS = 12;
const MAX_NAME_CHARACTERS = 32;
const MAX_TITLE_CHARACTERS = 32;

/** A point of the image and the alignment of a text there. */
interface Anchor {
  readonly x: number;
  readonly y: number;
  /** 0: the left edge, 0.5: the middle, 1: the right edge. */
  readonly align: number;
}

/**
 * Renders a chart on a white background.
 * @returns a PNG of 1080 × 720 pixels.
 */
export async function drawBarChart(chart: BarChart): Promise<Buffer> {
  const highest = Math.max(0, ...chart.bars.map(({ values }) => sum(values)));
  const scale = chart.hasFractions ? toFractionalScale(highest) : toScale(highest);
  const [title, ticks, legend, labels] = await Promise.all([
    renderText(shorten(chart.title, MAX_TITLE_CHARACTERS), { fontSize: FONT.title, colour: INK.title }),
    Promise.all(scale.ticks.map(async (value) => ({ value, text: await axisText(chart.formatNumber(value)) }))),
    layOutLegend(chart),
    Promise.all(chooseLabels(chart.bars).map(async ({ at, label }) => ({ at, text: await axisText(label) }))),
  ]);
  const plot = {
    left: MARGIN + Math.max(...ticks.map(({ text }) => text.width)) + 16,
    right: SIZE.width - MARGIN,
    top: MARGIN + title.height + 24 + legend.height + 24,
    bottom: SIZE.height - MARGIN - FONT.axis - 14,
  };
  const toY = (value: number) => plot.bottom - ((plot.bottom - plot.top) * value) / scale.top;
  const barStep = (plot.right - plot.left) / Math.max(1, chart.bars.length);

  const shapes = [
    ...ticks.map(({ value }) => line(plot.left, plot.right, toY(value))),
    ...chart.bars.flatMap((bar, at) => drawBar(bar, { left: plot.left + at * barStep, step: barStep, toY })),
    ...legend.shapes(MARGIN, MARGIN + title.height + 24),
  ];
  const texts = [
    placeText(title, { x: MARGIN, y: MARGIN + title.height / 2, align: 0 }),
    ...legend.texts(MARGIN, MARGIN + title.height + 24),
    ...ticks.map(({ value, text }) => placeText(text, { x: plot.left - 16, y: toY(value), align: 1 })),
    ...labels.map(({ at, text }) => {
      const x = plot.left + (at + 0.5) * barStep;
      return placeText(text, { x, y: plot.bottom + 14 + FONT.axis / 2, align: 0.5 });
    }),
  ];
  return sharp(Buffer.from(toSvg(shapes)))
    .composite(texts)
    .removeAlpha()
    .png({ palette: true })
    .toBuffer();
}

function axisText(text: string): Promise<RenderedText> {
  return renderLine(shorten(text, MAX_AXIS_CHARACTERS), { fontSize: FONT.axis, colour: INK.text });
}

/** Returns the labels of the last bar and of others at even distances before it. */
function chooseLabels(bars: readonly Bar[]): { readonly at: number; readonly label: string }[] {
  const step = Math.ceil(bars.length / MAX_LABELS);
  return bars.flatMap(({ label }, at) => ((bars.length - 1 - at) % step === 0 && label !== '' ? [{ at, label }] : []));
}

function drawBar(
  { values }: Bar,
  { left, step, toY }: { readonly left: number; readonly step: number; readonly toY: (value: number) => number },
): string[] {
  const width = Math.max(2, Math.min(step * 0.72, 90));
  let ground = 0;
  return values.flatMap((value, part) => {
    const [bottom, top] = [toY(ground), toY(ground + value)];
    ground += value;
    if (value <= 0) return [];
    // At least 2 pixels, so that small values are visible.
    const height = Math.max(2, bottom - top);
    return [rectangle({ x: left + (step - width) / 2, y: bottom - height, width, height }, part)];
  });
}

const SWATCH = 26;
const LEGEND_GAP = 36;

/** Lays out the legend in rows. Empty if there is only one series. */
async function layOutLegend({ parts }: BarChart) {
  if (parts.length < 2) return { height: 0, shapes: () => [], texts: () => [] };
  const names = await Promise.all(
    parts.map((name) => renderLine(shorten(name, MAX_NAME_CHARACTERS), { fontSize: FONT.legend, colour: INK.text })),
  );
  const rowHeight = FONT.legend + 18;
  let [x, row] = [0, 0];
  const entries = names.map((text, part) => {
    const width = SWATCH + 12 + text.width;
    if (x > 0 && x + width > SIZE.width - 2 * MARGIN) [x, row] = [0, row + 1];
    const found = { text, part, x, y: row * rowHeight };
    x += width + LEGEND_GAP;
    return found;
  });
  return {
    height: (row + 1) * rowHeight,
    shapes: (left: number, top: number) =>
      entries.map(({ part, ...at }) =>
        rectangle({ x: left + at.x, y: top + at.y + (rowHeight - SWATCH) / 2, width: SWATCH, height: SWATCH }, part),
      ),
    texts: (left: number, top: number) =>
      entries.map(({ text, ...at }) =>
        placeText(text, { x: left + at.x + SWATCH + 12, y: top + at.y + rowHeight / 2, align: 0 }),
      ),
  };
}

function placeText(text: RenderedText, { x, y, align }: Anchor): OverlayOptions {
  const left = Math.min(Math.round(x - align * text.width), SIZE.width - EDGE - text.width);
  return { input: text.bytes, left: Math.max(0, left), top: Math.max(0, Math.round(y - text.height / 2)) };
}

function rectangle(
  { x, y, width, height }: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
  part: number,
): string {
  const colour = PART_COLOURS[part % PART_COLOURS.length];
  return `<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${width.toFixed(1)}" height="${height.toFixed(1)}" rx="2" fill="${colour}"/>`;
}

function line(left: number, right: number, y: number): string {
  return `<line x1="${left}" x2="${right}" y1="${y.toFixed(1)}" y2="${y.toFixed(1)}" stroke="${INK.line}" stroke-width="2"/>`;
}

function toSvg(shapes: readonly string[]): string {
  const { width, height } = SIZE;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">`,
    `<rect width="${width}" height="${height}" fill="${INK.ground}"/>`,
    ...shapes,
    '</svg>',
  ].join('');
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
