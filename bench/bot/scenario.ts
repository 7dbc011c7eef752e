import type { Contestant, ContestantName } from './contestants.ts';
import type { Finding } from './report.ts';
import type { AnswerPlan } from './scripted-provider.ts';

/** What a scenario is given. */
export interface Scale {
  readonly isQuick: boolean;
  /** How often what takes no long is measured. */
  readonly rounds: number;
  /** An empty database on a Postgres server; undefined: the embedded one. */
  readonly databaseUrl: string | undefined;
}

/** Something that is measured, with everything that it needs. */
export interface Scenario {
  readonly name: string;
  measure(scale: Scale): Promise<readonly Finding[]>;
}

/** As long as usual answers are, at the pace of a usual model: 120 words. */
export const USUAL_ANSWER: AnswerPlan = { durationMs: 6000, everyMs: 50 };

/** The contestants in another order with every turn, so that what else the machine does hits all alike. */
export function turned(contestants: readonly Contestant[], turn: number): readonly Contestant[] {
  const start = turn % contestants.length;
  return [...contestants.slice(start), ...contestants.slice(0, start)];
}

/** One number for each contestant. */
export function toValues<Sample>(
  samples: ReadonlyMap<ContestantName, Sample>,
  read: (sample: Sample) => number,
): Finding['values'] {
  return Object.fromEntries([...samples].map(([name, sample]) => [name, read(sample)]));
}
