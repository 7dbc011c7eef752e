import { randomInt } from 'node:crypto';
import { checkServer } from '../connect.ts';
import { LIST_TABLES, listColumns, qualify } from './catalogue.ts';
import { CopyRefusedError } from './copy-failures.ts';
import type { CopySource } from './copy-source.ts';
import { expectCurrent } from './expect-current.ts';
import { listServiceSessions, lockStarts, openServerSession, type ServerSession } from './server-session.ts';

/** Largest number that `randomInt` takes. */
const KEY_RANGE = 2 ** 48 - 1;

/** Opens a snapshot of a server's database. */
export async function openServerSource(url: string): Promise<CopySource> {
  const check = await checkServer(url);
  const session = openServerSession(url);
  try {
    await session.begin('isolation level repeatable read, read only');
    await expectUnused(session);
    expectCurrent(check, (await session.query(LIST_TABLES)).length);
    const key = randomInt(KEY_RANGE);
    await session.query(`select pg_advisory_xact_lock(${key}::bigint)`);
    return {
      query: session.query,
      read: (table) => session.read(`copy (select ${listColumns(table)} from ${qualify(table.name)}) to stdout`),
      async isDatabaseOf(target) {
        const [row] = await target.query<{ isFree: boolean }>(
          `select pg_try_advisory_xact_lock(${key}::bigint) as "isFree"`,
        );
        return row?.isFree === false;
      },
      interrupt: session.end,
      close: session.end,
    };
  } catch (error) {
    await session.end();
    throw error;
  }
}

/** Checks that no process works with the source, and prevents that one starts before the copy is complete. */
async function expectUnused(session: ServerSession): Promise<void> {
  if (!(await lockStarts(session)))
    throw new CopyRefusedError('A process is starting on the database of the settings, or copies it. Stop all of them');
  const users = await listServiceSessions(session);
  if (users.length > 0)
    throw new CopyRefusedError(
      `The database of the settings is in use: ${users.join(', ')}. Stop all processes of the service, on all machines, and copy then`,
    );
  const exists = await session.query<{ exists: boolean }>(
    `select to_regclass('public.update_workers') is not null as exists`,
  );
  if (!exists[0]?.exists) return;
  // Connections can't be told apart behind a proxy that pools them, but the processes say that they are alive.
  const [worker] = await session.query<{ seconds: number }>(
    `select ceil(extract(epoch from max(alive_until) - now()))::float8 as seconds from public.update_workers
     where alive_until > now()`,
  );
  if (worker?.seconds)
    throw new CopyRefusedError(
      `A process was using the database of the settings until a moment ago. Stop it; if it was killed, wait ${worker.seconds} s`,
    );
}
