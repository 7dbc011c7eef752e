/**
 * Measures what limits cost per request, against the same service without them:
 *
 *   npm run bench:budgets -- [--rounds N] [--database URL]
 *
 * Three Switchboards on empty databases, without limits, with quotas, and with quotas and budgets, answer the same
 * requests in rounds in random order. `--database` is a Postgres server; without it, the embedded database is used.
 * Missed goals are only printed.
 */
import { parseArgs } from 'node:util';
import { createBareServerDatabase } from '../../test/support/stores/test-database.ts';
import { median, shuffled } from '../statistics.ts';
import { chooseCores } from './child-process.ts';
import type { LoadSample } from './load-order.ts';
import { type LimitsMode, openStage, type Stage } from './targets.ts';

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '7' }, database: { type: 'string' } },
});

interface Scenario {
  readonly title: string;
  readonly concurrency: number;
  readonly count: number;
  readonly field: keyof LoadSample;
  /** Returns the cost of limits, and whether it meets the goal. */
  readonly compare: (own: number, without: number) => { readonly cost: string; readonly isMet: boolean };
}

const scenarios: readonly Scenario[] = [
  {
    title: 'one at a time, median ms',
    concurrency: 1,
    count: 400,
    field: 'medianMs',
    compare: (own, without) => ({ cost: `+${(own - without).toFixed(2)} ms`, isMet: own - without <= 1.5 }),
  },
  {
    title: '32 at once, CPU ms each',
    concurrency: 32,
    count: 3000,
    field: 'cpuMs',
    compare: (own, without) => ({ cost: `${(own / without).toFixed(2)} x`, isMet: own / without < 1.2 }),
  },
];
const MODES: readonly LimitsMode[] = ['none', 'quotas', 'budgets'];
/** Usage is written twice a second. */
const SETTLE_MS = 600;
const TIME_LIMIT_MS = 120_000;

type Round = ReadonlyMap<LimitsMode, LoadSample>;

const closers: (() => Promise<unknown>)[] = [];
try {
  const stages = new Map<LimitsMode, Stage>();
  for (const mode of MODES) stages.set(mode, await open(mode));
  await takeRounds(stages, 1);
  print(await takeRounds(stages, Number(options.rounds)));
} finally {
  for (const close of closers.toReversed()) await close();
}

async function open(limits: LimitsMode): Promise<Stage> {
  const database = options.database === undefined ? undefined : await createBareServerDatabase(options.database);
  if (database) closers.push(() => database.close());
  const stage = await openStage({
    cores: chooseCores(),
    switchboardNodeOptions: [],
    databaseUrl: database?.url,
    portkeyProgram: undefined,
    limits,
    isPriced: true,
  });
  closers.push(() => stage.close());
  return stage;
}

/** Returns for each scenario its rounds. The first call is a warm-up for the compiler. */
async function takeRounds(stages: ReadonlyMap<LimitsMode, Stage>, count: number): Promise<readonly Round[][]> {
  const taken: Round[][] = scenarios.map(() => []);
  for (let number = 0; number < count; number++) {
    for (const [index, scenario] of scenarios.entries()) {
      const round = new Map<LimitsMode, LoadSample>();
      for (const [mode, stage] of shuffled([...stages])) round.set(mode, await take(stage, scenario));
      taken[index]?.push(round);
      process.stdout.write('.');
    }
  }
  return taken;
}

async function take(stage: Stage, { concurrency, count }: Scenario): Promise<LoadSample> {
  const target = stage.targets.find(({ name }) => name === 'switchboard');
  if (!target) throw new Error('Switchboard is missing');
  return stage.run({
    url: target.url,
    headers: target.headers,
    apiKeys: [stage.apiKey],
    kind: 'whole',
    textBytes: 400,
    concurrency,
    count,
    targetPid: target.pid,
    settleMs: SETTLE_MS,
    timeLimitMs: TIME_LIMIT_MS,
  });
}

function print(taken: readonly Round[][]): void {
  console.log('\n| scenario | without limits | quotas | quotas and budgets | cost of both | goal |');
  console.log('| --- | --- | --- | --- | --- | --- |');
  for (const [index, { title, field, compare }] of scenarios.entries()) {
    const medianOf = (mode: LimitsMode) =>
      median((taken[index] ?? []).flatMap((round) => round.get(mode)?.[field] ?? []));
    const [without = 0, quotas = 0, budgets = 0] = MODES.map(medianOf);
    const { cost, isMet } = compare(budgets, without);
    const numbers = [without, quotas, budgets].map((number) => number.toFixed(2)).join(' | ');
    console.log(`| ${title} | ${numbers} | ${cost} | ${isMet ? 'met' : '**missed**'} |`);
  }
}
