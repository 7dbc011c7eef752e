import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { listPasswords, listSecrets } from './app/list-secrets.ts';
import { lookAtStored } from './app/look-at-stored.ts';
import { openExporters } from './app/open-exporters.ts';
import { readSettings, readWithStored, type Settings } from './app/read-settings.ts';
import { Service, type ServiceParams } from './app/service.ts';
import { checkConfig } from './cli/check.ts';
import { row } from './cli/check-result.ts';
import { runCopy } from './cli/copy-database.ts';
import { describeStartFailure } from './cli/start-failure.ts';
import { describeAdminLink, describeStart, describeUniversalKey } from './cli/start-report.ts';
import {
  type Environment,
  type Foundation,
  findFoundation,
  readEnvironment,
  STORABLE_SETTINGS,
} from './config/index.ts';
import { rotateUniversalKey } from './core/accounts/index.ts';
import { openDatabase } from './database/connect.ts';
import { hasCluster } from './database/empty-cluster.ts';
import { isOfArrayTypes } from './database/server-client.ts';
import { systemClock } from './lib/clock.ts';
import { SettingsError } from './lib/errors/settings-error.ts';
import { isBuilt, ROOT } from './lib/layout.ts';
import { createLogContext } from './lib/log/log-context.ts';
import { createLogger, type Logger } from './lib/log/logger.ts';
import { createRecentLog } from './lib/log/recent-log.ts';

const USAGE = `Usage: ${isBuilt ? 'switchboard [OPTION]' : 'npm start [-- OPTION]'}

  (none)                  run the HTTP API and the bot, or the playground if BOT_TOKEN is not set
  --check                 check the settings, and print what would run and what is wrong
  --rotate-universal-key  replace the shared API key in DATA_DIR and print where it is stored
  --copy-database URL     copy the database to an empty one on a Postgres server; stop the service first
  --move-files            run, and move all files to where new ones are stored (STORAGE)
  --help                  print this text

Settings are environment variables or lines in a .env file in the working directory. ${nameFile('.env.example')} has the
usual ones, ${nameFile('docs/configuration.md')} all.
`;

/** Names a file of the program as users find it: a package is not in the working directory. */
function nameFile(name: string): string {
  return isBuilt ? fileURLToPath(new URL(name, ROOT)) : name;
}

const STOP_TIMEOUT_MS = 20_000;

// In a checkout Node does not print the deprecations of packages. In a bundle it can't tell them from the program.
if (isBuilt) process.noDeprecation = true;

/** @param secrets receives the secrets of the settings as soon as they are known. */
async function main(secrets: Set<string>): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      check: { type: 'boolean' },
      'rotate-universal-key': { type: 'boolean' },
      'copy-database': { type: 'string' },
      'move-files': { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (options.help) return say(USAGE);
  const environment = readEnvironment();
  const [alone] = await Promise.allSettled([readSettings(environment)]);
  if (alone.status === 'fulfilled') for (const secret of listSecrets(alone.value)) secrets.add(secret);
  const foundation = findFoundation(environment.values);
  if (
    alone.status === 'rejected' &&
    !(foundation && mayHaveStored(foundation) && isForStored(alone.reason, environment))
  )
    throw alone.reason;
  const params = foundation && { environment, foundation, alone };
  if (params && options.check) return check(params, secrets);
  if (options['rotate-universal-key']) return rotateKey(getValue(alone));
  const target = options['copy-database'];
  if (target !== undefined) {
    for (const secret of listPasswords(target)) secrets.add(secret);
    return runCopy(getValue(alone).config, target, { isTerminal: process.stdout.isTTY, say });
  }
  if (params) return run(params, secrets, { movesFiles: options['move-files'] ?? false });
}

