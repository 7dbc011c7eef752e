import { existsSync } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import type { Config } from '../config/index.ts';
import { checkServer } from '../database/connect.ts';
import { toOwnUrl } from '../http/server/connections/addresses.ts';
import { describeError } from '../lib/errors/describe-error.ts';
import { DirectoryInUseError, lockDirectory } from '../lib/files/directory-lock.ts';
import { type CheckResult, result, row } from './check-result.ts';
import { describeListenFailure } from './start-failure.ts';
import { describeDatabase } from './start-report.ts';

const OWN_SERVICE_MS = 3000;

/** Checks that the service could listen. That it already runs there is no problem. */
export async function checkPort({ host, port }: Config['http']): Promise<CheckResult> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<NodeJS.ErrnoException | undefined>();
  server.once('error', resolve).listen({ host, port }, () => server.close(() => resolve(undefined)));
  const error = await promise;
  if (!error) return result([]);
  if (error.code === 'EADDRINUSE' && (await isOwnService(toOwnUrl({ address: host, port }))))
    return result([row('Port', `${port}: Switchboard is already running there`)]);
  return result([], [describeListenFailure(error)]);
}

/** Returns whether a Switchboard answers at this address. */
async function isOwnService(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url, {
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(OWN_SERVICE_MS),
    });
    const body: unknown = await answer.json();
    return typeof body === 'object' && body !== null && 'name' in body && body.name === 'Switchboard';
  } catch {
    return false;
  }
}

/** Checks that the database answers. An embedded one may be in use by a running service. */
export async function checkDatabase(config: Config): Promise<CheckResult> {
  const line = row('Database', describeDatabase(config));
  try {
    if (config.database.kind === 'postgres') await checkServer(config.database.url);
    else await checkLock(config.database.directory);
    return result([line]);
  } catch (error) {
    if (error instanceof DirectoryInUseError)
      return result([line, '            - warning: another process is using it. Is Switchboard already running?']);
    return result([line], [`The database can't be used: ${describeError(error)}`]);
  }
}

async function checkLock(directory: string): Promise<void> {
  if (!existsSync(directory)) return;
  const unlock = await lockDirectory(directory);
  await unlock();
}

/** Checks that a directory, or its nearest existing parent, is writable. */
export async function checkDirectory(setting: string, directory: string): Promise<CheckResult> {
  let present = directory;
  while (!existsSync(present)) present = dirname(present);
  try {
    await access(present, constants.W_OK);
    if ((await stat(present)).isDirectory()) return result([]);
    return result([], [`${setting} can't be ${directory}: ${present} is not a directory`]);
  } catch (error) {
    return result([], [`${setting} can't be ${directory}: ${describeError(error)}`]);
  }
}
