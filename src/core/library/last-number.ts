import { desc } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { libraryChunks } from '../../database/schema/index.ts';
import { type ChatOwner, isOwn } from '../conversations/index.ts';

/** Returns the greatest number of the owner's chunks; 0 if there are none. */
export async function findLastNumber(db: Database, owner: ChatOwner): Promise<number> {
  const { number } = libraryChunks;
  const isOfOwner = isOwn(libraryChunks, owner);
  const [row] = await db.select({ number }).from(libraryChunks).where(isOfOwner).orderBy(desc(number)).limit(1);
  return row?.number ?? 0;
}
