import { median } from '../statistics.ts';
import type { LoadSample } from './load-order.ts';
import { type Goal, type Metric, memoryGoals, metricTitles, type Scenario } from './scenarios.ts';
import type { TargetName } from './targets.ts';

/** One round of one scenario: a sample of every target, measured one after another. */
export type Round = ReadonlyMap<TargetName, LoadSample>;

export interface MeasuredScenario {
  readonly scenario: Scenario;
  readonly rounds: readonly Round[];
}

/** Resident memory of each target in MiB. */
export type TargetMemory = ReadonlyMap<TargetName, MemoryUse>;

export interface MemoryUse {
  /** Peak during the start, when an embedded database is created. */
  readonly starting: number;
  readonly idle: number;
  readonly underLoad: number;
}

/** One number of every target in every round. */
type Numbers = readonly ReadonlyMap<TargetName, number>[];

const HEADINGS = [
  ...['scenario', 'number', 'provider', 'proxy', 'portkey', 'switchboard'],
  ...['to proxy', 'goal', '', 'to portkey', 'goal', '', 'proxy to portkey'],
];

/**
 * Returns the table of a run in Markdown. Ratios are taken within each round, because conditions are equal there; the
 * table shows their median.
 */
export function describeRun(measured: readonly MeasuredScenario[], memory: TargetMemory): string {
  const rows = measured.flatMap(({ scenario, rounds }) =>
    scenario.metrics.map((metric, index) =>
      toRow(index === 0 ? scenario.name : '', metricTitles[metric.field], metric, readNumbers(rounds, metric)),
    ),
  );
  const toMemoryRow = (title: string, read: (use: MemoryUse) => number, goals: Goals = {}) =>
    toRow('', title, goals, [new Map([...memory].map(([name, use]) => [name, Math.round(read(use))] as const))]);
  rows.push(
    toMemoryRow('peak memory, MiB', ({ starting, underLoad }) => Math.max(starting, underLoad), memoryGoals),
    toMemoryRow('idle, MiB', ({ idle }) => idle),
    toMemoryRow('under load, MiB', ({ underLoad }) => underLoad),
  );
  return toTable([HEADINGS, ...rows]);
}

type Goals = Pick<Metric, 'toProxy' | 'toPortkey'>;

function readNumbers(rounds: readonly Round[], { field }: Metric): Numbers {
  return rounds.map((round) => new Map([...round].map(([name, sample]) => [name, sample[field]] as const)));
}

function toRow(scenario: string, title: string, { toProxy, toPortkey }: Goals, numbers: Numbers): string[] {
  const read = (name: TargetName) => numbers.flatMap((round) => round.get(name) ?? []);
  const toRatio = (one: TargetName, other: TargetName) =>
    median(numbers.map((round) => (round.get(one) ?? Number.NaN) / (round.get(other) ?? Number.NaN)));
  return [
    scenario,
    title,
    ...(['provider', 'proxy', 'portkey', 'switchboard'] as const).map((name) => toDigits(median(read(name)))),
    ...describeRatio(toRatio('switchboard', 'proxy'), toProxy),
    ...describeRatio(toRatio('switchboard', 'portkey'), toPortkey),
    // Ratio that the minimal proxy reaches for the same goal.
    toDigits(toRatio('proxy', 'portkey')),
  ];
}

function describeRatio(ratio: number, goal: Goal | undefined): string[] {
  if (!goal || Number.isNaN(ratio)) return [toDigits(ratio), '', ''];
  const [sign, limit, isMet] =
    'atLeast' in goal ? ['>=', goal.atLeast, ratio >= goal.atLeast] : ['<=', goal.atMost, ratio <= goal.atMost];
  return [toDigits(ratio), `${sign} ${limit}`, isMet ? 'met' : '**missed**'];
}

function toTable(rows: readonly (readonly string[])[]): string {
  const widths = HEADINGS.map((_heading, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)));
  const toLine = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [head, widths.map((width) => '-'.repeat(width)), ...body].map(toLine).join('\n');
}

function toDigits(value: number): string {
  if (Number.isNaN(value)) return '';
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}
