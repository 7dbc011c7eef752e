/**
 * Measures how the cost of a request grows with the number of keys and models in use:
 *
 *   npm run bench:growth -- [--rounds N] [--counts 1,10,100,1000] [--database URL]
 *
 * Requests rotate over all keys and models. Ratios are to the minimal proxy, taken within each round. `--database`
 * gives Switchboard an empty database on a Postgres server instead of the embedded one.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createAccounts, createApiKeys } from '../../src/core/accounts/index.ts';
import { openDatabase } from '../../src/database/connect.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { median } from '../statistics.ts';
import { openStage, type Stage, type Target } from './targets.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    counts: { type: 'string', default: '1,10,100,1000' },
    database: { type: 'string' },
  },
});
const ORDER = {
  kind: 'whole',
  textBytes: 400,
  concurrency: 32,
  count: 2000,
  settleMs: 1500,
  timeLimitMs: 100_000,
} as const;

console.log(
  '| keys and models | requests per second, to the proxy | CPU time of each, ms | to the proxy |\n| --- | --- | --- | --- |',
);
for (const count of options.counts.split(',').map(Number)) await measure(count, Number(options.rounds));

async function measure(count: number, rounds: number): Promise<void> {
  let keys: readonly string[] = [];
  const nowhere = { target: undefined, client: undefined, provider: undefined };
  const stage = await openStage({
    cores: nowhere,
    switchboardNodeOptions: [],
    databaseUrl: options.database,
    portkeyProgram: undefined,
    modelCount: count,
    prepare: async (dataDirectory) => {
      keys = await createKeys(dataDirectory, count);
    },
  });
  try {
    const ask = (target: Target | undefined, modelCount: number) => askTarget(stage, target, keys, modelCount);
    const find = (wanted: Target['name']) => stage.targets.find(({ name }) => name === wanted);
    await ask(find('switchboard'), count);
    const ratios: { readonly perSecond: number; readonly cpuMs: number; readonly cpu: number }[] = [];
    for (let round = 0; round < rounds; round++) {
      const proxy = await ask(find('proxy'), 1);
      const own = await ask(find('switchboard'), count);
      ratios.push({ perSecond: own.perSecond / proxy.perSecond, cpuMs: own.cpuMs, cpu: own.cpuMs / proxy.cpuMs });
    }
    const middle = (read: (ratio: (typeof ratios)[number]) => number) => median(ratios.map(read)).toFixed(2);
    console.log(
      `| ${count} | ${middle(({ perSecond }) => perSecond)} | ${middle(({ cpuMs }) => cpuMs)} | ${middle(({ cpu }) => cpu)} |`,
    );
  } finally {
    await stage.close();
  }
}

async function askTarget(stage: Stage, target: Target | undefined, apiKeys: readonly string[], modelCount: number) {
  if (!target) throw new Error('a target is missing');
  return stage.run({ ...ORDER, url: target.url, headers: target.headers, apiKeys, modelCount, targetPid: target.pid });
}

async function createKeys(dataDirectory: string, count: number): Promise<readonly string[]> {
  const database = await openDatabase(
    options.database === undefined
      ? { kind: 'embedded', directory: join(dataDirectory, 'postgres') }
      : { kind: 'postgres', url: options.database },
  );
  try {
    const deps = { db: database.db, clock: systemClock };
    // A new user for each count, because earlier users already have keys.
    const { id } = await createAccounts({ ...deps, adminIds: [] }).ensureTelegramUser(count);
    const keys: string[] = [];
    const apiKeys = createApiKeys(deps, { maxKeys: count });
    for (let number = 0; number < count; number++) keys.push((await apiKeys.create(id, `key ${number}`))?.secret ?? '');
    return keys;
  } finally {
    await database.close();
  }
}
