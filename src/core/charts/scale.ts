/** Ticks and end of an axis. */
export interface Scale {
  /** Evenly spaced values from 0. */
  readonly ticks: readonly number[];
  /** The last tick; at least the highest value. */
  readonly top: number;
}

const STEPS = [1, 2, 2.5, 5, 10];
const MAX_TICKS = 5;

/** Returns an axis from 0 with round ticks, which are not necessarily integers. If all values are 0, it ends at 1. */
export function toFractionalScale(highest: number): Scale {
  if (highest <= 0) return toScale(0);
  const factor = 10 ** Math.max(0, 2 - Math.floor(Math.log10(highest)));
  const { ticks } = toScale(highest * factor);
  const values = ticks.map((tick) => tick / factor);
  return { ticks: values, top: values.at(-1) ?? 1 };
}

/** Returns an axis from 0 with round integer ticks. If all values are 0, it ends at 1. */
export function toScale(highest: number): Scale {
  const rough = Math.max(highest, 1) / (MAX_TICKS - 1);
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const steps = STEPS.map((step) => step * magnitude).filter((step) => step >= 1 && Number.isInteger(step));
  const step = steps.find((candidate) => candidate >= rough * (1 - 1e-9)) ?? Math.max(1, Math.ceil(rough));
  const count = Math.max(1, Math.ceil(highest / step - 1e-9));
  const ticks = Array.from({ length: count + 1 }, (_, at) => at * step);
  return { ticks, top: count * step };
}
