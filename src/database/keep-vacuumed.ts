import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { PGlite } from '@electric-sql/pglite';

const FIRST_AFTER_MS = 60_000;
const EVERY_MS = 3_600_000;

/**
 * Vacuums all tables a minute after the start and then hourly. Unlike a server, the embedded database has no
 * autovacuum, and its files would grow without limit.
 * @param checkSpace throws if the disk is too full to vacuum; the next round retries.
 * @returns a function that stops it and resolves when no vacuum is running.
 */
export function keepVacuumed(client: PGlite, checkSpace: () => void): () => Promise<void> {
  let isOver = false;
  let working = Promise.resolve();
  const work = async () => {
    const { rows } = await client.query<{ name: string }>(TABLES);
    for (const { name } of rows) {
      if (isOver) return;
      checkSpace();
      await client.exec(`vacuum ${name}`);
      // The database runs on this thread: yield between tables.
      await yieldToEventLoop();
    }
  };
  const schedule = (delayMs: number) =>
    setTimeout(() => {
      // Errors of the database surface elsewhere; a failed vacuum only costs disk space.
      working = work().catch(() => {});
      timer = schedule(EVERY_MS);
    }, delayMs).unref();
  let timer = schedule(FIRST_AFTER_MS);
  return () => {
    isOver = true;
    clearTimeout(timer);
    return working;
  };
}

const TABLES =
  "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'public' order by tablename";
