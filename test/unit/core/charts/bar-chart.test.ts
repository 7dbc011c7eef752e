import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { type BarChart, drawBarChart } from '../../../../src/core/charts/index.ts';

const BLUE = [0x2f, 0x6f, 0xde];
const ORANGE = [0xf0, 0x8a, 0x3c];

async function draw(chart: Partial<BarChart>) {
  const png = await drawBarChart({
    title: 'Tokens per day',
    parts: ['one'],
    bars: [],
    formatNumber: String,
    ...chart,
  });
  const { data, info } = await sharp(png).raw().toBuffer({ resolveWithObject: true });
  /** Counts the rows of a column of the image that have this colour. */
  const height = (x: number, colour: readonly number[]) => {
    const isIt = (y: number) =>
      colour.every((value, at) => Math.abs((data[(y * info.width + x) * info.channels + at] ?? 0) - value) < 12);
    return Array.from({ length: info.height }, (_, y) => y).filter(isIt).length;
  };
  return { info, height };
}

describe('a bar chart', () => {
  it('has a size for phones', async () => {
    const { info } = await draw({ bars: [{ label: 'today', values: [3] }] });
    expect([info.width, info.height, info.format]).toEqual([1080, 720, 'raw']);
  });

  it('stacks parts as high as their values', async () => {
    const { height } = await draw({
      parts: ['one', 'two'],
      bars: [
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
    const bars = [
      { label: '', values: [1_000_000] },
      { label: '', values: [1] },
    ];
    expect((await draw({ bars })).height(820, BLUE)).toBeGreaterThan(0);
  });

  it.each([
    ['nothing at all', []],
    ['nothing but zeros', [{ label: 'a', values: [0] }]],
    ['labels of every script and length', [{ label: `<b>&${'щ'.repeat(300)}`, values: [5] }]],
    ['a thousand bars', Array.from({ length: 1000 }, (_, at) => ({ label: `${at}`, values: [at] }))],
  ])('accepts %s', async (_, bars) => {
    const parts = ['имя <модели> & другой', 'x'.repeat(200), 'llama', 'qwen', 'gemma', 'others'];
    const filled = bars.map((bar) => ({ ...bar, values: parts.map(() => bar.values[0] ?? 0) }));
    expect((await draw({ parts, bars: filled })).info.width).toBe(1080);
  });
});
