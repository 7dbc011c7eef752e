/** Required range of a number. */
export type Goal = { readonly atLeast: number } | { readonly atMost: number };

/** Row of the table. */
export interface Finding {
  readonly scenario: string;
  readonly measure: string;
  /** Value in the unit that `measure` names. */
  readonly value: number;
  /** Reference value in the same unit, measured in the same run. */
  readonly reference?: number | undefined;
  /** Number that the goal applies to; default the ratio of the two. */
  readonly goalOf?: 'ratio' | 'value' | undefined;
  readonly goal?: Goal | undefined;
}

const COLUMNS = [34, 26, 11, 11, 7, 10] as const;
export const TABLE_HEAD = toLine(['', '', 'switchboard', 'reference', 'ratio', 'goal']);

/** Formats a finding as a line below `TABLE_HEAD`. */
export function describeFinding({ scenario, measure, value, reference, goalOf = 'ratio', goal }: Finding): string {
  const ratio = reference === undefined ? undefined : value / reference;
  const judged = goalOf === 'value' ? value : ratio;
  return toLine([
    scenario,
    measure,
    toDigits(value),
    reference === undefined ? '' : toDigits(reference),
    ratio === undefined ? '' : ratio.toFixed(2),
    ...(goal === undefined || judged === undefined ? [] : describeGoal(goal, judged)),
  ]);
}

function describeGoal(goal: Goal, value: number): string[] {
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

function toDigits(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}
