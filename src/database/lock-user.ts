import { eq } from 'drizzle-orm';
import type { Database } from './connect.ts';
import { users } from './schema/index.ts';

/**
 * Serialises transactions that change the rows of a user, so that counts and sums stay bounded. Taken before other
 * locks, as by the deletion of a user's data, so that transactions never deadlock.
 */
export async function lockUser(tx: Database, userId: number): Promise<void> {
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('update');
}
