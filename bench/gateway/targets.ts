import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serviceCommand } from '../../test/support/harness/process.ts';
import { type Cores, endProcess, startNode } from './child-process.ts';
import { answerKinds } from './fixed-answers.ts';
import type { LoadOrder, LoadReport, LoadSample } from './load-order.ts';
import { toPortkeyHeaders } from './portkey.ts';

export type TargetName = 'provider' | 'proxy' | 'portkey' | 'switchboard';

/** Server for chat completions. */
export interface Target {
  readonly name: TargetName;
  readonly url: string;
  /** Additional headers of its requests. */
  readonly headers: Readonly<Record<string, string>>;
  readonly pid: number;
}

/** All processes of a run. */
export interface Stage {
  readonly targets: readonly Target[];
  readonly apiKey: string;
  /** Data folder of Switchboard. */
  readonly dataDirectory: string;
  /**
   * Runs an order in the load client.
   * @throws Error if any answer was wrong, late or missing.
   */
  run(order: LoadOrder): Promise<LoadSample>;
  /** Ends Switchboard gracefully; its data is kept until `close`. */
  endSwitchboard(): Promise<void>;
  /** Ends all processes and deletes their data. */
  close(): Promise<void>;
}

export interface StageOptions {
  readonly cores: Cores;
  /** Node options for Switchboard only (`--cpu-prof`). */
  readonly switchboardNodeOptions: readonly string[];
  /** Postgres server for Switchboard; undefined: the embedded database in a temporary folder. */
  readonly databaseUrl: string | undefined;
  /** Number of models of the kind `whole`. Default 1. */
  readonly modelCount?: number;
  /** Default `quotas`. */
  readonly limits?: LimitsMode;
  readonly isPriced?: boolean;
  /** Prepares the data folder of Switchboard before it starts. Default: none. */
  readonly prepare?: (dataDirectory: string) => Promise<void>;
  /** Path of Portkey's program; undefined: it is not measured. */
  readonly portkeyProgram: string | undefined;
}

const START_TIMEOUT_MS = 60_000;
/** API key of the service. */
export const API_KEY = 'sk-sb-key-of-the-benchmark';
/** Limits that are never reached, so that only the cost of counting is measured. */
const PROVIDERS_FILE = `
plans:
  universal: &plenty
    key: { requests_per_minute: 100000000, tokens_per_day: 1000000000000, at_once: 100000 }
    address: { requests_per_minute: 100000000 }
  free: *plenty
`;
/** The same with budgets of the key and the instance. */
const BUDGETS_FILE = `
plans:
  universal: &plenty
    key: { requests_per_minute: 100000000, tokens_per_day: 1000000000000, at_once: 100000, dollars_per_day: 900000, dollars_total: 900000 }
    address: { requests_per_minute: 100000000 }
  free: *plenty
budget: { dollars_per_month: 900000 }
`;
const LIMITS_FILES = { none: '', quotas: PROVIDERS_FILE, budgets: BUDGETS_FILE };
/** A provider whose models have prices. */
const toPricedProvider = (providerOrigin: string) => `
providers:
  - name: loopback
    base_url: ${providerOrigin}/v1
    api_keys: [sk-loopback]
    models: [${answerKinds.map((id) => `{ id: ${id}, price: { input: 0.000001, output: 0.000002 } }`).join(', ')}]
`;

/**
 * Starts provider, minimal proxy, Portkey, Switchboard and load client, all on loopback. If one fails, the others are
 * ended.
 */
