import { PGlite } from '@electric-sql/pglite';
import { drizzle, type PgliteDatabase } from 'drizzle-orm/pglite';
import { migrate } from 'drizzle-orm/pglite/migrator';
import { lockDirectory } from '../lib/directory-lock.ts';
import { checkWriteFloor, createDiskSpaceReader } from '../lib/disk-space.ts';
import { makeDirectory } from '../lib/make-directory.ts';
import { keepVacuumed } from './keep-vacuumed.ts';
import { migrationsFolder } from './migrate.ts';
import { reduceMemory } from './reduce-memory.ts';
import * as schema from './schema/index.ts';
import { createTaskQueue } from './task-queue.ts';

type PgliteDb = PgliteDatabase<typeof schema>;

/**
 * Opens the embedded Postgres and migrates it. Locks the directory against other processes. While the disk is nearly
 * full, statements fail with a `DiskFullError` before they are executed.
 * @param onLost called at most once, when the database has terminated itself; only a new process can open it again.
 * @throws DirectoryInUseError, DirectoryUnusableError, DiskFullError; the errors of PGlite.
 */
export async function openPglite(
  directory: string,
  onLost: (error: unknown) => void,
): Promise<{ readonly db: PgliteDb; readonly urgentDb: PgliteDb; close(): Promise<void> }> {
  await makeDirectory(directory);
  const unlock = await lockDirectory(directory);
  reduceMemory();
  try {
    const readSpace = createDiskSpaceReader(directory);
    checkWriteFloor(readSpace);
    const client = await PGlite.create(directory);
    const life = watchLife(client, onLost);
    const queue = createTaskQueue();
    const whileSpaceIsLeft =
      (urgency: 'urgent' | 'usual') =>
      <Result>(work: () => Promise<Result>) =>
        queue.take(async () => {
          checkWriteFloor(readSpace);
          return work();
        }, urgency);
    const db = drizzle(queueStatements(client, whileSpaceIsLeft('usual')), { schema });
    await migrate(db, { migrationsFolder });
    const endVacuum = keepVacuumed(client, () => checkWriteFloor(readSpace));
    return {
      db,
      urgentDb: drizzle(queueStatements(client, whileSpaceIsLeft('urgent')), { schema }),
      async close() {
        await endVacuum();
        if (!life.isOver) await client.close();
        await unlock();
      },
    };
  } catch (error) {
    await unlock();
    throw error;
  }
}

/**
 * Severities after which a Postgres process has terminated
 * (https://www.postgresql.org/docs/current/runtime-config-logging.html).
 */
const DEADLY = new Set(['PANIC', 'FATAL']);

/**
 * Blocks calls to a database that has terminated itself, as it does when a segment of its log can't be written: PGlite
 * would loop forever and block the process.
 */
function watchLife(client: PGlite, onLost: (error: unknown) => void): { readonly isOver: boolean } {
  let end: { readonly error: unknown } | undefined;
  const send = client.execProtocolRawSync.bind(client);
  client.execProtocolRawSync = (message) => {
    if (end) throw new Error('The embedded database has ended', { cause: end.error });
    return send(message);
  };
  const look = (error: unknown) => {
    if (!end && error instanceof Object && 'severity' in error && DEADLY.has(String(error.severity))) {
      end = { error };
      onLost(error);
    }
    return error;
  };
  const [exec, stream] = [client.execProtocol.bind(client), client.execProtocolStream.bind(client)];
  client.execProtocol = (...parameters) => exec(...parameters).catch((error: unknown) => Promise.reject(look(error)));
  client.execProtocolStream = (...parameters) =>
    stream(...parameters).catch((error: unknown) => Promise.reject(look(error)));
  return {
    get isOver() {
      return end !== undefined;
    },
  };
}

/** Returns the client with its statements and transactions queued. */
function queueStatements(client: PGlite, take: <Result>(work: () => Promise<Result>) => Promise<Result>): PGlite {
  const waiting: Pick<PGlite, 'query' | 'transaction'> = {
    query: (...parameters) => take(() => client.query(...parameters)),
    transaction: (work) => take(() => client.transaction(work)),
  };
  return new Proxy(client, {
    get: (_client, name) => (name in waiting ? Reflect.get(waiting, name) : Reflect.get(client, name, client)),
  });
}
