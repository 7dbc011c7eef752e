/**
 * Compares what this checkout costs with the last release, or with other versions, with Portkey and with a minimal proxy:
 *
 *   npm run bench:compare -- [COMMIT | FOLDER]… [--only TEXT] [--rounds 6] [--starts 2] [--database URL] [--without-portkey] [--without-limits]
 *
 * The last release is the newest tag. A commit is installed once into the temporary folder of the machine; a folder is a
 * checkout with its packages. `--only` selects the scenarios with that text in their name, `--database` is a Postgres
 * server on which each version gets a new database (without it, each uses the embedded one), `--without-limits` adds
 * this checkout without any limits.
 *
 * Two processes of the same version differ by up to a tenth for as long as they live, so all are started anew `--starts`
 * times, and the rounds are divided among these starts. Every round measures all in random order, half a second apart:
 * a measurement right after the minimal proxy finds cold CPU caches, and one right after another version overlaps with
 * its usage writes; each costs 5 %. Ratios are taken within each round; the table has the mean over the starts of their
 * means without the outer tenths, with the standard error of the starts. A row in which this checkout is more than a
 * tenth worse than the first version is marked.
 */

import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readServiceCommand } from '../../test/support/harness/process.ts';
import { createBareServerDatabase } from '../../test/support/stores/test-database.ts';
import { median, shuffled, trimmedMean } from '../statistics.ts';
import { chooseCores, endProcess, startNode } from './child-process.ts';
import type { LoadSample } from './load-order.ts';
import { installPortkey } from './portkey.ts';
import { readMemory } from './process-usage.ts';
import { metricTitles, type Scenario, scenarios } from './scenarios.ts';
import {
  API_KEY,
  awaitPort,
  carryOut,
  findFreePorts,
  type ServiceSettings,
  startPortkey,
  startSurroundings,
  type Target,
  toEndingCommand,
  toServiceEnvironment,
} from './targets.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '6' },
    starts: { type: 'string', default: '2' },
    database: { type: 'string' },
    'without-portkey': { type: 'boolean', default: false },
    'without-limits': { type: 'boolean', default: false },
  },
});

/** The scenarios without `--only`: a round of them takes a minute. */
const USUAL = [
  'answers, one at a time',
  'answers, 32 at once',
  'streams, one at a time',
  'paced streams, 128 at once',
  'stream burst, 32 at once',
];
/** Usage is written twice a second. */
const SETTLE_MS = 520;
/** A ratio of a loss that has to be explained. */
const LOSS = 1.1;

/** A target by the name that the table has for it. */
type Contestant = Pick<Target, 'url' | 'headers' | 'pid'> & { readonly name: string };

/** Values of each contestant in one round, by scenario and metric. */
type Round = ReadonlyMap<string, ReadonlyMap<string, LoadSample>>;

interface Start {
  readonly rounds: readonly Round[];
  /** Peak memory of each contestant in MiB. */
  readonly memory: ReadonlyMap<string, number>;
}

const OWN = 'this checkout';
const PROXY = 'the proxy';
const PORTKEY = 'Portkey';
const ownRoot = join(import.meta.dirname, '../..');

const chosen = scenarios.filter(({ name }) =>
  options.only === undefined ? USUAL.includes(name) : name.includes(options.only),
);
if (chosen.length === 0) throw new Error('no scenario has this name');
const others = (positionals.length > 0 ? positionals : [findLastRelease()]).map((name) => ({
  name,
  root: existsSync(name) ? resolve(name) : installCommit(name),
}));
const portkeyProgram = options['without-portkey'] ? undefined : installPortkey();
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

/** @throws Error if there is none. */
function findLastRelease(): string {
  const { stdout } = spawnSync('git', ['describe', '--tags', '--abbrev=0'], { cwd: ownRoot, encoding: 'utf8' });
  const tag = stdout.trim();
  if (tag === '') throw new Error('there is no release: name a commit or a folder');
  return tag;
}

/** Installs a commit with its packages, once for each machine. @returns its folder. */
function installCommit(name: string): string {
  const git = (...parameters: readonly string[]) =>
    execFileSync('git', parameters, { cwd: ownRoot, maxBuffer: 1024 ** 3, stdio: ['ignore', 'pipe', 'inherit'] });
  const commit = git('rev-parse', '--verify', `${name}^{commit}`).toString().trim();
  const folder = join(tmpdir(), `switchboard-bench-${commit}`);
  if (existsSync(folder)) return folder;
  const draft = `${folder}-draft-${process.pid}`;
  mkdirSync(draft, { recursive: true });
  execFileSync('tar', ['-x', '-C', draft], { input: git('archive', commit) });
  const parameters = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  execFileSync('npm', parameters, { cwd: draft, stdio: ['ignore', 'ignore', 'inherit'] });
  renameSync(draft, folder);
  return folder;
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
  return { name, url: `http://127.0.0.1:${port}/ai/openai/chat/completions`, headers: {}, pid: child.pid ?? 0 };
}

