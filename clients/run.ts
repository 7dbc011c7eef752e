/**
 * Runs real clients, each a program of its own language with pinned libraries, and prints which operations they can do:
 *
 *   npm run test:clients                                 a service in front of the demonstration
 *   npm run test:clients -- --provider-url http://127.0.0.1:8000/v1 --model NAME       of a real model
 *   npm run test:clients -- --base-url http://127.0.0.1:8080 --api-key sk-…            a service that runs already
 *   npm run test:clients -- --only openai-python,codex
 *   npm run test:clients -- --resume                     goes on where the last run of these options was interrupted
 *
 * One client is installed and run after the other. Coding agents and the compliance suite of Open Responses always get a
 * service in front of a scripted model. Libraries are installed into `~/.cache/switchboard-clients`; delete it to install
 * them again. Clients without a toolchain are skipped. The exit code is 1 if an operation failed or no client ran.
 */
import { parseArgs } from 'node:util';
import { printMatrix } from './matrix.ts';
import { CLIENT_PROGRAMS, type ClientProgram } from './programs.ts';
import { ReportFile } from './report-file.ts';
import { runClient } from './run-client.ts';
import { SCRIPTED_MODEL, startScriptedHost } from './scripted-host.ts';
import { type Service, startService } from './service.ts';

const { values: options } = parseArgs({
  options: {
    'base-url': { type: 'string' },
    'api-key': { type: 'string', default: process.env['SWITCHBOARD_KEY'] ?? '' },
    'provider-url': { type: 'string' },
    model: { type: 'string' },
    resume: { type: 'boolean', default: false },
    only: { type: 'string', default: CLIENT_PROGRAMS.map(({ name }) => name).join(',') },
  },
});

const chosen = options.only.split(',');
const programs = CLIENT_PROGRAMS.filter(({ name }) => chosen.includes(name));
const reportFile = new ReportFile([options['base-url'], options['provider-url'], options.model]);
// Without a handler, a signal would leave the service running.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
process.exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  return 1;
});

async function main(): Promise<number> {
  const finished = await reportFile.open({ isResumed: options.resume });
  const left = programs.filter(({ name }) => !finished.some(({ client }) => client === name));
  await runAll(
    left.filter(({ isScripted }) => !isScripted),
    startChosenService,
    options.model,
  );
  await runAll(
    left.filter(({ isScripted }) => isScripted),
    startScriptedService,
    SCRIPTED_MODEL,
  );
  // The operations of scripted clients are others.
  for (const isScripted of [false, true]) {
    const names = programs.filter((program) => (program.isScripted ?? false) === isScripted).map(({ name }) => name);
    const reports = reportFile.reports.filter(({ client }) => names.includes(client));
    if (reports.length > 0) console.log(`\n${printMatrix(reports)}`);
  }
  const outcomes = reportFile.reports.flatMap((report) => [...report.operations.values()]);
  return outcomes.length === 0 || outcomes.includes(false) ? 1 : 0;
}

async function runAll(
  clients: readonly ClientProgram[],
  start: () => Promise<Service>,
  chatModel: string | undefined,
): Promise<void> {
  if (clients.length === 0) return;
  const service = await start();
  try {
    const models = await findModels(service);
    if (chatModel) models.set('chat', chatModel);
    for (const client of clients) await reportFile.add(await runClient(client, service, models));
  } finally {
    await service.stop();
  }
}

function startChosenService(): Promise<Service> {
  const baseUrl = options['base-url'];
  if (baseUrl) {
    return Promise.resolve({ url: baseUrl.replace(/\/+$/, ''), key: options['api-key'], stop: async () => {} });
  }
  const providerUrl = options['provider-url'];
  return startService(providerUrl ? { OPENAI_BASE_URL: providerUrl } : {});
}

async function startScriptedService(): Promise<Service> {
  const host = await startScriptedHost();
  try {
    const service = await startService({ OPENAI_BASE_URL: host.url });
    return { ...service, stop: () => service.stop().finally(host.stop) };
  } catch (error) {
    host.stop();
    throw error;
  }
}

/** Returns the first listed model of each type. */
async function findModels({ url, key }: Service): Promise<Map<string, string>> {
  const response = await fetch(`${url}/v1/models`, {
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(30_000),
  });
  if (!response.ok) throw new Error(`the service answered ${response.status}: ${await response.text()}`);
  const { data }: { data: { id: string; type: string }[] } = JSON.parse(await response.text());
  return new Map(data.toReversed().map(({ id, type }) => [type, id]));
}
