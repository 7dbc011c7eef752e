import { desc, eq } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { libraryChunks } from '../../database/schema/index.ts';
import type { LibraryOwner } from './owner.ts';

/** Returns the greatest number of the owner's chunks; 0 if there are none. */
export async function findLastNumber(db: Database, owner: LibraryOwner): Promise<number> {
  const { userId, groupId, number } = libraryChunks;
  const isOwn = 'userId' in owner ? eq(userId, owner.userId) : eq(groupId, owner.groupId);
  const [row] = await db.select({ number }).from(libraryChunks).where(isOwn).orderBy(desc(number)).limit(1);
  return row?.number ?? 0;
}
