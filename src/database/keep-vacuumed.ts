import type { PGlite } from '@electric-sql/pglite';

const FIRST_AFTER_MS = 60_000;
const EVERY_MS = 3_600_000;

/**
 * Gives the room of rows that are gone to those that come, a minute after the start and then once an hour. A server does it by itself; the
 * embedded database does not, and its files would only ever grow.
 * @param checkSpace throws while the disk is too full for it; the next round tries again.
 * @returns what ends it, and resolves when nothing of it is under way.
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
      // The database works in this thread: between tables everybody else gets a turn.
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const schedule = (delayMs: number) =>
    setTimeout(() => {
      // What is wrong with the database shows in everything else; here it only costs room.
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
