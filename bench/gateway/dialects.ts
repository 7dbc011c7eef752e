/**
 * Measures the cost of the dialects that Switchboard translates, as ratios to chat completions, which it forwards:
 *
 *   npm run bench:dialects -- [--rounds N] [--only DIALECT] [--profile FOLDER] [--database URL]
 *
 * All requests go to one Switchboard in front of the loopback provider, in rounds with the dialects in random order; the
 * peak memory of long streams is measured with one Switchboard for each dialect.
 * `--database` is a Postgres server, on which a new database is created; without it, the embedded one is used.
 * `--only` and `--profile` are for a CPU profile of one dialect. The exit code is 1 if an answer was wrong, late or
 * missing. Missed goals are only printed.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createBareServerDatabase } from '../../test/support/stores/test-database.ts';
import { median, shuffled } from '../statistics.ts';
import { chooseCores } from './child-process.ts';
import { type DialectName, dialectNames, dialects } from './dialect-requests.ts';
import type { AnswerKind } from './fixed-answers.ts';
import type { LoadSample } from './load-order.ts';
import { forgetPeakMemory, readMemory } from './process-usage.ts';
import { openStage, type Stage, type Target } from './targets.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '8' },
    only: { type: 'string' },
    profile: { type: 'string' },
    database: { type: 'string' },
  },
});

interface Scenario {
  readonly title: string;
  readonly kind: AnswerKind;
  readonly concurrency: number;
  readonly count: number;
}

const scenarios: readonly Scenario[] = [
  { title: 'answers, 32 at once', kind: 'whole', concurrency: 32, count: 1000 },
  { title: 'streams of 200 chunks, 16 at once', kind: 'stream-burst', concurrency: 16, count: 200 },
];
/** As many chunks in short streams and in long ones: only if chunks are kept, the long ones take more memory. */
const [shortStreams, longStreams]: readonly [Scenario, Scenario] = [
  { title: 'streams of 200 chunks, 128 at once', kind: 'stream-burst', concurrency: 128, count: 1600 },
  { title: 'streams of 2500 chunks, 128 at once', kind: 'stream-long', concurrency: 128, count: 128 },
];
/** Rounds of short streams until the heap has its size. */
const MEMORY_WARM_UP = 3;
const CPU_GOAL = 1.5;
/** Usage is written twice a second. */
const SETTLE_MS = 600;
const TIME_LIMIT_MS = 120_000;

/** A sample of each dialect. */
type Round = ReadonlyMap<DialectName, LoadSample>;

const chosen = dialectNames.filter((name) => options.only === undefined || options.only === name);
await withStage(measureCost);
if (options.profile === undefined) await measureMemory();

/** Starts Switchboard with an empty database for the time of the work. */
async function withStage(work: (stage: Stage) => Promise<void>): Promise<void> {
  const database = options.database === undefined ? undefined : await createBareServerDatabase(options.database);
  try {
    const stage = await openStage({
      cores: chooseCores(),
      switchboardNodeOptions:
        options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(options.profile)}`],
      databaseUrl: database?.url,
      portkeyProgram: undefined,
    });
    await work(stage).finally(() => stage.close());
  } finally {
    await database?.close();
  }
}

/** The first round is a warm-up for the compiler and does not count. */
async function measureCost(stage: Stage): Promise<void> {
  await takeRounds(stage, 1);
  const rounds = await takeRounds(stage, Number(options.rounds));
  console.log('\n| scenario | dialect | per second | CPU ms each | to chat completions | goal |');
  console.log('| --- | --- | --- | --- | --- | --- |');
  for (const [index, { title }] of scenarios.entries()) {
    for (const dialect of chosen) {
      const ofScenario = rounds.map((round) => round[index] ?? new Map());
      console.log(`| ${title} | ${dialect} | ${describe(dialect, ofScenario)} |`);
    }
  }
}

/** Each dialect has its own process, because the memory of a process hardly shrinks. */
async function measureMemory(): Promise<void> {
  console.log(`\n| peak memory, MiB | ${shortStreams.title} | ${longStreams.title} |\n| --- | --- | --- |`);
  for (const dialect of chosen) {
    await withStage(async (stage) => {
      const { pid } = findSwitchboard(stage);
      for (let round = 0; round < MEMORY_WARM_UP; round++) await take(stage, shortStreams, dialect);
      const peaks: number[] = [];
      for (const scenario of [shortStreams, longStreams]) {
        forgetPeakMemory(pid);
        await take(stage, scenario, dialect);
        peaks.push(readMemory(pid).peak);
      }
      console.log(`| ${dialect} | ${peaks.map((peak) => peak.toFixed(0)).join(' | ')} |`);
    });
  }
}

async function takeRounds(stage: Stage, count: number): Promise<readonly (readonly Round[])[]> {
  const rounds: Round[][] = [];
  for (let number = 0; number < count; number++) {
    const round: Round[] = [];
    for (const scenario of scenarios) {
      const samples = new Map<DialectName, LoadSample>();
      for (const dialect of shuffled(chosen)) samples.set(dialect, await take(stage, scenario, dialect));
      round.push(samples);
      process.stdout.write('.');
    }
    rounds.push(round);
  }
  return rounds;
}

async function take(stage: Stage, { kind, concurrency, count }: Scenario, dialect: DialectName): Promise<LoadSample> {
  const target = findSwitchboard(stage);
  return stage.run({
    url: new URL(dialects[dialect].path, target.url).href,
    headers: {},
    apiKeys: [stage.apiKey],
    kind,
    dialect,
    textBytes: 400,
    concurrency,
    count,
    targetPid: target.pid,
    settleMs: SETTLE_MS,
    timeLimitMs: TIME_LIMIT_MS,
  });
}

function findSwitchboard({ targets }: Stage): Target {
  const target = targets.find(({ name }) => name === 'switchboard');
  if (!target) throw new Error('Switchboard is missing');
  return target;
}

/** Ratios are taken within each round, because conditions are equal there; the table shows their median. */
function describe(dialect: DialectName, rounds: readonly Round[]): string {
  const samples = rounds.flatMap((round) => round.get(dialect) ?? []);
  const middle = (field: keyof LoadSample) => median(samples.map((sample) => sample[field]));
  const ratios = rounds.flatMap((round) => {
    const [own, native] = [round.get(dialect), round.get('chat completions')];
    return own && native ? [own.cpuMs / native.cpuMs] : [];
  });
  const ratio = median(ratios);
  const goal =
    dialect === 'chat completions' || Number.isNaN(ratio)
      ? ''
      : `<= ${CPU_GOAL} ${ratio <= CPU_GOAL ? 'met' : '**missed**'}`;
  const numbers = [middle('perSecond').toFixed(0), middle('cpuMs').toFixed(2), ratio.toFixed(2)];
  return [...numbers, goal].join(' | ');
}