export async function openStage(options: StageOptions): Promise<Stage> {
  const { cores, switchboardNodeOptions, databaseUrl, portkeyProgram } = options;
  const directory = await mkdtemp(join(tmpdir(), 'switchboard-bench-'));
  const dataDirectory = join(directory, 'data');
  const children: ChildProcess[] = [];
  const close = async () => {
    await Promise.all(children.map(endProcess));
    await rm(directory, { recursive: true, force: true });
  };
  const start: typeof startNode = (...parameters) => {
    const child = startNode(...parameters);
    children.push(child);
    return child;
  };
  try {
    const { origin, client, provider, proxy } = await startSurroundings(start, cores);
    const [switchboardPort = 0] = await findFreePorts(1);
    const portkey =
      portkeyProgram === undefined
        ? undefined
        : await startPortkey(start, portkeyProgram, { origin, core: cores.target, directory });
    await options.prepare?.(dataDirectory);
    const switchboard = start([...switchboardNodeOptions, ...endingServiceCommand], {
      core: cores.target,
      directory,
      environment: await toServiceEnvironment(directory, {
        port: switchboardPort,
        providerOrigin: origin,
        databaseUrl,
        modelCount: options.modelCount,
        limits: options.limits,
        isPriced: options.isPriced,
      }),
    });
    await awaitPort(switchboardPort, switchboard);
    return {
      targets: [
        provider,
        proxy,
        ...(portkey ? [portkey] : []),
        toTarget('switchboard', switchboard, `http://127.0.0.1:${switchboardPort}/ai/openai`),
      ],
      apiKey: API_KEY,
      dataDirectory,
      run: (order) => carryOut(client, order),
      endSwitchboard: () => endProcess(switchboard),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Processes shared by all targets. */
interface Surroundings {
  /** Origin of the loopback provider. */
  readonly origin: string;
  readonly client: ChildProcess;
  readonly provider: Target;
  readonly proxy: Target;
}

/** Starts provider, minimal proxy and load client by `start`, which owns them. */
export async function startSurroundings(start: typeof startNode, cores: Cores): Promise<Surroundings> {
  const [providerPort = 0, proxyPort = 0] = await findFreePorts(2);
  const origin = `http://127.0.0.1:${providerPort}`;
  const startOwn = (program: string, parameters: readonly string[], core: number | undefined) =>
    start([join(import.meta.dirname, program), ...parameters], { core });
  const provider = startOwn('loopback-provider.ts', [String(providerPort)], cores.provider);
  const proxy = startOwn('minimal-proxy.ts', [String(proxyPort), origin], cores.target);
  const client = startOwn('load-client.ts', [], cores.client);
  await awaitPort(providerPort, provider);
  await awaitPort(proxyPort, proxy);
  return {
    origin,
    client,
    provider: toTarget('provider', provider, `${origin}/v1`),
    proxy: toTarget('proxy', proxy, `http://127.0.0.1:${proxyPort}/v1`),
  };
}

/** Starts Portkey by `start`, which owns it, and waits until it responds. */
export async function startPortkey(
  start: typeof startNode,
  program: string,
  { origin, ...place }: Pick<Surroundings, 'origin'> & Pick<Parameters<typeof startNode>[1], 'core' | 'directory'>,
): Promise<Target> {
  const [port = 0] = await findFreePorts(1);
  const child = start([program, `--port=${port}`, '--headless'], place);
  await awaitPort(port, child);
  return toTarget('portkey', child, `http://127.0.0.1:${port}/v1`, toPortkeyHeaders(origin));
}

function toTarget(
  name: TargetName,
  { pid = 0 }: ChildProcess,
  baseUrl: string,
  headers: Target['headers'] = {},
): Target {
  return { name, pid, url: `${baseUrl}/chat/completions`, headers };
}

/** Returns the arguments for a Node service that exits with the run. */
export function toEndingCommand(command: readonly string[]): readonly string[] {
  return ['--import', join(import.meta.dirname, 'end-with-parent.ts'), ...command];
}

/** Arguments of `npm start`, for a service that exits with the run. */
export const endingServiceCommand = toEndingCommand(serviceCommand);

export interface ServiceSettings {
  readonly port: number;
  /** Origin of the loopback provider. */
  readonly providerOrigin: string;
  /** Undefined: the embedded database, in `data` in the folder. */
  readonly databaseUrl: string | undefined;
  /** Default 1. */
  readonly modelCount?: number | undefined;
  /** `quotas` (default), `budgets` and quotas, or none. */
  readonly limits?: LimitsMode | undefined;
  /** Whether models have prices, so that costs are recorded. Default false. */
  readonly isPriced?: boolean | undefined;
}

export type LimitsMode = 'none' | 'quotas' | 'budgets';

/** Returns the settings of a service as in production, and writes its files to the folder. */
export async function toServiceEnvironment(
  directory: string,
  { port, providerOrigin, databaseUrl, modelCount = 1, limits = 'quotas', isPriced = false }: ServiceSettings,
): Promise<Readonly<Record<string, string>>> {
  const providersFile = join(directory, 'providers.yaml');
  await writeFile(providersFile, `${LIMITS_FILES[limits]}${isPriced ? toPricedProvider(providerOrigin) : ''}`);
  const models = [...answerKinds, ...listNumbered(modelCount)].join(',');
  return {
    PORT: String(port),
    DATA_DIR: join(directory, 'data'),
    LOG_LEVEL: 'info',
    METRICS_TOKEN: 'token-of-the-benchmark',
    PROVIDERS_FILE: providersFile,
    UNIVERSAL_API_KEY: API_KEY,
    // The provider with prices is in the file.
    ...(isPriced
      ? {}
      : { OPENAI_BASE_URL: `${providerOrigin}/v1`, OPENAI_API_KEY: 'sk-loopback', OPENAI_MODELS: models }),
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
  };
}

function listNumbered(count: number): string[] {
  return Array.from({ length: count - 1 }, (_, index) => `whole-${index + 1}`);
}

/** Runs an order in a load client. The client has its own time limit; the timeout here covers a crashed client. */
export async function carryOut(client: ChildProcess, order: LoadOrder): Promise<LoadSample> {
  client.send(order);
  const [report]: LoadReport[] = await once(client, 'message', { signal: AbortSignal.timeout(2 * order.timeLimitMs) });
  if (report && 'sample' in report) return report.sample;
  throw new Error(report?.problem ?? 'the load client said nothing');
}

/** Returns free ports, reserved together so that they differ. */
export async function findFreePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === 'object' && address ? address.port : 0;
  });
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

/** Resolves when the port responds. @throws Error if the process has exited, or after a minute. */
export async function awaitPort(port: number, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`${child.spawnargs.at(-1)} ended with ${child.exitCode}`);
    const isThere = await fetch(`http://127.0.0.1:${port}/healthz`).then(
      () => true,
      () => false,
    );
    if (isThere) return;
    await sleep(100);
  }
  throw new Error(`${child.spawnargs.at(-1)} did not listen in time`);
}
