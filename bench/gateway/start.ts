/**
 * Measures a start: the time from the command of `npm start` to the first answered request, and the memory at rest
 * afterwards.
 *
 *   npm run bench:start -- [--rounds N] [--database URL]
 *
 * Ratios are to the minimal proxy, taken within each round. `--database`, an empty database on a Postgres server, adds
 * starts with it.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { median } from '../statistics.ts';
import { endProcess, startNode } from './child-process.ts';
import { createRequestBody } from './fixed-answers.ts';
import { readCpuSeconds, readMemory } from './process-usage.ts';
import { API_KEY, awaitPort, endingServiceCommand, findFreePorts, toServiceEnvironment } from './targets.ts';

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, database: { type: 'string' } },
});

/** Time after the first answer until memory is stable. */
const REST_MS = 5000;
const POLL_MS = 10;
const TIME_LIMIT_MS = 60_000;

interface Start {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMib: number;
  readonly restMib: number;
}

const [providerPort = 0, port = 0] = await findFreePorts(2);
const providerOrigin = `http://127.0.0.1:${providerPort}`;
const provider = startNode([join(import.meta.dirname, 'loopback-provider.ts'), String(providerPort)], {
  core: undefined,
});
try {
  await awaitPort(providerPort, provider);
  const measured = new Map<string, Start[]>();
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const [name, start] of await takeRound()) measured.set(name, [...(measured.get(name) ?? []), start]);
  }
  console.log(describe(measured));
} finally {
  await endProcess(provider);
}

async function takeRound(): Promise<[string, Start][]> {
  const directory = await mkdtemp(join(tmpdir(), 'switchboard-start-'));
  try {
    const service = async (databaseUrl: string | undefined) =>
      measure(
        endingServiceCommand,
        '/ai/openai',
        await toServiceEnvironment(directory, { port, providerOrigin, databaseUrl }),
      );
    const proxy = [join(import.meta.dirname, 'minimal-proxy.ts'), String(port), providerOrigin];
    const starts: [string, Start][] = [
      ['minimal proxy', await measure(proxy, '/v1', {})],
      ['embedded database, empty folder', await service(undefined)],
      ['embedded database, warm', await service(undefined)],
    ];
    if (options.database === undefined) return starts;
    // The first start creates the tables.
    await service(options.database);
    return [...starts, ['Postgres server, warm', await service(options.database)]];
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function measure(
  command: readonly string[],
  path: string,
  environment: Readonly<Record<string, string>>,
): Promise<Start> {
  const startedAt = performance.now();
  const child = startNode(command, { core: undefined, environment });
  try {
    while (!(await isAnswered(path))) {
      if (child.exitCode !== null) throw new Error(`${command.at(-1)} ended with ${child.exitCode}`);
      if (performance.now() - startedAt > TIME_LIMIT_MS) throw new Error(`${command.at(-1)} did not answer in time`);
      await sleep(POLL_MS);
    }
    const pid = child.pid ?? 0;
    const [seconds, cpuSeconds] = [(performance.now() - startedAt) / 1000, readCpuSeconds(pid)];
    const peakMib = readMemory(pid).peak;
    await sleep(REST_MS);
    return { seconds, cpuSeconds, peakMib, restMib: readMemory(pid).now };
  } finally {
    await endProcess(child);
  }
}

async function isAnswered(path: string): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}${path}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${API_KEY}`, connection: 'close' },
      body: createRequestBody('whole', 400),
      signal: AbortSignal.timeout(TIME_LIMIT_MS),
    });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}

function describe(measured: ReadonlyMap<string, readonly Start[]>): string {
  const bare = measured.get('minimal proxy') ?? [];
  const rows = [...measured].map(([name, starts]) => {
    const middle = (read: (start: Start, round: number) => number) => median(starts.map(read));
    const ratio = middle(({ seconds }, round) => seconds / (bare[round]?.seconds ?? Number.NaN));
    const whole = [middle(({ peakMib }) => peakMib), middle(({ restMib }) => restMib)].map((mib) => mib.toFixed(0));
    const exact = [middle(({ seconds }) => seconds), ratio, middle(({ cpuSeconds }) => cpuSeconds)];
    return `| ${[name, ...exact.map((number) => number.toFixed(2)), ...whole].join(' | ')} |`;
  });
  const head =
    '| | first answer after, s | to the proxy | CPU, s | peak, MiB | at rest, MiB |\n| --- | --- | --- | --- | --- | --- |';
  return `${head}\n${rows.join('\n')}`;
}
