import { PGlite } from '@electric-sql/pglite';
import { drizzle, type PgliteDatabase } from 'drizzle-orm/pglite';
import { migrate } from 'drizzle-orm/pglite/migrator';
import { lockDirectory } from '../lib/directory-lock.ts';
import { makeDirectory } from '../lib/make-directory.ts';
import { keepVacuumed } from './keep-vacuumed.ts';
import { migrationsFolder } from './migrate.ts';
import * as schema from './schema/index.ts';

/**
 * Opens the Postgres that runs inside this process and brings its tables up to date. Nobody else has the directory open meanwhile.
 * @throws DirectoryInUseError, DirectoryUnusableError; whatever PGlite says.
 */
export async function openPglite(
  directory: string,
): Promise<{ readonly db: PgliteDatabase<typeof schema>; close(): Promise<void> }> {
  await makeDirectory(directory);
  const unlock = await lockDirectory(directory);
  try {
    const client = await PGlite.create(directory);
    const db = drizzle(client, { schema });
    await migrate(db, { migrationsFolder });
    const endVacuum = keepVacuumed(client);
    return {
      db,
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