async function compare(): Promise<void> {
  const starts: Start[] = [];
  for (let count = 0; count < Number(options.starts); count++) {
    starts.push(await measureStart(Math.ceil(Number(options.rounds) / Number(options.starts))));
    await endAll();
  }
  const names = [...(starts[0]?.memory.keys() ?? [])];
  const toLine = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const compared = names.filter((name) => name !== OWN);
  const heads = ['scenario', 'number', ...names, ...compared.map((name) => `to ${name}`), ''];
  const rows = chosen.flatMap(({ name, metrics }) => metrics.map(({ field }) => toRow(starts, names, name, field)));
  console.log(`\n\n${[heads, heads.map(() => '---'), ...rows, toMemoryRow(starts, names)].map(toLine).join('\n')}`);
}

/** Starts all contestants, and measures each of them in every round. The first round is for the compiler. */
async function measureStart(roundCount: number): Promise<Start> {
  const { origin, client, proxy } = await startSurroundings(start, cores);
  const contestants: Contestant[] = [{ ...proxy, name: PROXY }];
  if (portkeyProgram !== undefined) {
    const portkey = await startPortkey(start, portkeyProgram, { origin, core: cores.target, directory });
    contestants.push({ ...portkey, name: PORTKEY });
  }
  for (const { name, root } of others) contestants.push(await startService(name, root, { providerOrigin: origin }));
  if (options['without-limits'])
    contestants.push(await startService(`${OWN} without limits`, ownRoot, { providerOrigin: origin, limits: 'none' }));
  contestants.push(await startService(OWN, ownRoot, { providerOrigin: origin }));
  const rounds: Round[] = [];
  for (let round = 0; round <= roundCount; round++) {
    const samples = new Map<string, ReadonlyMap<string, LoadSample>>();
    for (const scenario of chosen) samples.set(scenario.name, await measureScenario(client, contestants, scenario));
    if (round > 0) rounds.push(samples);
    process.stdout.write('.');
  }
  return { rounds, memory: new Map(contestants.map(({ name, pid }) => [name, readMemory(pid).peak])) };
}

async function measureScenario(client: ChildProcess, contestants: readonly Contestant[], scenario: Scenario) {
  const { kind, textBytes, concurrency, count, portkeyCount = count } = scenario;
  const samples = new Map<string, LoadSample>();
  for (const { name, url, headers, pid } of shuffled(contestants)) {
    const sample = await carryOut(client, {
      url,
      headers,
      apiKeys: [API_KEY],
      kind,
      textBytes,
      concurrency,
      count: name === PORTKEY ? portkeyCount : count,
      targetPid: pid,
      settleMs: SETTLE_MS,
      timeLimitMs: 60_000,
    });
    samples.set(name, sample);
  }
  return samples;
}

function toRow(
  starts: readonly Start[],
  names: readonly string[],
  scenario: string,
  field: keyof LoadSample,
): string[] {
  const read = (round: Round, name: string) => round.get(scenario)?.get(name)?.[field] ?? Number.NaN;
  const all = starts.flatMap(({ rounds }) => rounds);
  const ratios = names
    .filter((name) => name !== OWN)
    .map((name) => {
      // The mean of logarithms treats a ratio and its inverse symmetrically.
      const means = starts.map(
        ({ rounds }) => trimmedMean(rounds.map((round) => Math.log(read(round, OWN) / read(round, name)))).mean,
      );
      const { mean, error } = trimmedMean(means);
      return { name, ratio: Math.exp(mean), text: `${Math.exp(mean).toFixed(2)} ± ${(100 * error).toFixed(0)} %` };
    });
  const toFirst = ratios.find(({ name }) => name === others[0]?.name)?.ratio ?? 1;
  const loss = field === 'perSecond' ? 1 / toFirst : toFirst;
  return [
    scenario,
    metricTitles[field],
    ...names.map((name) => toDigits(median(all.map((round) => read(round, name))))),
    ...ratios.map(({ text }) => text),
    loss > LOSS ? '**loss**' : '',
  ];
}

function toMemoryRow(starts: readonly Start[], names: readonly string[]): string[] {
  const peaks = names.map((name) => Math.max(...starts.map(({ memory }) => memory.get(name) ?? 0)));
  const own = peaks.at(-1) ?? 0;
  const ratios = peaks.slice(0, -1).map((peak) => own / peak);
  const isLoss = (ratios[names.indexOf(others[0]?.name ?? '')] ?? 1) > LOSS;
  const texts = [...peaks.map((peak) => peak.toFixed(0)), ...ratios.map((ratio) => ratio.toFixed(2))];
  return ['all', 'peak memory, MiB', ...texts, isLoss ? '**loss**' : ''];
}

function toDigits(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}
