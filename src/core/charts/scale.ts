/** Ticks and ends of an axis. */
export interface Scale {
  /** Evenly spaced round values, ascending. */
  readonly ticks: readonly number[];
  /** The first tick; at most the lowest value. */
  readonly bottom: number;
  /** The last tick; at least the highest value. */
  readonly top: number;
}

const STEPS = [1, 2, 2.5, 5, 10];
const MAX_TICKS = 5;
/** Digits that hide the errors of floating-point multiplication. */
const DIGITS = 12;

/**
 * Returns an axis with round ticks that covers all values from `low` to `high`.
 * @param range.hasFractions ticks may be fractions. Default false.
 */
export function toScale({
  low = 0,
  high,
  hasFractions = false,
}: {
  readonly low?: number;
  readonly high: number;
  readonly hasFractions?: boolean | undefined;
}): Scale {
  const step = toStep(high - low, hasFractions);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.max(first + 1, Math.ceil(high / step - 1e-9));
  const ticks = Array.from({ length: last - first + 1 }, (_, at) => Number(((first + at) * step).toPrecision(DIGITS)));
  return { ticks, bottom: ticks[0] ?? 0, top: ticks.at(-1) ?? 1 };
}

function toStep(span: number, hasFractions: boolean): number {
  if (span <= 0) return 1;
  const rough = span / (MAX_TICKS - 1);
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const steps = STEPS.map((step) => Number((step * magnitude).toPrecision(DIGITS)));
  const usable = hasFractions ? steps : steps.filter((step) => step >= 1 && Number.isInteger(step));
  return usable.find((step) => step >= rough * (1 - 1e-9)) ?? Math.max(1, Math.ceil(rough));
}
