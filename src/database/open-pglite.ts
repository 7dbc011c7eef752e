import { PGlite } from '@electric-sql/pglite';
import { drizzle, type PgliteDatabase } from 'drizzle-orm/pglite';
import { migrate } from 'drizzle-orm/pglite/migrator';
import { lockDirectory } from '../lib/directory-lock.ts';
import { makeDirectory } from '../lib/make-directory.ts';
import { keepVacuumed } from './keep-vacuumed.ts';
import { migrationsFolder } from './migrate.ts';
import * as schema from './schema/index.ts';
import { spareMemory } from './spare-memory.ts';
import { createTurns } from './turns.ts';

type PgliteDb = PgliteDatabase<typeof schema>;

/**
 * Opens the Postgres that runs inside this process and brings its tables up to date. Nobody else has the directory open meanwhile.
 * @throws DirectoryInUseError, DirectoryUnusableError; whatever PGlite says.
 */
export async function openPglite(
  directory: string,
): Promise<{ readonly db: PgliteDb; readonly urgentDb: PgliteDb; close(): Promise<void> }> {
  await makeDirectory(directory);
  const unlock = await lockDirectory(directory);
  spareMemory();
  try {
    const client = await PGlite.create(directory);
    const turns = createTurns();
    const db = drizzle(
      takeTurns(client, (work) => turns.take(work)),
      { schema },
    );
    await migrate(db, { migrationsFolder });
    const endVacuum = keepVacuumed(client);
    return {
      db,
      urgentDb: drizzle(
        takeTurns(client, (work) => turns.take(work, 'urgent')),
        { schema },
      ),
      async close() {
        await endVacuum();
        await client.close();
        await unlock();
      },
    };
  } catch (error) {
    await unlock();
    throw error;
  }
}

/** The same client, whose statements and transactions wait for their turn. */
function takeTurns(client: PGlite, take: <Result>(work: () => Promise<Result>) => Promise<Result>): PGlite {
  const waiting: Pick<PGlite, 'query' | 'transaction'> = {
    query: (...parameters) => take(() => client.query(...parameters)),
    transaction: (work) => take(() => client.transaction(work)),
  };
  return new Proxy(client, {
    get: (_client, name) => (name in waiting ? Reflect.get(waiting, name) : Reflect.get(client, name, client)),
  });
}
