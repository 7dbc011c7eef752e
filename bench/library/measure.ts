import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../src/database/connect.ts';
import { shuffled } from '../statistics.ts';
import type { Contestant } from './contestants.ts';
import { readCpuMs } from './cpu-time.ts';
import type { TextGenerator } from './generated-texts.ts';
import { QUERY_KINDS } from './queries.ts';

/** Durations in milliseconds. */
export interface Sample {
  readonly kind: string;
  readonly contestant: Contestant['name'];
  /** All contestants get the same query of a kind in a round. */
  readonly round: number;
  readonly ms: number;
  /** CPU time of this process and of the database. */
  readonly cpuMs: number;
  /** Longest time for which the event loop was blocked. */
  readonly blockedMs: number;
}

/** The slower contestants take part in every fifth round. */
const PEER_EVERY = 5;
/** Error of the timer that measures the event loop. */
const RESOLUTION_MS = 1;

/** Searches in rounds: each contestant gets the same query of each kind, all in random order. */
export async function measureSearches(
  db: Database,
  contestants: readonly Contestant[],
  { userId, texts, rounds }: { readonly userId: number; readonly texts: TextGenerator; readonly rounds: number },
): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  for (let round = 0; round < rounds; round++) {
    const queries = QUERY_KINDS.map(({ name, write }) => ({ kind: name, query: write(texts) }));
    const entrants = contestants.filter(({ name }) => name === 'library' || round % PEER_EVERY === 0);
    const searches = queries.flatMap((query) => entrants.map((contestant) => ({ ...query, contestant })));
    for (const { kind, query, contestant } of shuffled(searches)) {
      const times = await measure(db, () => contestant.search(userId, query));
      samples.push({ kind, contestant: contestant.name, round, ...times });
    }
  }
  return samples;
}

async function measure(
  db: Database,
  search: () => Promise<unknown>,
): Promise<Pick<Sample, 'ms' | 'cpuMs' | 'blockedMs'>> {
  const cpuBefore = await readCpuMs(db);
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  await sleep(2 * RESOLUTION_MS);
  const beganAt = performance.now();
  await search();
  const ms = performance.now() - beganAt;
  await sleep(2 * RESOLUTION_MS);
  delay.disable();
  return { ms, cpuMs: (await readCpuMs(db)) - cpuBefore, blockedMs: delay.max / 1e6 };
}
