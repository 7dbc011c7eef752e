import { readFile } from 'node:fs/promises';
import { sql } from 'drizzle-orm';
import type { Database } from '../../src/database/connect.ts';

/** Returns the CPU time in milliseconds that this process has used so far, and the sessions of a server on this machine. */
export async function readCpuMs(db: Database): Promise<number> {
  const rows = await db
    .select({ pid: sql<number>`pid` })
    .from(sql`pg_stat_activity`)
    .where(sql`datname = current_database() and backend_type = 'client backend'`);
  const sessions = await Promise.all(rows.map(({ pid }) => readSessionMs(pid)));
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + sessions.reduce((sum, ms) => sum + ms, 0);
}

/** The embedded database has no process of its own. */
async function readSessionMs(pid: number): Promise<number> {
  const statistics = await readFile(`/proc/${pid}/schedstat`, 'utf8').catch(() => '');
  return Number.parseInt(statistics, 10) / 1e6 || 0;
}
