import { and, desc, eq, exists, lt, or, type SQL, sql } from 'drizzle-orm';
import { type AnyPgColumn, alias } from 'drizzle-orm/pg-core';
import type { Database } from '../../../database/connect.ts';
import { deliveries, messages } from '../../../database/schema/index.ts';
import { type StoredMessage, toMessage } from './stored-message.ts';

/** Matches both messages of a reminder. Versions before 0.3 have not marked the sent one. */
export const isReminderRow = isReminderIn(messages);

/** Returns the same condition for an alias of the table. */
export function isReminderIn({ extras }: { readonly extras: AnyPgColumn }): SQL<boolean> {
  return sql<boolean>`coalesce(${extras} #>> '{taskRun,kind}' = 'reminder', false)`;
}

/** Returns whether a message is one of those of a reminder. */
export function isReminder({ extras }: Pick<StoredMessage, 'extras'>): boolean {
  return extras.taskRun?.kind === 'reminder';
}

const MAX_REMINDERS = 20;

/**
 * Reads reminders that were sent in conversations. Each consists of a message of its user and a sent one, beside the tree: the
 * head stays, so that neither answers nor their buttons depend on a reminder that is sent meanwhile.
 */
export function createReminders({ db }: { readonly db: Database }) {
  return {
    /**
     * Returns the reminders that were sent in a conversation before a message, oldest first: those with the given ids,
     * and of the others the newest.
     */
    async listReminders(
      { id, conversationId }: Pick<StoredMessage, 'id' | 'conversationId'>,
      ids: readonly number[],
    ): Promise<readonly StoredMessage[]> {
      const sent = alias(messages, 'sent');
      const isSent = exists(
        db
          .select({ id: sent.id })
          .from(sent)
          .innerJoin(deliveries, eq(deliveries.messageId, sent.id))
          .where(eq(sent.parentId, messages.id)),
      );
      const isWanted = sql<boolean>`${messages.id} = any(${sql.param(`{${ids.join()}}`)}::bigint[])`;
      const isBefore = and(eq(messages.conversationId, conversationId), lt(messages.id, id));
      const rows = await db
        .select()
        .from(messages)
        .where(and(or(isBefore, isWanted), eq(messages.role, 'user'), isReminderRow, isSent))
        .orderBy(desc(isWanted), desc(messages.id))
        .limit(MAX_REMINDERS);
      return rows.map(toMessage).toSorted((one, other) => one.id - other.id);
    },
  };
}
