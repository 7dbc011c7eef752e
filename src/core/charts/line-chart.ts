import { type Axes, type AxisChart, layOutAxes } from './axes.ts';
import { colourOf, compose, fix } from './canvas.ts';

/** Up to this number of points, each has a dot. */
const MAX_DOTTED = 30;
/** The axis begins above zero if all values are in a range narrower than this share of the highest one. */
const NARROW = 0.5;

/**
 * Renders one line for each series on a white background. A line has a gap where its series has no value.
 * @returns a PNG of 1080 × 720 pixels.
 */
export async function drawLineChart(chart: AxisChart): Promise<Buffer> {
  const axes = await layOutAxes(chart, findRange(chart));
  const lines = chart.series.map((_, series) => drawLine(chart, series, axes));
  return compose([...axes.shapes, ...axes.zeroLine, ...lines], axes.texts);
}

function findRange({ points }: AxisChart) {
  const values = points.flatMap((point) => point.values.flatMap((value) => value ?? []));
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const isNarrow = high > low && high - low < NARROW * Math.max(Math.abs(low), Math.abs(high)) && low * high > 0;
  return isNarrow ? { low, high } : { low: Math.min(0, ...values), high: Math.max(0, ...values) };
}

function drawLine({ points }: AxisChart, series: number, { toX, toY }: Axes): string {
  const colour = colourOf(series);
  const dots = points.flatMap(({ values }, at) => {
    const value = values[series];
    return value === undefined ? [] : [{ at, x: fix(toX(at)), y: fix(toY(value)) }];
  });
  const path = dots.map(({ at, x, y }, index) => `${dots[index - 1]?.at === at - 1 ? 'L' : 'M'}${x} ${y}`).join('');
  // A point between two gaps has no line.
  const shown = dots.filter(
    ({ at }) => points.length <= MAX_DOTTED || !dots.some((other) => Math.abs(other.at - at) === 1),
  );
  const circles = shown.map(({ x, y }) => `<circle cx="${x}" cy="${y}" r="6" fill="${colour}"/>`);
  const stroke = `stroke="${colour}" stroke-width="4" stroke-linejoin="round" stroke-linecap="round"`;
  return `<path d="${path}" fill="none" ${stroke}/>${circles.join('')}`;
}
