import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { messages, plannedSends, toolPermissions } from '../../database/schema/index.ts';

/** Finish reason of an answer that waits for the user's decision about a tool call. */
export const PAUSED = 'paused';

/** A user's permission for calls of a tool in one conversation. */
export interface ToolPermissionKey {
  readonly conversationId: number;
  readonly userId: number;
  /** The tool, or the tool and the host it may open. */
  readonly subject: string;
}

/** Answers paused for a user's decision, and permissions for whole conversations. */
export interface PausedAnswers {
  /**
   * Stores the decision about the paused call. The answer counts as undelivered again.
   * @returns false if the answer no longer waits for this call.
   */
  decidePaused(answerId: number, pauseId: string, isAllowed: boolean): Promise<boolean>;
  /** Marks a paused answer as delivered until the user decides. Does nothing if that has happened. */
  settlePaused(answerId: number): Promise<void>;
  /** Stores a permission. Idempotent. */
  permitTool(permission: ToolPermissionKey): Promise<void>;
  isToolPermitted(permission: ToolPermissionKey): Promise<boolean>;
}

export function createPausedAnswers({ db }: { readonly db: Database }): PausedAnswers {
  return {
    async decidePaused(answerId, pauseId, isAllowed) {
      const isWaiting = sql`${messages.extras} #>> '{pausedCalls,id}' = ${pauseId}`;
      const extras = sql`jsonb_set(${messages.extras}, '{pausedCalls,isAllowed}', to_jsonb(${isAllowed}::boolean))`;
      const decided = await db
        .update(messages)
        .set({ extras, settledAt: null, finishReason: null })
        .where(and(eq(messages.id, answerId), eq(messages.finishReason, PAUSED), isWaiting))
        .returning({ id: messages.id });
      return decided.length > 0;
    },
    settlePaused: (answerId) =>
      db.transaction(async (tx) => {
        const settled = await tx
          .update(messages)
          .set({ settledAt: sql`now()` })
          .where(and(eq(messages.id, answerId), eq(messages.finishReason, PAUSED)))
          .returning({ id: messages.id });
        if (settled.length > 0) await tx.delete(plannedSends).where(eq(plannedSends.messageId, answerId));
      }),
    async permitTool(permission) {
      await db.insert(toolPermissions).values(permission).onConflictDoNothing();
    },
    async isToolPermitted({ conversationId, userId, subject }) {
      const { conversationId: conversation, userId: user, subject: permitted } = toolPermissions;
      const rows = await db
        .select({ conversationId: conversation })
        .from(toolPermissions)
        .where(and(eq(conversation, conversationId), eq(user, userId), eq(permitted, subject)));
      return rows.length > 0;
    },
  };
}
