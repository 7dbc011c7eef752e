import type { LoadSample } from './load-order.ts';
import { type Metric, memoryGoal, metricTitles, type Scenario } from './scenarios.ts';
import type { TargetName } from './targets.ts';

/** One round of one scenario: a sample of every target, taken one after the other. */
export type Round = Readonly<Record<TargetName, LoadSample>>;

export interface MeasuredScenario {
  readonly scenario: Scenario;
  readonly rounds: readonly Round[];
}

/** Resident memory of each target, MiB. */
export type TargetMemory = Readonly<Record<TargetName, MemoryUse>>;

export interface MemoryUse {
  /** The most while it started: an embedded database is made then. */
  readonly starting: number;
  readonly idle: number;
  readonly underLoad: number;
}

const COLUMNS = [28, 15, 10, 10, 12, 7, 9] as const;

/** The table of a run. Ratios are taken within each round, where the machine was the same for both, and their median is told. */
export function describeRun(measured: readonly MeasuredScenario[], memory: TargetMemory): string {
  const lines = [toLine(['', '', 'provider', 'proxy', 'switchboard', 'ratio', 'goal']), ''];
  for (const { scenario, rounds } of measured) {
    for (const [index, metric] of scenario.metrics.entries())
      lines.push(describeMetric(index === 0 ? scenario.name : '', metric, rounds));
  }
  const peak = ({ starting, underLoad }: MemoryUse) => Math.max(starting, underLoad);
  lines.push(
    describeMemory('memory', 'peak MiB', memory, peak, memoryGoal),
    describeMemory('', 'idle MiB', memory, ({ idle }) => idle),
    describeMemory('', 'under load MiB', memory, ({ underLoad }) => underLoad),
  );
  return lines.join('\n');
}

function describeMetric(scenario: string, { field, goal }: Metric, rounds: readonly Round[]): string {
  const medians = (['provider', 'proxy', 'switchboard'] as const).map((target) =>
    median(rounds.map((round) => round[target][field])),
  );
  const ratio = median(rounds.map((round) => round.switchboard[field] / round.proxy[field]));
  return toLine([scenario, metricTitles[field], ...medians.map(toDigits), ...describeRatio(ratio, goal)]);
}

function describeMemory(
  name: string,
  title: string,
  { provider, proxy, switchboard }: TargetMemory,
  read: (use: MemoryUse) => number,
  goal?: Metric['goal'],
): string {
  const values = [provider, proxy, switchboard].map((use) => read(use).toFixed(0));
  return toLine([name, title, ...values, ...describeRatio(read(switchboard) / read(proxy), goal)]);
}

function describeRatio(ratio: number, goal: Metric['goal']): string[] {
  if (!goal) return [ratio.toFixed(2)];
  const [sign, limit, isMet] =
    'atLeast' in goal ? ['>=', goal.atLeast, ratio >= goal.atLeast] : ['<=', goal.atMost, ratio <= goal.atMost];
  return [ratio.toFixed(2), `${sign} ${limit.toFixed(2)}`, isMet ? 'met' : 'MISSED'];
}

function toLine(cells: readonly string[]): string {
  const padded = cells.map((cell, index) => {
    const width = COLUMNS[index] ?? 0;
    return index < 2 ? cell.padEnd(width) : cell.padStart(width);
  });
  return padded.join(' ').trimEnd();
}

function toDigits(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}

function median(values: readonly number[]): number {
  const ascending = [...values].sort((a, b) => a - b);
  const middle = ascending.length / 2;
  const [low, high] = [ascending[Math.ceil(middle) - 1], ascending[Math.floor(middle)]];
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2;
}
