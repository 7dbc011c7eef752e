/**
 * Measures how a reply looks while it grows, whether the final messages are right, and what that costs, compared with
 * typical bots:
 *
 *   npm run bench:bot -- [--quick] [--rounds N] [--only TEXT] [--database URL]
 *
 * `--quick` takes a few minutes and gives rough numbers; `--only` selects the scenarios whose name contains that text;
 * `--database` gives Switchboard an empty database on a Postgres server instead of the embedded one. Missed goals are
 * only printed; the exit code is 1 if the run failed.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { measureCrashes } from './crashes.ts';
import { measureCrowd } from './crowd.ts';
import { measureFaults } from './faults.ts';
import { measureIntake } from './intake.ts';
import { measurePace } from './pace.ts';
import { describeFinding, TABLE_HEAD } from './report.ts';
import type { Scenario } from './scenario.ts';
import { measureEnd, measureMemory } from './weight.ts';

const scenarios: readonly Scenario[] = [
  { name: 'one reply', measure: measurePace },
  { name: 'faults', measure: measureFaults },
  { name: 'a hundred at once', measure: measureCrowd },
  { name: 'kill -9', measure: measureCrashes },
  { name: 'webhook', measure: measureIntake },
  { name: 'memory', measure: measureMemory },
  { name: 'end', measure: measureEnd },
];

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    only: { type: 'string', default: '' },
    database: { type: 'string' },
  },
});

process.exitCode = await main().catch((error: unknown) => {
  console.error(`The run is void: ${error instanceof Error ? error.message : String(error)}`);
  return 1;
});

async function main(): Promise<number> {
  const chosen = scenarios.filter(({ name }) => name.includes(options.only));
  const rounds = Number(options.rounds ?? (options.quick ? 2 : 5));
  if (!Number.isInteger(rounds) || rounds < 1 || chosen.length === 0) throw new Error('nothing is to be measured');
  console.log(
    `Node ${process.version}, ${availableParallelism()} cores; ${rounds} interleaved rounds\n\n${TABLE_HEAD}\n`,
  );
  for (const { name, measure } of chosen) {
    const findings = await measure({ isQuick: options.quick, rounds, databaseUrl: options.database });
    for (const [index, finding] of findings.entries()) console.log(describeFinding(index === 0 ? name : '', finding));
  }
  return 0;
}
