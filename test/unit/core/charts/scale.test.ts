import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toFractionalScale, toScale } from '../../../../src/core/charts/scale.ts';

describe('an axis', () => {
  it.each([
    [0, [0, 1]],
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [7, [0, 2, 4, 6, 8]],
    [100, [0, 25, 50, 75, 100]],
    [15_400, [0, 5000, 10_000, 15_000, 20_000]],
  ])('for values up to %i has lines at %j', (highest, ticks) => {
    expect(toScale(highest).ticks).toEqual(ticks);
  });

  it.each([
    [0, [0, 1]],
    [0.00003, [0, 0.00001, 0.00002, 0.00003]],
    [0.75, [0, 0.2, 0.4, 0.6, 0.8]],
    [1.2, [0, 0.5, 1, 1.5]],
    [15_400, [0, 5000, 10_000, 15_000, 20_000]],
  ])('with fractions for values up to %d has lines at %j', (highest, ticks) => {
    expect(toFractionalScale(highest).ticks).toEqual(ticks);
  });

  it('covers every value with a handful of integers', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 12 }), (highest) => {
        const { ticks, top } = toScale(highest);
        expect(top).toBeGreaterThanOrEqual(highest);
        expect(ticks.at(-1)).toBe(top);
        expect(ticks.length).toBeLessThanOrEqual(6);
        expect(ticks.every(Number.isInteger)).toBe(true);
        expect(top).toBeLessThanOrEqual(Math.max(1, 2.5 * highest));
      }),
    );
  });
});
