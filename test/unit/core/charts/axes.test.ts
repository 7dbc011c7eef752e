import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toScale } from '../../../../src/core/charts/axes.ts';

describe('an axis', () => {
  it.each([
    [0, [0, 1]],
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [7, [0, 2, 4, 6, 8]],
    [100, [0, 25, 50, 75, 100]],
    [15_400, [0, 5000, 10_000, 15_000, 20_000]],
  ])('for values up to %i has lines at %j', (highest, ticks) => {
    expect(toScale({ high: highest }).ticks).toEqual(ticks);
  });

  it.each([
    [0, [0, 1]],
    [0.00003, [0, 0.00001, 0.00002, 0.00003]],
    [0.75, [0, 0.2, 0.4, 0.6, 0.8]],
    [1.2, [0, 0.5, 1, 1.5]],
    [15_400, [0, 5000, 10_000, 15_000, 20_000]],
  ])('with fractions for values up to %d has lines at %j', (highest, ticks) => {
    expect(toScale({ high: highest, hasFractions: true }).ticks).toEqual(ticks);
  });

  it.each([
    [-4, 5, [-5, -2.5, 0, 2.5, 5]],
    [-90, 0, [-100, -75, -50, -25, 0]],
    [1000, 1007, [1000, 1002, 1004, 1006, 1008]],
    [0.1, 0.3, [0.1, 0.15, 0.2, 0.25, 0.3]],
    [7, 7, [7, 8]],
  ])('from %d to %d has lines at %j', (low, high, ticks) => {
    expect(toScale({ low, high, hasFractions: true }).ticks).toEqual(ticks);
  });

  it('covers every range with a handful of different values', () => {
    const amount = fc.oneof(fc.double({ min: -1e15, max: 1e15, noNaN: true }), fc.integer({ min: -100, max: 100 }));
    fc.assert(
      fc.property(amount, amount, (one, other) => {
        const round = (value: number) => Number(value.toFixed(6));
        const [low, high] = [Math.min(round(one), round(other)), Math.max(round(one), round(other))];
        const { ticks, bottom, top } = toScale({ low, high, hasFractions: true });
        const error = 1e-8 * Math.max(Math.abs(low), Math.abs(high));
        expect(bottom).toBeLessThanOrEqual(low + error);
        expect(top).toBeGreaterThanOrEqual(high - error);
        expect(ticks.length).toBeGreaterThan(1);
        expect(ticks.length).toBeLessThanOrEqual(8);
        expect(new Set(ticks).size).toBe(ticks.length);
      }),
    );
  });

  it('covers every value with a handful of integers', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 12 }), (highest) => {
        const { ticks, top } = toScale({ high: highest });
        expect(top).toBeGreaterThanOrEqual(highest);
        expect(ticks.at(-1)).toBe(top);
        expect(ticks.length).toBeLessThanOrEqual(6);
        expect(ticks.every(Number.isInteger)).toBe(true);
        expect(top).toBeLessThanOrEqual(Math.max(1, 2.5 * highest));
      }),
    );
  });
});
