import postgres from 'postgres';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkServer, openDatabase } from '../../src/database/connect.ts';
import { migratePostgres } from '../../src/database/migrate.ts';
import { DatabaseUnsuitableError } from '../../src/database/migrations.ts';
import { describeError } from '../../src/lib/errors/describe-error.ts';
import { createBareServerDatabase, findServerUrl } from '../support/stores/test-database.ts';

const serverUrl = findServerUrl();

describe.skipIf(!serverUrl)('migrations on a server', () => {
  const create = async () => {
    const database = await createBareServerDatabase(serverUrl ?? '');
    onTestFinished(() => database.close());
    const other = postgres(database.url, { max: 1 });
    onTestFinished(() => other.end());
    return { url: database.url, other };
  };
  /** The lock of migrations. */
  const LOCK = 7_246_003_911;

  it('run once when several processes start at once while another one blocks them for a while', async () => {
    const { url, other } = await create();
    await other`select pg_advisory_lock(${LOCK}::bigint)`;
    const starts = Promise.all(Array.from({ length: 4 }, () => openDatabase({ kind: 'postgres', url })));
    await expect
      .poll(
        () => other`select 1 from pg_locks where locktype = 'advisory' and not granted and database =
        (select oid from pg_database where datname = current_database())`,
      )
      .toHaveLength(4);
    await other`select pg_advisory_unlock(${LOCK}::bigint)`;
    const connections = await starts;
    for (const connection of connections) {
      await connection.ping();
      await connection.close();
    }
  });

  it('fail after a bounded wait with the name of the blocking session and a remedy', async () => {
    const { url, other } = await create();
    const [holder] = await other<{ pid: number }[]>`
      select pg_backend_pid() as pid, pg_advisory_lock(${LOCK}::bigint)`;
    const failure = await migratePostgres(url, 200).catch((error: unknown) => String(error));
    expect(failure).toMatch(/another process \(server process \d+, .*start again later.*pg_terminate_backend\(\d+\)/);
    expect(failure).toContain(`pg_terminate_backend(${holder?.pid})`);
    await other`select pg_advisory_unlock(${LOCK}::bigint)`;
    await migratePostgres(url, 30_000);
  });

  it('are checked beforehand without a change', async () => {
    const { url, other } = await create();
    const elsewhere = new URL(url);
    elsewhere.searchParams.set('search_path', 'nowhere');
    await expect(checkServer(elsewhere.href)).rejects.toThrow(DatabaseUnsuitableError);
    await checkServer(url);
    expect(await other`select from pg_namespace where nspname = 'drizzle'`).toHaveLength(0);
  });

  it('may take longer than the server lets statements take', async () => {
    const { url, other } = await create();
    await other.unsafe(`alter database ${new URL(url).pathname.slice(1)} set statement_timeout = 300`);
    await other`select pg_advisory_lock(${LOCK}::bigint)`;
    await expect(migratePostgres(url, 600)).rejects.toThrow(/another process/);
    await other`select pg_advisory_unlock(${LOCK}::bigint)`;
    await migratePostgres(url);
  });

  it('fail after a bounded wait when a session uses one of the tables', async () => {
    const { url, other } = await create();
    await migratePostgres(url);
    const isLocked = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const holding = other.begin(async (transaction) => {
      await transaction`lock table drizzle.__drizzle_migrations in access exclusive mode`;
      isLocked.resolve();
      await held.promise;
    });
    await isLocked.promise;
    // Long enough for the server to end the session of the first migration.
    expect(describeError(await migratePostgres(url, 2000).catch((error: unknown) => error))).toMatch(/lock timeout/);
    held.resolve();
    await holding;
    await migratePostgres(url, 30_000);
  });
});
