import { desc, lt } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { broadcasts } from '../../database/schema/index.ts';
import { type BroadcastCounts, readCounts } from '../broadcasts/index.ts';
import { type Page, type PageRequest, toPage } from './page.ts';

/** States of broadcasts. */
export const BROADCAST_STATES = broadcasts.state.enumValues;

/** A broadcast without its message. */
export interface ListedBroadcast {
  readonly id: number;
  readonly adminTelegramId: number;
  readonly state: (typeof BROADCAST_STATES)[number];
  readonly createdAt: Date;
  /** Undefined while something is left to send. */
  readonly endedAt: Date | undefined;
  readonly counts: BroadcastCounts;
}

/** Lists broadcasts, newest first. */
export async function listBroadcasts(db: Database, { limit, after }: PageRequest): Promise<Page<ListedBroadcast>> {
  const rows = await db
    .select()
    .from(broadcasts)
    .where(after && lt(broadcasts.id, Number(after[0])))
    .orderBy(desc(broadcasts.id))
    .limit(limit + 1);
  // Only one broadcast runs at a time; the counts of the others are stored.
  const counted = await Promise.all(rows.map(async (row) => ({ ...row, counts: await readCounts(db, row) })));
  return toPage(counted, limit, {
    toItem: ({ id, adminTelegramId, state, createdAt, endedAt, counts }) => ({
      ...{ id, adminTelegramId, state, createdAt, counts },
      endedAt: endedAt ?? undefined,
    }),
    toKey: ({ id }) => [id],
  });
}
