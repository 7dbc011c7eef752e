import { expect, it } from 'vitest';
import { dollarsSchema, MAX_DOLLARS, toNineDecimals } from '../../../src/lib/dollars.ts';

it.each([
  [0, 0],
  [0.1 + 0.2, 0.3],
  [0.000_000_037_5, 0.000_000_038],
  [0.000_000_037_499_9, 0.000_000_037],
  [1.000_000_000_5, 1.000_000_001],
  [999_999.999_999_999, 999_999.999_999_999],
  [1e308, MAX_DOLLARS],
])('rounds %d to %d', (dollars, rounded) => {
  expect(toNineDecimals(dollars)).toBe(rounded);
});

it.each([0, 0.000_000_001, 0.1, 12.34, 999_999.999_999_999, MAX_DOLLARS])('accepts %d dollars', (dollars) => {
  expect(dollarsSchema.parse(dollars)).toBe(dollars);
});

it.each([
  [-0.01, 'must not be negative'],
  [Number.NaN, 'must be a number'],
  [Number.POSITIVE_INFINITY, 'must be a number'],
  [1e308, 'must be at most 1000000'],
  [1_000_000.01, 'must be at most 1000000'],
  [0.000_000_000_1, 'must have at most 9 decimals'],
  ['5', 'must be a number'],
  [null, 'must be a number'],
])('refuses %s', (value, message) => {
  const { error } = dollarsSchema.safeParse(value);
  expect(error?.issues.map((issue) => issue.message)).toContain(message);
});
