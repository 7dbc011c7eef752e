import type { Contestant, ContestantName } from './contestants.ts';
import type { Finding } from './report.ts';
import type { AnswerPlan } from './scripted-provider.ts';

/** Options of a scenario. */
export interface Scale {
  readonly isQuick: boolean;
  /** Repetitions of short measurements. */
  readonly rounds: number;
  /** Empty database on a Postgres server; undefined: the embedded one. */
  readonly databaseUrl: string | undefined;
}

/** Self-contained measurement. */
export interface Scenario {
  readonly name: string;
  measure(scale: Scale): Promise<readonly Finding[]>;
}

/** Answer of typical length and speed: 120 words. */
export const USUAL_ANSWER: AnswerPlan = { durationMs: 6000, everyMs: 50 };

/** Rotates the bots with every turn, so that other load on the machine affects all equally. */
export function turned(contestants: readonly Contestant[], turn: number): readonly Contestant[] {
  const start = turn % contestants.length;
  return [...contestants.slice(start), ...contestants.slice(0, start)];
}

/** Returns one number for each bot. */
export function toValues<Sample>(
  samples: ReadonlyMap<ContestantName, Sample>,
  read: (sample: Sample) => number,
): Finding['values'] {
  return Object.fromEntries([...samples].map(([name, sample]) => [name, read(sample)]));
}
