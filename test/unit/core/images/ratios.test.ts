import { describe, expect, test } from 'vitest';
import { ASPECT_RATIOS, findNearestRatio } from '../../../../src/core/images/index.ts';

describe('findNearestRatio', () => {
  test.each(ASPECT_RATIOS)('returns %s for the same ratio', (ratio) => {
    const [width = 0, height = 0] = ratio.split(':').map((side) => Number(side) * 37);
    expect(findNearestRatio({ width, height })).toBe(ratio);
  });

  test.each([
    [4032, 3024, '4:3'],
    [1000, 990, '1:1'],
    [10_000, 10, '21:9'],
    [1, 5000, '9:21'],
    [1080, 2340, '9:21'],
  ])('for %i by %i returns %3$s', (width, height, ratio) => {
    expect(findNearestRatio({ width, height })).toBe(ratio);
  });
});
