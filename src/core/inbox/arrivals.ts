import { and, asc, eq, gt, isNotNull } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { updates } from '../../database/schema/index.ts';

/** Updates received for one bot in the last day by all processes, handled or not. */
export type Arrivals = ReturnType<typeof createArrivals>;

const MAX_IDS = 2000;

export function createArrivals({ db, botId }: { readonly db: Database; readonly botId: number }) {
  return {
    /**
     * Returns message ids in ascending order, at most 2000.
     * @param range `after` is exclusive; `only` selects one chat, `greaterThan` all chats with a greater id.
     */
    async listMessageIds({
      after,
      chats,
    }: {
      readonly after: number;
      readonly chats: { readonly only: number } | { readonly greaterThan: number };
    }): Promise<readonly number[]> {
      const isMeant = 'only' in chats ? eq(updates.chatQueue, chats.only) : gt(updates.chatQueue, chats.greaterThan);
      const rows = await db
        .select({ id: updates.messageId })
        .from(updates)
        .where(and(eq(updates.botId, botId), isNotNull(updates.messageId), gt(updates.messageId, after), isMeant))
        .orderBy(asc(updates.messageId))
        .limit(MAX_IDS);
      return rows.flatMap(({ id }) => id ?? []);
    },
  };
}
