/**
 * Measures the cost of Switchboard between a client and its model, as ratios to a minimal proxy in Node:
 *
 *   npm run bench:gateway -- [--quick] [--rounds N] [--only TEXT] [--profile FOLDER] [--database URL]
 *
 * `--quick` takes half a minute and gives rough numbers; `--only` selects the scenarios whose name contains that text;
 * `--profile` writes a CPU profile of Switchboard; `--database` gives it an empty database on a Postgres server instead
 * of the embedded one.
 * The exit code is 1 if the run is invalid: an answer was wrong, incomplete, late or missing. Missed goals are only
 * printed.
 */
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Cores, chooseCores } from './child-process.ts';
import type { LoadOrder, LoadSample } from './load-order.ts';
import { installPortkey } from './portkey.ts';
import { forgetPeakMemory, readMemory } from './process-usage.ts';
import { describeRun, type MeasuredScenario, type MemoryUse, type Round, type TargetMemory } from './report.ts';
import { type Scenario, scenarios } from './scenarios.ts';
import { openStage, type Stage, type Target, type TargetName } from './targets.ts';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    only: { type: 'string', default: '' },
    profile: { type: 'string' },
    database: { type: 'string' },
    'without-portkey': { type: 'boolean', default: false },
  },
});

const TIME_LIMIT_MS = 60_000;
const QUICK = { rounds: 1, share: 0.15 };
const FULL = { rounds: 7, share: 1 };
/** Work of a target after its answers is part of its cost. Switchboard writes usage twice a second. */
const SETTLE_MS = 600;

process.exitCode = await main().catch((error: unknown) => {
  console.error(`The run is void: ${error instanceof Error ? error.message : String(error)}`);
  return 1;
});

async function main(): Promise<number> {
  const { share, rounds: usualRounds } = options.quick ? QUICK : FULL;
  const rounds = Number(options.rounds ?? usualRounds);
  const chosen = scenarios.filter(({ name }) => name.includes(options.only));
  if (!Number.isInteger(rounds) || rounds < 1 || chosen.length === 0) throw new Error('nothing is to be measured');
  const cores = chooseCores();
  console.log(
    `Node ${process.version}, ${availableParallelism()} cores; ${describeCores(cores)}; medians of ${rounds} interleaved rounds`,
  );
  const stage = await openStage({
    cores,
    switchboardNodeOptions: toProfileOptions(options.profile),
    databaseUrl: options.database,
    portkeyProgram: options['without-portkey'] ? undefined : installPortkey(),
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void stage.close().finally(() => process.exit(1)));
  try {
    const memory = watchMemory(stage.targets);
    const measured = await measure(stage, { scenarios: chosen, rounds, share });
    console.log(`\n${describeRun(measured, memory.read())}`);
    return 0;
  } finally {
    await stage.close();
  }
}

interface Plan {
  readonly scenarios: readonly Scenario[];
  readonly rounds: number;
  /** Fraction of the requests of each scenario. */
  readonly share: number;
}

/**
 * Measures every scenario in every round, the targets one after another in rotating order, so that other load on the
 * machine affects all equally. The first round is a warm-up for the compiler and does not count.
 */
async function measure(stage: Stage, plan: Plan): Promise<MeasuredScenario[]> {
  await takeRound(stage, plan, { turn: 0, settleMs: 0 });
  const measured = plan.scenarios.map((scenario) => ({ scenario, rounds: [] as Round[] }));
  for (let turn = 0; turn < plan.rounds; turn++) {
    const taken = await takeRound(stage, plan, { turn, settleMs: SETTLE_MS });
    for (const [index, round] of taken.entries()) measured[index]?.rounds.push(round);
  }
  return measured;
}

async function takeRound(
  stage: Stage,
  plan: Plan,
  { turn, settleMs }: { readonly turn: number; readonly settleMs: number },
): Promise<Round[]> {
  const round: Round[] = [];
  for (const scenario of plan.scenarios) {
    const samples = new Map<TargetName, LoadSample>();
    for (const target of turned(stage.targets, turn)) {
      const order = toSaveOptions(scenario, target, stage.apiKey, { share: plan.share, settleMs });
      const sample = await stage.run(order).catch((error: Error) => {
        throw new Error(`${scenario.name}, ${target.name}: ${error.message}`);
      });
      samples.set(target.name, sample);
    }
    round.push(samples);
    process.stdout.write('.');
  }
  process.stdout.write('\n');
  return round;
}

function toSaveOptions(
  { kind, textBytes, concurrency, count, portkeyCount }: Scenario,
  target: Target,
  apiKey: string,
  { share, settleMs }: { readonly share: number; readonly settleMs: number },
): LoadOrder {
  const usualCount = target.name === 'portkey' ? (portkeyCount ?? count) : count;
  return {
    url: target.url,
    headers: target.headers,
    apiKeys: [apiKey],
    kind,
    textBytes,
    concurrency,
    count: Math.max(concurrency, Math.round(usualCount * share)),
    targetPid: target.pid,
    settleMs,
    timeLimitMs: TIME_LIMIT_MS,
  };
}

function turned<Item>(items: readonly Item[], by: number): Item[] {
  const start = by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}

/** Returns the memory peak of the start, the memory at rest, and, when read, the peak under load. */
function watchMemory(targets: readonly Target[]) {
  const before = targets.map(({ pid }) => readMemory(pid));
  for (const { pid } of targets) forgetPeakMemory(pid);
  return {
    read(): TargetMemory {
      const uses = targets.map(({ name, pid }, index): [TargetName, MemoryUse] => [
        name,
        { starting: before[index]?.peak ?? 0, idle: before[index]?.now ?? 0, underLoad: readMemory(pid).peak },
      ]);
      return new Map(uses);
    },
  };
}

function describeCores({ target, client, provider }: Cores): string {
  if (target === undefined) return 'nothing is pinned';
  return `target on core ${target}, client on ${client}, provider on ${provider}`;
}

function toProfileOptions(folder: string | undefined): string[] {
  return folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(folder)}`];
}
