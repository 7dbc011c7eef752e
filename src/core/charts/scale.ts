/** Where the lines of an axis are, and where it ends. */
export interface Scale {
  /** From 0 up, at even distances. */
  readonly ticks: readonly number[];
  /** The last tick: not below the highest value. */
  readonly top: number;
}

const STEPS = [1, 2, 2.5, 5, 10];
const MAX_TICKS = 5;

/** An axis from 0 whose lines are round numbers, whole ones where all values may be. Nothing but zeros gets an axis to 1. */
export function toScale(highest: number): Scale {
  const rough = Math.max(highest, 1) / (MAX_TICKS - 1);
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const steps = STEPS.map((step) => step * magnitude).filter((step) => step >= 1 && Number.isInteger(step));
  const step = steps.find((candidate) => candidate >= rough * (1 - 1e-9)) ?? Math.max(1, Math.ceil(rough));
  const count = Math.max(1, Math.ceil(highest / step - 1e-9));
  const ticks = Array.from({ length: count + 1 }, (_, at) => at * step);
  return { ticks, top: count * step };
}
