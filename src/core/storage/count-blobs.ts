import { eq, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { blobs } from '../../database/schema/index.ts';

/** Counts the blobs of one kind of store by journal state. `intended` and `stored` are always present. */
export async function countBlobs(db: Database, storeKind: string): Promise<Readonly<Record<string, number>>> {
  const rows = await db
    .select({ state: blobs.state, count: sql<number>`count(*)`.mapWith(Number) })
    .from(blobs)
    .where(eq(blobs.store, storeKind))
    .groupBy(blobs.state);
  return { intended: 0, stored: 0, ...Object.fromEntries(rows.map(({ state, count }) => [state, count])) };
}
