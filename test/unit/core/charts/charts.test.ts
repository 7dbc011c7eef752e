import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import {
  type AxisChart,
  type BarChart,
  drawBarChart,
  drawLineChart,
  drawPieChart,
} from '../../../../src/core/charts/index.ts';

const BLUE = [0x2f, 0x6f, 0xde];
const ORANGE = [0xf0, 0x8a, 0x3c];
const AXIS = [0x8b, 0x94, 0xa5];

const BASE: AxisChart = { title: 'Tokens per day', series: ['one'], points: [], formatNumber: String };
const LONG = `<b>&"${'щ'.repeat(300)}`;
const NAMES = ['имя <модели> & другой', 'x'.repeat(200), 'llama 🦙', '\u202e\u0000\ud800', '漢字'.repeat(50), ''];

async function read(png: Buffer) {
  const { data, info } = await sharp(png).raw().toBuffer({ resolveWithObject: true });
  const isColour = (x: number, y: number, colour: readonly number[]) =>
    colour.every((value, at) => Math.abs((data[(y * info.width + x) * info.channels + at] ?? 0) - value) < 12);
  /** Lists the rows of a column of the image that have this colour. */
  const rows = (x: number, colour: readonly number[]) =>
    Array.from({ length: info.height }, (_, y) => y).filter((y) => isColour(x, y, colour));
  const height = (x: number, colour: readonly number[]) => rows(x, colour).length;
  /** Share of the image that has this colour. */
  const area = (colour: readonly number[]) => {
    let count = 0;
    for (let x = 0; x < info.width; x += 2) count += height(x, colour) * 2;
    return count / (info.width * info.height);
  };
  return { info, rows, height, area };
}

const drawBars = async (chart: Partial<BarChart>) => read(await drawBarChart({ ...BASE, ...chart }));
const drawLines = async (chart: Partial<AxisChart>) => read(await drawLineChart({ ...BASE, ...chart }));
const drawPie = async (values: readonly number[], name = 'slice') =>
  read(
    await drawPieChart({
      title: 'Shares',
      slices: values.map((value, at) => ({ name: `${name} ${at}`, value })),
      others: 'Others',
      formatShare: (share) => `${Math.round(share * 100)} %`,
    }),
  );
const toPoints = (...values: readonly (number | undefined)[]) =>
  values.map((value, at) => ({ label: `${at}`, values: [value] }));

/** Points with every difficulty, and six series. */
const HARD_POINTS: readonly (readonly [string, AxisChart['points']])[] = [
  ['nothing at all', []],
  ['nothing but zeros', toPoints(0)],
  ['no values', toPoints(undefined, undefined)],
  ['one point', toPoints(7)],
  ['the largest and smallest numbers', toPoints(1e15, -1e15, 1e-6, 0)],
  ['labels of every script and length', NAMES.map((label) => ({ label: label + LONG, values: [5] }))],
  ['labels without letters', [{ label: '\u200b', values: [1] }]],
  ['a thousand points', toPoints(...Array.from({ length: 1000 }, (_, at) => at - 500))],
];
const widen = (points: AxisChart['points']) => ({
  title: LONG,
  series: NAMES,
  points: points.map(({ label, values }) => ({ label, values: NAMES.map(() => values[0]) })),
});

describe('a bar chart', () => {
  it('has a size for phones', async () => {
    const { info } = await drawBars({ points: toPoints(3) });
    expect([info.width, info.height, info.format]).toEqual([1080, 720, 'raw']);
  });

  it('stacks series as high as their values', async () => {
    const { height } = await drawBars({
      series: ['one', 'two'],
      points: [
        { label: 'Monday', values: [100, 0] },
        { label: 'Tuesday', values: [50, 25] },
      ],
    });
    const [left, right] = [340, 800];
    expect(height(left, ORANGE)).toBe(0);
    expect(height(left, BLUE) / height(right, BLUE)).toBeCloseTo(2, 1);
    expect(height(right, BLUE) / height(right, ORANGE)).toBeCloseTo(2, 1);
  });

  it('shows the smallest value next to the largest', async () => {
    expect((await drawBars({ points: toPoints(1_000_000, 1) })).height(820, BLUE)).toBeGreaterThan(0);
  });

  it('groups series side by side', async () => {
    const points = [{ label: '', values: [100, 50] }];
    const { height } = await drawBars({ series: ['one', 'two'], points, isGrouped: true });
    const columns = Array.from({ length: 1080 }, (_, x) => x);
    const [blue, orange] = [BLUE, ORANGE].map((colour) => columns.filter((x) => height(x, colour) > 40));
    expect(Math.max(...(blue ?? []))).toBeLessThan(Math.min(...(orange ?? [])));
    expect(height(blue?.[20] ?? 0, BLUE) / height(orange?.[20] ?? 0, ORANGE)).toBeCloseTo(2, 1);
  });

  it.each([true, false])('draws negative values below the line at zero, grouped: %s', async (isGrouped) => {
    const { rows, height } = await drawBars({ points: toPoints(10, -5), isGrouped });
    const [zero = 0] = rows(1000, AXIS);
    expect(zero).toBeGreaterThan(300);
    expect(Math.max(...rows(340, BLUE))).toBeLessThanOrEqual(zero + 1);
    expect(Math.min(...rows(800, BLUE))).toBeGreaterThanOrEqual(zero - 1);
    expect(height(340, BLUE) / height(800, BLUE)).toBeCloseTo(2, 1);
  });

  it.each(HARD_POINTS)('accepts %s', async (_, points) => {
    expect((await drawBars(widen(points))).info.width).toBe(1080);
    expect((await drawBars({ ...widen(points), isGrouped: true })).info.height).toBe(720);
  });

  it('leaves space for bars beside the longest texts', async () => {
    const points = ['a', 'b', 'c'].map((label) => ({ label: label + LONG, values: [5] }));
    const { area } = await drawBars(widen(points));
    expect(area(BLUE)).toBeGreaterThan(0.005);
  });
});

describe('a line chart', () => {
  it('connects neighbours, and leaves a gap for a missing value', async () => {
    const { height } = await drawLines({ points: toPoints(5, 5, undefined, 5) });
    // Between the points at 1/8, 3/8, 5/8 and 7/8 of the width.
    expect(height(320, BLUE)).toBeGreaterThan(0);
    expect(height(680, BLUE)).toBe(0);
  });

  it('begins above zero if the values are close together', async () => {
    const close = await drawLines({ points: toPoints(1000, 1007) });
    const far = await drawLines({ points: toPoints(1, 1007) });
    const steepness = ({ rows }: typeof close) => Math.min(...rows(350, BLUE)) - Math.min(...rows(750, BLUE));
    expect(steepness(close) / steepness(far)).toBeGreaterThan(0.7);
  });

  it.each(HARD_POINTS)('accepts %s', async (_, points) => {
    expect((await drawLines(widen(points))).info.width).toBe(1080);
  });
});

describe('a pie chart', () => {
  it('has slices as large as their values', async () => {
    const { area } = await drawPie([75, 25]);
    expect(area(BLUE) / area(ORANGE)).toBeCloseTo(3, 1);
  });

  it.each([
    ['one slice', [3]],
    ['a slice without a value', [0, 3]],
    ['very different slices', [1e15, 1e-6]],
    ['a hundred slices', Array.from({ length: 100 }, (_, at) => at + 1)],
  ])('accepts %s', async (_, values) => {
    const { info, area } = await drawPie(values, LONG);
    expect(info.width).toBe(1080);
    expect(area([255, 255, 255])).toBeLessThan(0.8);
  });
});
