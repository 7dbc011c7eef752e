/**
 * Compares the cost of this checkout with others in one run.
 *
 *   npm run bench:compare -- CHECKOUT… [--kind whole] [--concurrency 32] [--count 1000] [--rounds 60] [--starts 4] [--database URL] [--without-limits]
 *
 * Two processes of the same version differ by up to a tenth for as long as they live, so all are started anew `--starts`
 * times, and the rounds are divided among these starts. Every round measures all versions in random order, half a second apart: a measurement right after the minimal proxy
 * finds cold CPU caches, and one right after another version overlaps with its usage writes; each costs 5 %. Ratios are
 * taken within each round; the result is the mean over the starts of their means without the outer tenths, with the
 * standard error of the starts.
 * `--database` is a Postgres server on which each version gets a new database; without it, each uses the embedded one.
 * `--without-limits` adds this checkout without any limits.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readServiceCommand } from '../../test/support/harness/process.ts';
import { createBareServerDatabase } from '../../test/support/stores/test-database.ts';
import { shuffled, trimmedMean } from '../statistics.ts';
import { chooseCores, endProcess, startNode } from './child-process.ts';
import { type AnswerKind, answerKinds } from './fixed-answers.ts';
import type { LoadSample } from './load-order.ts';
import { metricTitles } from './scenarios.ts';
import {
  API_KEY,
  awaitPort,
  carryOut,
  findFreePorts,
  type ServiceSettings,
  startSurroundings,
  toEndingCommand,
  toServiceEnvironment,
} from './targets.ts';

const { values: options, positionals: others } = parseArgs({
  allowPositionals: true,
  options: {
    kind: { type: 'string', default: 'whole' },
    concurrency: { type: 'string', default: '32' },
    count: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '60' },
    starts: { type: 'string', default: '4' },
    database: { type: 'string' },
    'without-limits': { type: 'boolean', default: false },
  },
});
if (!answerKinds.includes(options.kind)) throw new Error(`--kind is one of ${answerKinds.join(', ')}`);

/** Usage is written twice a second. */
const SETTLE_MS = 520;
/** Warm-up rounds for the compiler, not counted. */
const WARM_ROUNDS = 6;

const metrics = Object.keys(metricTitles) as (keyof LoadSample)[];

interface Contestant {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
}

const OWN = 'this checkout';
const PROXY = 'the proxy';

const cores = chooseCores();
const directory = await mkdtemp(join(tmpdir(), 'switchboard-compare-'));
const children: ChildProcess[] = [];
const databases: { close(): Promise<void> }[] = [];
const endAll = async () => {
  await Promise.all(children.splice(0).map(endProcess));
  await Promise.all(databases.splice(0).map((database) => database.close()));
};
const close = async () => {
  await endAll();
  await rm(directory, { recursive: true, force: true });
};
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void close().finally(() => process.exit(1)));
try {
  await compare();
} finally {
  await close();
}

function start(...parameters: Parameters<typeof startNode>): ChildProcess {
  const child = startNode(...parameters);
  children.push(child);
  return child;
}

async function startService(
  name: string,
  root: string,
  settings: Pick<ServiceSettings, 'providerOrigin' | 'limits'>,
): Promise<Contestant> {
  const [port = 0] = await findFreePorts(1);
  const place = join(directory, String(port));
  await mkdir(place);
  const database = options.database === undefined ? undefined : await createBareServerDatabase(options.database);
  if (database) databases.push(database);
  const environment = await toServiceEnvironment(place, { ...settings, port, databaseUrl: database?.url });
  const child = start(toEndingCommand(readServiceCommand(root)), { core: cores.target, directory: place, environment });
  await awaitPort(port, child);
  return { name, url: `http://127.0.0.1:${port}/ai/openai/chat/completions`, pid: child.pid ?? 0 };
}

type Round = ReadonlyMap<string, LoadSample>;

async function compare(): Promise<void> {
  const starts: Round[][] = [];
  for (let count = 0; count < Number(options.starts); count++) {
    starts.push(await measureStart(Math.ceil(Number(options.rounds) / Number(options.starts))));
    await endAll();
  }
  console.log(`\n\n| | ${Object.values(metricTitles).join(' | ')} |\n| --- |${' --- |'.repeat(metrics.length)}`);
  const rest = [...(starts[0]?.[0]?.keys() ?? [])].filter((name) => name !== PROXY && name !== OWN);
  for (const name of [OWN, ...rest]) console.log(toRow(starts, name, PROXY));
  for (const name of rest) console.log(toRow(starts, OWN, name));
}

/** Starts all contestants, and measures each of them in every round. */
async function measureStart(roundCount: number): Promise<Round[]> {
  const { origin, client, proxy } = await startSurroundings(start, cores);
  const ownRoot = join(import.meta.dirname, '../..');
  const contestants = [{ ...proxy, name: PROXY }, await startService(OWN, ownRoot, { providerOrigin: origin })];
  for (const other of others) contestants.push(await startService(other, resolve(other), { providerOrigin: origin }));
  if (options['without-limits'])
    contestants.push(await startService(`${OWN} without limits`, ownRoot, { providerOrigin: origin, limits: 'none' }));
  const ask = ({ url, pid }: Contestant) =>
    carryOut(client, {
      url,
      headers: {},
      apiKeys: [API_KEY],
      kind: options.kind as AnswerKind,
      textBytes: 400,
      concurrency: Number(options.concurrency),
      count: Number(options.count),
      targetPid: pid,
      settleMs: SETTLE_MS,
      timeLimitMs: 60_000,
    });
  for (let round = 0; round < WARM_ROUNDS; round++) for (const contestant of contestants) await ask(contestant);
  const rounds: Round[] = [];
  for (let round = 0; round < roundCount; round++) {
    const samples = new Map<string, LoadSample>();
    for (const contestant of shuffled(contestants)) samples.set(contestant.name, await ask(contestant));
    rounds.push(samples);
    process.stdout.write('.');
  }
  return rounds;
}

function toRow(starts: readonly (readonly Round[])[], one: string, other: string): string {
  const cells = metrics.map((metric) => {
    const means = starts.map((rounds) => {
      // The mean of logarithms treats a ratio and its inverse symmetrically.
      const ratios = rounds.map((round) =>
        Math.log((round.get(one)?.[metric] ?? 0) / (round.get(other)?.[metric] ?? 0)),
      );
      return trimmedMean(ratios).mean;
    });
    const { mean, error } = trimmedMean(means);
    return `${Math.exp(mean).toFixed(2)} ± ${(100 * error).toFixed(0)} %`;
  });
  return `| ${one} to ${other} | ${cells.join(' | ')} |`;
}