function getValue<Value>(result: PromiseSettledResult<Value>): Value {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

/** Returns whether settings that admins have stored may solve all problems. */
function isForStored(error: unknown, { values }: Environment): boolean {
  const missing = STORABLE_SETTINGS.filter((name) => !values[name]?.trim());
  return (
    error instanceof SettingsError && error.problems.every((problem) => missing.some((name) => problem.includes(name)))
  );
}

/** Returns whether a database may contain settings, so that those of the environment need not be complete. */
function mayHaveStored({ database }: Foundation): boolean {
  return database.kind === 'postgres' || hasCluster(database.directory);
}

/** Runs the service. Secrets of earlier settings remain in `secrets`, because requests in flight still use them. */
async function run(
  params: ServiceParams,
  secrets: Set<string>,
  options: { readonly movesFiles: boolean },
): Promise<void> {
  const { environment, foundation } = params;
  const logContext = createLogContext();
  const recentLog = createRecentLog();
  const exporters = await openExporters(foundation.operations, ({ signal, reason }) => {
    if (reason === undefined) logger.info({ signal }, 'the collector takes telemetry again');
    else logger.warn({ signal, reason }, 'the collector takes no telemetry: it is dropped until it does');
  });
  const logger = createLogger({
    level: foundation.logLevel,
    recentLog,
    exporter: exporters.logs,
    context: logContext,
    secrets,
    ...(process.stdout.isTTY ? { destination: await createTerminalOutput() } : {}),
  });
  const end = installEnd(logger, { secrets, onEnd: () => exporters.close() });
  if (['start', 'npx'].includes(environment.values['npm_lifecycle_event'] ?? '')) watchParent(() => end.end(0));
  // On a terminal, SIGHUP means that the terminal was closed. Before the start is complete there is nothing to reload.
  let onHangUp = process.stdout.isTTY
    ? () => {
        logger.info('SIGHUP on a terminal: shutting down. Without a terminal it reloads the settings');
        end.end(0);
      }
    : () => {};
  process.on('SIGHUP', () => onHangUp());
  if (!mayHaveStored(foundation)) say('\n  Preparing the database (first start only, some seconds)…\n');
  const service = await Service.start(
    {
      ...{ clock: systemClock, logger, logContext, exporters, recentLog, readEnvironment, ...options },
      onFatal: (error) => end.fail(error),
      onRead: (next) => listSecrets(next).forEach((secret) => void secrets.add(secret)),
      onStarted: ({ config }, app) => {
        say(describeStart(config, app, { isTerminal: process.stdout.isTTY }));
        // The link is no line of the log.
        app.createAdminLink().then(
          (link) => link !== undefined && say(describeAdminLink(link)),
          (error: unknown) => logger.warn({ err: error }, 'there is no link for the first admin'),
        );
      },
    },
    params,
  ).catch(async (error: unknown) => {
    await exporters.close();
    throw error;
  });
  end.stopWith(() => service.stop());
  if (!process.stdout.isTTY) onHangUp = () => void service.reload();
}

/** Creates an output of lines that are read in a terminal. Its library is not loaded where a log is written. */
async function createTerminalOutput() {
  const { default: pretty } = await import('pino-pretty');
  return pretty({ sync: true, ignore: 'pid,hostname', singleLine: true });
}

interface EndDeps {
  readonly secrets: ReadonlySet<string>;
  /** Called after everything has stopped. */
  readonly onEnd: () => Promise<void>;
}

/** Installs the shutdown for signals and failures: stops once, within the timeout, and exits with the right code. */
function installEnd(logger: Logger, { secrets, onEnd }: EndDeps) {
  let stop: (() => Promise<void>) | undefined;
  let isEnding = false;
  const end = (exitCode: number) => {
    if (isEnding) process.exit(exitCode || 1);
    isEnding = true;
    setTimeout(() => {
      logger.error('shutdown timed out');
      process.exit(exitCode || 1);
    }, STOP_TIMEOUT_MS).unref();
    void (stop?.() ?? Promise.resolve()).finally(onEnd).finally(() => logger.flush(() => process.exit(exitCode)));
  };
  const fail = (error: unknown) => {
    logger.fatal({ err: error }, 'fatal error; shutting down');
    const { text, exitCode } = describeStartFailure(error, secrets);
    // The full error is in the log.
    complain(text.split('\n')[0] ?? text);
    end(exitCode);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => end(0));
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', (error) => {
    if (isOfArrayTypes(error)) logger.warn({ err: error }, 'a connection to the database was lost while it was opened');
    else fail(error);
  });
  return {
    end,
    fail,
    stopWith(action: () => Promise<void>) {
      stop = action;
    },
  };
}

const PARENT_CHECK_MS = 500;

/** Calls `onGone` when the parent process has ended, because npm does not forward SIGTERM. */
function watchParent(onGone: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onGone();
  }, PARENT_CHECK_MS).unref();
}

/** Checks the settings with those that admins have stored, as far as these are known. */
async function check({ environment, foundation, alone }: ServiceParams, secrets: Set<string>): Promise<void> {
  const stored = await lookAtStored(foundation);
  // Said first, because without them the others may be wrong.
  if (stored.obstacle !== undefined)
    say(`${row('Settings', `without those stored in the console: ${stored.obstacle}`)}\n`);
  const settings = await readWithStored(environment, alone, stored.values);
  for (const secret of listSecrets(settings)) secrets.add(secret);
  const logger = createLogger({ level: 'silent' });
  const { lines, problems } = await checkConfig(settings, stored, { clock: systemClock, logger });
  say(`${lines.join('\n')}\n`);
  if (problems.length > 0) throw new SettingsError(problems);
  say(settings.warnings.length === 0 ? '\nEverything works.\n' : '\nEverything works; mind the warnings.\n');
}

async function rotateKey({ config }: Settings): Promise<void> {
  if (config.universalApiKey === 'off')
    throw new SettingsError(['UNIVERSAL_API_KEY is off: there is no key to rotate']);
  if (config.universalApiKey !== undefined) throw new SettingsError(['UNIVERSAL_API_KEY is set: change it there']);
  const database = await openDatabase(config.database);
  try {
    const path = config.universalKeyPath;
    const secret = await rotateUniversalKey(database.db, path);
    say(`${describeUniversalKey({ kind: 'file', path, secret }, process.stdout.isTTY)}\n`);
  } finally {
    await database.close();
  }
}

function say(text: string): void {
  process.stdout.write(text);
}

function complain(text: string): void {
  process.stderr.write(`${text}\n`);
}

const secrets = new Set<string>();
try {
  await main(secrets);
} catch (error) {
  const { text, exitCode, isUsage } = describeStartFailure(error, secrets);
  complain(isUsage ? `${text}\n\n${USAGE}` : text);
  process.exit(exitCode);
}
