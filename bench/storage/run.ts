/**
 * What keeping files costs, and whether Telegram's limits are used up and its waits are hidden:
 *
 *   npm run bench:storage -- [--quick] [--only TEXT] [--database URL]
 *
 * `--quick` takes two minutes and gives rough numbers; `--only` measures the scenarios with that text in their name;
 * `--database` gives the service an empty database on a Postgres server instead of the embedded one. Ends with 1 where the
 * run is void: a byte was wrong or missing. A missed goal is told and changes nothing else.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { describeFinding, TABLE_HEAD } from './report.ts';
import { scenarios } from './scenarios.ts';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
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
  if (chosen.length === 0) throw new Error('nothing is to be measured');
  console.log(`Node ${process.version}, ${availableParallelism()} cores\n\n${TABLE_HEAD}\n`);
  for (const { name, measure } of chosen) {
    const findings = await measure({ isQuick: options.quick, databaseUrl: options.database });
    for (const [index, finding] of findings.entries())
      console.log(describeFinding({ ...finding, scenario: index === 0 ? name : '' }));
  }
  return 0;
}
