import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '../../../database/connect.ts';
import { messages, plannedSends, toolPermissions } from '../../../database/schema/index.ts';
import type { ChatLeases } from '../../inbox/index.ts';

/** Finish reason of an answer that waits for the user's decision about a tool call. */
export const PAUSED = 'paused';

/** A user's permission for calls of a tool in one conversation. */
export interface ToolPermissionKey {
  readonly conversationId: number;
  readonly userId: number;
  /** The tool, or the tool and the host it may open. */
  readonly subject: string;
}

/** Pauses answers for a user's decision, and stores permissions for whole conversations. */
export function createPausedAnswers({ db, chatLeases }: { readonly db: Database; readonly chatLeases: ChatLeases }) {
  return {
    /**
     * Stores the decision about the paused call. The answer counts as undelivered again.
     * @returns false if the answer no longer waits for this call.
     */
    async decidePaused(answerId: number, pauseId: string, isAllowed: boolean): Promise<boolean> {
      const isWaiting = sql`${messages.extras} #>> '{pausedCalls,id}' = ${pauseId}`;
      const extras = sql`jsonb_set(${messages.extras}, '{pausedCalls,isAllowed}', to_jsonb(${isAllowed}::boolean))`;
      const decided = await chatLeases.fence(db, (tx) =>
        tx
          .update(messages)
          .set({ extras, settledAt: null, finishReason: null })
          .where(and(eq(messages.id, answerId), eq(messages.finishReason, PAUSED), isWaiting))
          .returning({ id: messages.id }),
      );
      return decided.length > 0;
    },
    /** Marks a paused answer as delivered until the user decides. Does nothing if that has happened. */
    settlePaused: (answerId: number): Promise<void> =>
      db.transaction(async (tx) => {
        await chatLeases.hold(tx);
        const settled = await tx
          .update(messages)
          .set({ settledAt: sql`now()` })
          .where(and(eq(messages.id, answerId), eq(messages.finishReason, PAUSED)))
          .returning({ id: messages.id });
        if (settled.length > 0) await tx.delete(plannedSends).where(eq(plannedSends.messageId, answerId));
      }),
    /** Stores a permission. Idempotent. */
    async permitTool(permission: ToolPermissionKey): Promise<void> {
      await db.insert(toolPermissions).values(permission).onConflictDoNothing();
    },
    async isToolPermitted({ conversationId, userId, subject }: ToolPermissionKey): Promise<boolean> {
      const { conversationId: conversation, userId: user, subject: permitted } = toolPermissions;
      const rows = await db
        .select({ conversationId: conversation })
        .from(toolPermissions)
        .where(and(eq(conversation, conversationId), eq(user, userId), eq(permitted, subject)));
      return rows.length > 0;
    },
  };
}
