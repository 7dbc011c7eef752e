import { access, constants, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite, type QueryOptions, type Transaction } from '@electric-sql/pglite';
import { drizzle, type PgliteDatabase } from 'drizzle-orm/pglite';
import { migrate } from 'drizzle-orm/pglite/migrator';
import { describeError } from '../lib/errors/describe-error.ts';
import { lockDirectory } from '../lib/files/directory-lock.ts';
import { checkWriteFloor, createDiskSpaceReader } from '../lib/files/disk-space.ts';
import { makeDirectory } from '../lib/files/make-directory.ts';
import { EMPTY_CLUSTER } from '../lib/layout.ts';
import { hasCluster, unpackCluster } from './empty-cluster.ts';
import { keepVacuumed } from './keep-vacuumed.ts';
import { DatabaseUnsuitableError, runMigrations } from './migrations.ts';
import { reduceMemory } from './reduce-memory.ts';
import * as schema from './schema/index.ts';
import { createBreaks, createTaskQueue } from './task-queue.ts';

type PgliteDb = PgliteDatabase<typeof schema>;

/**
 * Opens the embedded Postgres and migrates it. Locks the directory against other processes. While the disk is nearly
 * full, statements fail with a `DiskFullError` before they are executed.
 * @param onLost called at most once, when the database has terminated itself; only a new process can open it again.
 * @throws DirectoryInUseError, DirectoryUnusableError, DatabaseUnsuitableError, DiskFullError; the errors of PGlite.
 */
export async function openPglite(
  directory: string,
  onLost: (error: unknown) => void,
): Promise<{ readonly db: PgliteDb; readonly urgentDb: PgliteDb; close(): Promise<void> }> {
  await makeDirectory(directory);
  return openLocked(directory, async (unlock) => {
    const readSpace = createDiskSpaceReader(directory);
    if (EMPTY_CLUSTER) await unpackCluster(EMPTY_CLUSTER, directory);
    const client = await PGlite.create(directory);
    // Checks of foreign keys keep their plan. Made for a small table, it would scan the table for each new row.
    await client.exec('set enable_seqscan = off');
    const termination = watchTermination(client, onLost);
    const queue = createTaskQueue();
    const enqueueIfSpace =
      (urgency: 'urgent' | 'usual') =>
      <Result>(task: () => Promise<Result>) =>
        queue.take(async () => {
          checkWriteFloor(readSpace);
          return task();
        }, urgency);
    const db = drizzle(queueStatements(client, enqueueIfSpace('usual')), { schema });
    await runMigrations(db, (folder) => migrate(db, folder));
    const endVacuum = keepVacuumed(client, () => checkWriteFloor(readSpace));
    return {
      db,
      urgentDb: drizzle(queueStatements(client, enqueueIfSpace('urgent')), { schema }),
      async close() {
        await endVacuum();
        if (!termination.hasTerminated) await client.close();
        await unlock();
      },
    };
  });
}

/**
 * Opens the embedded Postgres as it is: nothing is migrated. Locks the directory against other processes.
 * @throws DirectoryInUseError, DatabaseUnsuitableError, DiskFullError; the errors of PGlite.
 */
export async function openPgliteAsIs(directory: string): Promise<{ readonly client: PGlite; close(): Promise<void> }> {
  if (!hasCluster(directory))
    throw new DatabaseUnsuitableError('there is none. The service makes it at its first start');
  return openLocked(directory, async (unlock) => {
    const client = await PGlite.create(directory);
    const close = async () => {
      await client.close();
      await unlock();
    };
    return { client, close };
  });
}

/** Locks the directory and checks that it can be written to. Removes the lock again if `open` fails. */
async function openLocked<Result>(
  directory: string,
  open: (unlock: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const unlock = await lockDirectory(directory);
  reduceMemory();
  try {
    await checkWritable(directory);
    checkWriteFloor(createDiskSpaceReader(directory));
    return await open(unlock);
  } catch (error) {
    await unlock();
    throw error;
  }
}

/**
 * Checks the directory and what is directly in it: PGlite would fail without a reason.
 * @throws DatabaseUnsuitableError
 */
async function checkWritable(directory: string): Promise<void> {
  const paths = [directory, ...(await readdir(directory)).map((name) => join(directory, name))];
  try {
    for (const path of paths) await access(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    throw new DatabaseUnsuitableError(`it is read-only for this user: ${describeError(error)}`, { cause: error });
  }
}

/**
 * Severities after which a Postgres process has terminated
 * (https://www.postgresql.org/docs/current/runtime-config-logging.html).
 */
const FATAL_SEVERITIES = new Set(['PANIC', 'FATAL']);

/**
 * Blocks calls to a database that has terminated itself, as it does when a segment of its log can't be written: PGlite
 * would loop forever and block the process.
 */
function watchTermination(client: PGlite, onLost: (error: unknown) => void): { readonly hasTerminated: boolean } {
  let fatal: { readonly error: unknown } | undefined;
  const send = client.execProtocolRawSync.bind(client);
  client.execProtocolRawSync = (message) => {
    if (fatal) throw new Error('The embedded database has terminated', { cause: fatal.error });
    return send(message);
  };
  const detectFatal = (error: unknown) => {
    if (!fatal && error instanceof Object && 'severity' in error && FATAL_SEVERITIES.has(String(error.severity))) {
      fatal = { error };
      onLost(error);
    }
    return error;
  };
  const [exec, stream] = [client.execProtocol.bind(client), client.execProtocolStream.bind(client)];
  client.execProtocol = (...parameters) =>
    exec(...parameters).catch((error: unknown) => Promise.reject(detectFatal(error)));
  client.execProtocolStream = (...parameters) =>
    stream(...parameters).catch((error: unknown) => Promise.reject(detectFatal(error)));
  return {
    get hasTerminated() {
      return fatal !== undefined;
    },
  };
}

/** Returns the client with its statements and transactions queued. */
function queueStatements(client: PGlite, enqueue: <Result>(task: () => Promise<Result>) => Promise<Result>): PGlite {
  const queued: Pick<PGlite, 'query' | 'transaction'> = {
    query: (text, values, options) => enqueue(() => client.query(text, values, shareParsers(client, options))),
    transaction: (task) => enqueue(() => client.transaction((tx) => task(withBreaks(client, tx)))),
  };
  return new Proxy(client, {
    get: (_client, name) => (name in queued ? Reflect.get(queued, name) : Reflect.get(client, name, client)),
  });
}

/** Returns the transaction with breaks between its statements: for the queue, it is one task. */
function withBreaks(client: PGlite, transaction: Transaction): Transaction {
  const breaks = createBreaks();
  const query: Transaction['query'] = (text, values, options) =>
    breaks.after(() => transaction.query(text, values, shareParsers(client, options)));
  return new Proxy(transaction, {
    get: (_transaction, name) => (name === 'query' ? query : Reflect.get(transaction, name)),
  });
}

/**
 * Returns the options of a statement without its parsers, which become those of the client: it would copy hundreds of its
 * own for each statement. Drizzle gives the same with each.
 */
function shareParsers(client: PGlite, { parsers, ...options }: QueryOptions = {}): QueryOptions {
  Object.assign(client.parsers, parsers);
  return options;
}
