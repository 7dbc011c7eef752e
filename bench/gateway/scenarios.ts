import type { AnswerKind } from './fixed-answers.ts';
import type { LoadSample } from './load-order.ts';

/** Load pattern, the same for every target. */
export interface Scenario {
  readonly name: string;
  readonly kind: AnswerKind;
  readonly textBytes: number;
  readonly concurrency: number;
  /** Requests of one measurement. */
  readonly count: number;
  /** Requests for Portkey, if `count` would take too long. Default: `count`. */
  readonly portkeyCount?: number;
  readonly metrics: readonly Metric[];
}

/** Compared number, with goals for the ratios of Switchboard to the minimal proxy and to Portkey. */
export interface Metric {
  readonly field: keyof LoadSample;
  readonly toProxy?: Goal;
  readonly toPortkey?: Goal;
}

export type Goal = { readonly atLeast: number } | { readonly atMost: number };

export const metricTitles = {
  perSecond: 'per second',
  medianMs: 'median ms',
  p99Ms: 'p99 ms',
  firstChunkMs: 'first chunk ms',
  cpuMs: 'CPU ms each',
} satisfies Record<keyof LoadSample, string>;

/** Goals for the peak memory. */
export const memoryGoals = { toProxy: { atMost: 1.5 }, toPortkey: { atMost: 0.75 } };

const BATCH_BYTES = 400;
const MIB = 1024 * 1024;

const underLoad: readonly Metric[] = [
  { field: 'perSecond', toProxy: { atLeast: 0.6 }, toPortkey: { atLeast: 10 } },
  { field: 'p99Ms', toProxy: { atMost: 2 }, toPortkey: { atMost: 0.25 } },
  { field: 'cpuMs', toProxy: { atMost: 2 }, toPortkey: { atMost: 0.1 } },
];
const streams: Metric = { field: 'perSecond', toProxy: { atLeast: 0.9 }, toPortkey: { atLeast: 1.25 } };

export const scenarios: readonly Scenario[] = [
  {
    name: 'answers, one at a time',
    kind: 'whole',
    textBytes: BATCH_BYTES,
    concurrency: 1,
    count: 600,
    portkeyCount: 200,
    metrics: [{ field: 'medianMs', toProxy: { atMost: 1.6 }, toPortkey: { atMost: 0.5 } }],
  },
  {
    name: 'answers, 32 at once',
    kind: 'whole',
    textBytes: BATCH_BYTES,
    concurrency: 32,
    count: 4000,
    portkeyCount: 640,
    metrics: underLoad,
  },
  {
    name: 'answers, 128 at once',
    kind: 'whole',
    textBytes: BATCH_BYTES,
    concurrency: 128,
    count: 4000,
    portkeyCount: 640,
    metrics: underLoad,
  },
  {
    name: 'bodies of 1 MB, 8 at once',
    kind: 'whole',
    textBytes: MIB,
    concurrency: 8,
    count: 200,
    portkeyCount: 80,
    metrics: [{ field: 'perSecond', toProxy: { atLeast: 0.75 }, toPortkey: { atLeast: 3 } }, { field: 'cpuMs' }],
  },
  {
    name: 'streams, one at a time',
    kind: 'stream-brief',
    textBytes: BATCH_BYTES,
    concurrency: 1,
    count: 60,
    metrics: [{ field: 'firstChunkMs', toProxy: { atMost: 1.6 }, toPortkey: { atMost: 0.15 } }],
  },
  {
    name: 'paced streams, 32 at once',
    kind: 'stream-paced',
    textBytes: BATCH_BYTES,
    concurrency: 32,
    count: 64,
    metrics: [streams, { field: 'firstChunkMs' }, { field: 'cpuMs' }],
  },
  {
    name: 'paced streams, 128 at once',
    kind: 'stream-paced',
    textBytes: BATCH_BYTES,
    concurrency: 128,
    count: 256,
    metrics: [
      streams,
      { field: 'firstChunkMs', toProxy: { atMost: 2 }, toPortkey: { atMost: 0.1 } },
      { field: 'cpuMs' },
    ],
  },
  {
    name: 'stream burst, 32 at once',
    kind: 'stream-burst',
    textBytes: BATCH_BYTES,
    concurrency: 32,
    count: 400,
    portkeyCount: 96,
    metrics: [{ field: 'perSecond', toProxy: { atLeast: 0.65 }, toPortkey: { atLeast: 6 } }, { field: 'cpuMs' }],
  },
];
