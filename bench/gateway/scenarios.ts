import type { AnswerKind } from './fixed-answers.ts';
import type { LoadSample } from './load-order.ts';

/** A way of asking, the same for every target. */
export interface Scenario {
  readonly name: string;
  readonly kind: AnswerKind;
  readonly textBytes: number;
  readonly concurrency: number;
  /** Requests of one measurement. */
  readonly count: number;
  readonly metrics: readonly Metric[];
}

/** A number to compare, with the goal where there is one. Ratios are Switchboard's number by the minimal proxy's. */
export interface Metric {
  readonly field: keyof LoadSample;
  readonly goal?: { readonly atLeast: number } | { readonly atMost: number };
}

export const metricTitles = {
  perSecond: 'per second',
  medianMs: 'median ms',
  p99Ms: 'p99 ms',
  firstChunkMs: 'first chunk ms',
  cpuMs: 'CPU ms each',
} satisfies Record<keyof LoadSample, string>;

/** Peak memory by the minimal proxy's. */
export const memoryGoal = { atMost: 1.5 };

const TURN_BYTES = 400;
const MIB = 1024 * 1024;

const underLoad: readonly Metric[] = [
  { field: 'perSecond', goal: { atLeast: 0.6 } },
  { field: 'p99Ms', goal: { atMost: 2 } },
  { field: 'cpuMs', goal: { atMost: 2 } },
];

export const scenarios: readonly Scenario[] = [
  {
    name: 'one at a time',
    kind: 'whole',
    textBytes: TURN_BYTES,
    concurrency: 1,
    count: 600,
    metrics: [{ field: 'medianMs', goal: { atMost: 1.6 } }],
  },
  {
    name: '32 at once',
    kind: 'whole',
    textBytes: TURN_BYTES,
    concurrency: 32,
    count: 4000,
    metrics: underLoad,
  },
  {
    name: '128 at once',
    kind: 'whole',
    textBytes: TURN_BYTES,
    concurrency: 128,
    count: 4000,
    metrics: underLoad,
  },
  {
    name: 'bodies of 1 MB, 8 at once',
    kind: 'whole',
    textBytes: MIB,
    concurrency: 8,
    count: 200,
    metrics: [{ field: 'perSecond', goal: { atLeast: 0.75 } }, { field: 'cpuMs' }],
  },
  {
    name: 'stream, one at a time',
    kind: 'stream-brief',
    textBytes: TURN_BYTES,
    concurrency: 1,
    count: 60,
    metrics: [{ field: 'firstChunkMs', goal: { atMost: 1.6 } }],
  },
  {
    name: 'paced streams, 32 at once',
    kind: 'stream-paced',
    textBytes: TURN_BYTES,
    concurrency: 32,
    count: 96,
    metrics: [{ field: 'perSecond', goal: { atLeast: 0.9 } }, { field: 'firstChunkMs' }, { field: 'cpuMs' }],
  },
  {
    name: 'stream burst, 32 at once',
    kind: 'stream-burst',
    textBytes: TURN_BYTES,
    concurrency: 32,
    count: 400,
    metrics: [{ field: 'perSecond', goal: { atLeast: 0.65 } }, { field: 'cpuMs' }],
  },
];
