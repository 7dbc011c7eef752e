import { existsSync } from 'node:fs';
import { type Config, isPostgresUrl } from '../config/index.ts';
import { type CopyProgress, type CopyResult, copyDatabase } from '../database/copy/copy-database.ts';
import { SettingsError } from '../lib/errors/settings-error.ts';
import { EXIT_INTERRUPTED } from './start-failure.ts';
import { describeDatabase } from './start-report.ts';

/** Minimum interval between two updates of the progress line on a terminal. */
const SHOW_EVERY_MS = 200;

interface Terminal {
  readonly isTerminal: boolean;
  say(text: string): void;
}

/**
 * Copies the database of the settings to another and says what to do next. SIGINT and SIGTERM interrupt it.
 * @param target URL from the command line.
 * @throws SettingsError; the errors of `copyDatabase`.
 */
export async function runCopy(config: Config, target: string, terminal: Terminal): Promise<void> {
  checkTarget(target);
  const interruption = new AbortController();
  const interrupt = () => {
    if (interruption.signal.aborted) process.exit(EXIT_INTERRUPTED);
    interruption.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupt);
  const progress = createProgress(terminal);
  terminal.say(
    `Copying ${describeDatabase(config)}\nto ${describeDatabase({ database: { kind: 'postgres', url: target } })}.\n\n`,
  );
  try {
    const result = await copyDatabase({
      source: config.database,
      target,
      signal: interruption.signal,
      onProgress: progress.show,
    });
    progress.end();
    terminal.say(describeResult(config, result));
  } finally {
    progress.end();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupt);
  }
}

/** The driver would take a database with the name of the user. */
function checkTarget(target: string): void {
  if (!isPostgresUrl(target))
    throw new SettingsError([
      '--copy-database needs the address of the target, postgres://user:password@host/database; special characters of user and password are percent-encoded (% is %25)',
    ]);
  if (/^\/?$/.test(new URL(target).pathname))
    throw new SettingsError(['--copy-database needs the name of a database: postgres://user:password@host/database']);
}

function createProgress({ isTerminal, say }: Terminal) {
  let shownAt = Number.NEGATIVE_INFINITY;
  let isShown = false;
  const clear = () => {
    if (isShown) say('\r\x1b[K');
    isShown = false;
  };
  return {
    show(progress: CopyProgress): void {
      if (progress.rows === progress.ofRows) {
        clear();
        say(`  ${progress.table.padEnd(24)}${toCount(progress.rows)}\n`);
      } else if (isTerminal && performance.now() - shownAt >= SHOW_EVERY_MS) {
        shownAt = performance.now();
        clear();
        isShown = true;
        const share = Math.floor((100 * progress.allRows) / progress.ofAllRows);
        say(`  ${progress.table.padEnd(24)}${progress.rows} of ${toCount(progress.ofRows)} (all tables: ${share} %)`);
      }
    },
    end: clear,
  };
}

function describeResult(config: Config, { tableCount, rowCount, leftOut }: CopyResult): string {
  const { database, storage } = config;
  const disk = [storage.location, ...storage.formerLocations].find((location) => location.kind === 'disk');
  const here = [
    ...(storage.encryptionKey.kind === 'file' ? ['the encryption key'] : []),
    ...(config.universalApiKey === undefined ? ['the shared API key'] : []),
    ...(storage.location.kind === 'disk' ? ['all files'] : disk && existsSync(disk.directory) ? ['files'] : []),
  ];
  const source = database.kind === 'embedded' ? database.directory : 'the former database';
  const steps = [
    'Set DATABASE_URL to the address of the target, and start.',
    ...(here.length > 0 ? [`Keep DATA_DIR (${config.dataDirectory}) where it is: it has ${toList(here)}.`] : []),
    ...(storage.encryptionKey.kind === 'given' ? ['Keep ENCRYPTION_KEY: without it, files and secrets are lost.'] : []),
    `Do not start on the former database again: both would answer. Delete ${source} when everything works.`,
  ];
  return [
    '',
    `Copied ${toCount(rowCount)} in ${tableCount} tables. Every table has as many as in the source, which is unchanged.`,
    ...(leftOut.length > 0 ? [`Not copied, because it is not the service's: ${leftOut.join(', ')}.`] : []),
    '',
    'Next:',
    ...steps.map((step, index) => `  ${index + 1}. ${step}`),
    '',
  ].join('\n');
}

function toCount(rows: number): string {
  return rows === 1 ? '1 row' : `${rows} rows`;
}

function toList(things: readonly string[]): string {
  return [things.slice(0, -2).join(', '), things.slice(-2).join(' and ')].filter((text) => text !== '').join(', ');
}
