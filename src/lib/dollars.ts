import { Decimal } from 'decimal.js';
import { z } from 'zod';

/** Largest amount of money that is accepted or recorded, in US dollars. Below it, nine decimals fit into a number. */
export const MAX_DOLLARS = 1_000_000;

/** Decimals of the database's `numeric(18,9)`. */
const DECIMALS = 9;

/** Decimal numbers of 40 digits: products and sums of prices and counts are exact. */
export const Dollars = Decimal.clone({ precision: 40, rounding: Decimal.ROUND_HALF_UP });

/** Below it, the product with a billion has an error of less than a hundredth. */
const FAST_DOLLARS = 10_000;

/** Rounds an amount to billionths of a dollar, half up, as Postgres does; at most `MAX_DOLLARS`. */
export function toNineDecimals(dollars: number | Decimal): number {
  if (typeof dollars === 'number' && Math.abs(dollars) < FAST_DOLLARS) {
    const billionths = dollars * 1e9;
    const rounded = Math.round(billionths);
    // Far enough from a tie, the error of the product does not matter.
    if (Math.abs(billionths - rounded) < 0.49) return rounded / 1e9;
  }
  return Dollars.min(dollars, MAX_DOLLARS).toDecimalPlaces(DECIMALS).toNumber();
}

/** Amount in US dollars from a configuration or a request. The messages complete "'field' must …". */
export const dollarsSchema = z
  .number('must be a number')
  .nonnegative('must not be negative')
  .max(MAX_DOLLARS, `must be at most ${MAX_DOLLARS}`)
  .refine((dollars) => toNineDecimals(dollars) === dollars, `must have at most ${DECIMALS} decimals`);
