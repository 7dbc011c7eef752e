import { type Axes, type AxisChart, layOutAxes, type Point } from './axes.ts';
import { colourOf, compose, rectangle } from './canvas.ts';

export interface BarChart extends AxisChart {
  /** Series are side by side instead of stacked, the first one at the bottom. Default false. */
  readonly isGrouped?: boolean | undefined;
}

const MAX_BAR_WIDTH = 90;
/** Share of a point that its bars take. */
const FILL = 0.72;
/** Height of the smallest visible bar. */
const MIN_HEIGHT = 2;

/**
 * Renders bars on a white background.
 * @returns a PNG of 1080 × 720 pixels.
 */
export async function drawBarChart(chart: BarChart): Promise<Buffer> {
  const axes = await layOutAxes(chart, findRange(chart));
  const drawPoint = chart.isGrouped ? drawGroup : drawStack;
  const bars = chart.points.flatMap((point, at) => drawPoint(point, at, axes));
  return compose([...axes.shapes, ...bars, ...axes.zeroLine], axes.texts);
}

function findRange({ points, isGrouped }: BarChart) {
  const toEnds = ({ values }: Point) =>
    isGrouped ? values.map((value = 0) => value) : [sumOf(values, 1), sumOf(values, -1)];
  const ends = points.flatMap(toEnds);
  return { low: Math.min(0, ...ends), high: Math.max(0, ...ends) };
}

/** Adds up the values with this sign. */
function sumOf(values: Point['values'], sign: 1 | -1): number {
  return values.reduce<number>((sum, value = 0) => (value * sign > 0 ? sum + value : sum), 0);
}

function drawStack({ values }: Point, at: number, { toX, toY, step }: Axes): readonly string[] {
  const width = Math.max(2, Math.min(step * FILL, MAX_BAR_WIDTH));
  let [above, below] = [0, 0];
  return values.flatMap((value = 0, series) => {
    if (value === 0) return [];
    const start = value > 0 ? above : below;
    if (value > 0) above += value;
    else below += value;
    return bar({ from: toY(start), to: toY(start + value), x: toX(at) - width / 2, width }, series);
  });
}

function drawGroup({ values }: Point, at: number, { toX, toY, step }: Axes): readonly string[] {
  const width = Math.max(2, Math.min((step * FILL) / Math.max(1, values.length), MAX_BAR_WIDTH));
  const left = toX(at) - (width * values.length) / 2;
  return values.flatMap((value = 0, series) =>
    value === 0 ? [] : bar({ from: toY(0), to: toY(value), x: left + series * width, width }, series),
  );
}

function bar(
  { from, to, x, width }: { readonly from: number; readonly to: number; readonly x: number; readonly width: number },
  series: number,
): string {
  const height = Math.max(MIN_HEIGHT, Math.abs(from - to));
  return rectangle({ x, y: to <= from ? from - height : from, width, height }, colourOf(series));
}
