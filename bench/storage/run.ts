/**
 * Measures the cost of storing files, whether Telegram's limits are fully used, and whether its latency is hidden:
 *
 *   npm run bench:storage -- [--quick] [--only TEXT] [--database URL]
 *
 * `--quick` takes two minutes and gives rough numbers; `--only` selects the scenarios whose name contains that text;
 * `--database` gives the service an empty database on a Postgres server instead of the embedded one. The exit code is 1
 * if the run is invalid: a byte was wrong or missing. Missed goals are only printed.
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
