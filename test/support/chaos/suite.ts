import type { LoggedCall } from 'telegram-bot-simulator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EXHAUSTIVE, testByTier } from '../vitest/tiers.ts';
import type { ChaosAnswer } from './answers.ts';
import {
  type ChaosResult,
  type ChaosRun,
  type DisturbedCall,
  listFaultsOf,
  OUTAGES,
  planFault,
  planOutage,
} from './faults.ts';
import type { ChaosMix } from './mixes.ts';

type Run = (run: ChaosRun) => Promise<ChaosResult>;

const OUTAGE_CALLS = 12;

/**
 * Tests every fault at every call of answers, and outages that begin at one. `CHAOS_TABLE=true` prints the number of runs
 * and of failures for each fault.
 * @param cases answers, and their calls to disturb
 */
export function describeFaults(
  title: string,
  run: Run,
  cases: readonly (readonly [name: string, answer: ChaosAnswer, calls: readonly DisturbedCall[]])[],
): void {
  const table = createChaosTable(title);
  afterAll(() => {
    if (process.env['CHAOS_TABLE'] === 'true') process.stdout.write(`\n${table.print()}\n`);
  });
  describe.each(cases)('%s', (_, answer, disturbedCalls) => {
    const findUndisturbed = useUndisturbed(run, { answer });

    describe.each(disturbedCalls)('$name', (call) => {
      testByTier(listFaultsOf(call.method))('%s', async (fault) => {
        const faults = planFault(call, fault, findUndisturbed());
        const { wrong, calls } = await run({ answer, faults });
        table.count(fault, call.name, wrong.length === 0);
        const sameMethod = calls.filter(({ method }) => method === call.method);
        expect(sameMethod.length, 'the call is made').toBeGreaterThan(faults.at(-1)?.skip ?? 0);
        expect(wrong).toEqual([]);
      });
    });

    describe.each(disturbedCalls.filter(({ before }) => !before))('$name and all later calls', EXHAUSTIVE, (call) => {
      test.each(OUTAGES)('%s', async (fault) => {
        const { wrong } = await run({ answer, faults: [planOutage(call, fault, findUndisturbed(), OUTAGE_CALLS)] });
        table.count(`${fault} x${OUTAGE_CALLS}`, call.name, wrong.length === 0);
        expect(wrong).toEqual([]);
      });
    });
  });
}

/** Tests mixes of faults. The first `count` run in `npm test`. */
export function testMixes(mixes: readonly ChaosMix[], count: number, run: Run): void {
  testByTier(mixes, count)('seed $seed: $title', async (mix) => {
    const { wrong, calls } = await run(mix);
    expect(wrong, `CHAOS_SEED=${mix.seed}, ${mix.title}, ${calls.length} calls`).toEqual([]);
  });
}

/** Makes a run without faults before the tests of a suite. Returns a function that returns its calls. */
export function useUndisturbed(run: Run, undisturbed: ChaosRun): () => readonly LoggedCall[] {
  let found: readonly LoggedCall[] = [];
  beforeAll(async () => {
    const { wrong, calls } = await run(undisturbed);
    expect(wrong).toEqual([]);
    found = calls;
  });
  return () => found;
}

/** Counts runs by fault and call. */
function createChaosTable(title: string) {
  const rows = new Map<string, Map<string, { runs: number; wrong: number }>>();
  const columns = new Set<string>();
  return {
    count(fault: string, call: string, isRight: boolean): void {
      columns.add(call);
      const row = rows.get(fault) ?? new Map<string, { runs: number; wrong: number }>();
      const { runs, wrong } = row.get(call) ?? { runs: 0, wrong: 0 };
      rows.set(fault, row.set(call, { runs: runs + 1, wrong: wrong + (isRight ? 0 : 1) }));
    },
    /** Formats one line per fault. Each column has the number of runs and, if not zero, of failed runs. */
    print(): string {
      const cells = [...rows].map(([fault, row]) => [
        fault,
        ...[...columns].map((call) => {
          const { runs, wrong } = row.get(call) ?? { runs: 0, wrong: 0 };
          return runs === 0 ? '-' : wrong === 0 ? `${runs}` : `${runs} (${wrong} wrong)`;
        }),
      ]);
      const lines = [[title, ...columns], ...cells];
      const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
      return lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n');
    },
  };
}
