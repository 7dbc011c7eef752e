/**
 * Compares the cost of this checkout with others in one run.
 *
 *   npm run bench:compare -- CHECKOUT… [--kind whole] [--concurrency 32] [--count 1000] [--rounds 60] [--database URL] [--without-limits]
 *
 * Every round measures all versions in random order, half a second apart: a measurement right after the minimal proxy
 * finds cold CPU caches, and one right after another version overlaps with its usage writes; each costs 5 %. Ratios are
 * taken within each round; the result is their mean without the outer tenths, with its standard error.
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

const cores = chooseCores();
const directory = await mkdtemp(join(tmpdir(), 'switchboard-compare-'));
const children: ChildProcess[] = [];
const databases: { close(): Promise<void> }[] = [];
const close = async () => {
  await Promise.all(children.map(endProcess));
  await Promise.all(databases.map((database) => database.close()));
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

async function compare(): Promise<void> {
  const { origin, client, proxy } = await startSurroundings(start, cores);
  const ownRoot = join(import.meta.dirname, '../..');
  const own = await startService('this checkout', ownRoot, { providerOrigin: origin });
  const rest: Contestant[] = [];
  for (const other of others) rest.push(await startService(other, resolve(other), { providerOrigin: origin }));
  if (options['without-limits'])
    rest.push(await startService('this checkout without limits', ownRoot, { providerOrigin: origin, limits: 'none' }));
  const contestants = [proxy, own, ...rest];
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
  const rounds: ReadonlyMap<Contestant, LoadSample>[] = [];
  for (let round = 0; round < Number(options.rounds); round++) {
    const samples = new Map<Contestant, LoadSample>();
    for (const contestant of shuffled(contestants)) samples.set(contestant, await ask(contestant));
    rounds.push(samples);
    process.stdout.write('.');
  }
  console.log(`\n\n| | ${Object.values(metricTitles).join(' | ')} |\n| --- |${' --- |'.repeat(metrics.length)}`);
  for (const version of [own, ...rest]) console.log(toRow(`${version.name} to the proxy`, rounds, version, proxy));
  for (const version of rest) console.log(toRow(`${own.name} to ${version.name}`, rounds, own, version));
}

function toRow(
  title: string,
  rounds: readonly ReadonlyMap<Contestant, LoadSample>[],
  one: Contestant,
  other: Contestant,
): string {
  const cells = metrics.map((metric) => {
    // The mean of logarithms treats a ratio and its inverse symmetrically.
    const ratios = rounds.map((round) => Math.log((round.get(one)?.[metric] ?? 0) / (round.get(other)?.[metric] ?? 0)));
    const { mean, error } = trimmedMean(ratios);
    return `${Math.exp(mean).toFixed(2)} ± ${(100 * error).toFixed(0)} %`;
  });
  return `| ${title} | ${cells.join(' | ')} |`;
}
