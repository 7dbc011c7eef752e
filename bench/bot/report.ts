import { percentile } from '../statistics.ts';
import type { ContestantName } from './contestants.ts';

/** Required range of Switchboard's value. */
export type Goal = { readonly atLeast: number } | { readonly atMost: number };

/** Row of the table. */
export interface Finding {
  /** Name and unit. */
  readonly measure: string;
  /** Values by bot; a missing one is not compared. Infinity: it never happened. */
  readonly values: Partial<Record<ContestantName, number>>;
  readonly goal?: Goal;
}

const COLUMNS = [24, 52, 9, 9, 12, 8, 8] as const;
export const TABLE_HEAD = toLine(['', '', 'edits', 'drafts', 'switchboard', 'goal']);

/** Formats a finding as a line below `TABLE_HEAD`. */
export function describeFinding(scenario: string, { measure, values, goal }: Finding): string {
  const { edits, drafts, switchboard } = values;
  return toLine([scenario, measure, ...[edits, drafts, switchboard].map(toDigits), ...judge(goal, switchboard)]);
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

function judge(goal: Goal | undefined, value: number | undefined): string[] {
  if (!goal || value === undefined) return [];
  const [sign, limit, isMet] =
    'atLeast' in goal ? ['>=', goal.atLeast, value >= goal.atLeast] : ['<=', goal.atMost, value <= goal.atMost];
  return [`${sign} ${limit}`, isMet ? 'met' : 'MISSED'];
}

function toLine(cells: readonly string[]): string {
  const padded = cells.map((cell, index) =>
    index < 2 ? cell.padEnd(COLUMNS[index] ?? 0) : cell.padStart(COLUMNS[index] ?? 0),
  );
  return padded.join(' ').trimEnd();
}

function toDigits(value: number | undefined): string {
  if (value === undefined) return '';
  if (value === Number.POSITIVE_INFINITY) return 'never';
  if (Number.isInteger(value)) return String(value);
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}
