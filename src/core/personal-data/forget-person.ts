import { and, eq, inArray, isNotNull, like, or, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Database } from '../../database/connect.ts';
import {
  announcementRecipients,
  apiKeys,
  attachmentTexts,
  choices,
  dialogs,
  drawings,
  feedback,
  forgottenPeople,
  groupTalk,
  messages,
  people,
  personas,
  threads,
  toolPermissions,
  updates,
  usage,
} from '../../database/schema/index.ts';

/** Removes all rows about a person, files excepted, in one moment. Their number stays for a day, empty. */
export async function forgetPerson(
  db: Database,
  { personId, telegramId, now }: { readonly personId: number; readonly telegramId: number; readonly now: Date },
): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.select({ id: people.id }).from(people).where(eq(people.id, personId)).for('update');
    await leaveGroups(tx, personId);
    await tx.delete(threads).where(or(eq(threads.personId, personId), eq(threads.chatId, telegramId)));
    for (const table of [
      feedback,
      drawings,
      choices,
      usage,
      apiKeys,
      announcementRecipients,
      personas,
      toolPermissions,
    ])
      await tx.delete(table).where(eq(table.personId, personId));
    await tx.delete(groupTalk).where(eq(groupTalk.speakerId, telegramId));
    await tx.delete(dialogs).where(like(dialogs.key, `%:${personId}`));
    await tx
      .delete(updates)
      .where(
        and(
          isNotNull(updates.setAsideAt),
          or(
            eq(updates.lane, telegramId),
            sql`${updates.payload} #>> '{message,from,id}' = ${`${telegramId}`}`,
            sql`${updates.payload} #>> '{edited_message,from,id}' = ${`${telegramId}`}`,
          ),
        ),
      );
    await tx.update(people).set({ settings: {}, unreachableSince: null }).where(eq(people.id, personId));
    await tx
      .insert(forgottenPeople)
      .values({ personId, forgottenAt: now })
      .onConflictDoUpdate({ target: forgottenPeople.personId, set: { forgottenAt: now } });
  });
}

/** In conversations with others their words and the answers to them are emptied, and the rest stays with those who go on. */
async function leaveGroups(tx: Database, personId: number): Promise<void> {
  const question = alias(messages, 'question');
  const own = tx.select({ id: question.id }).from(question).where(eq(question.personId, personId));
  await tx.delete(attachmentTexts).where(inArray(attachmentTexts.messageId, own));
  await tx
    .update(messages)
    .set({ content: '', attachments: [], extras: null })
    .where(or(eq(messages.personId, personId), and(eq(messages.role, 'assistant'), inArray(messages.parentId, own))));
  // A title is made of the first words that were said, perhaps theirs.
  const theirs = tx.select({ id: messages.threadId }).from(messages).where(eq(messages.personId, personId));
  await tx.update(threads).set({ title: null }).where(inArray(threads.id, theirs));
  await tx
    .update(threads)
    .set({ instructions: null, instructionsBy: null })
    .where(eq(threads.instructionsBy, personId));
  await tx.update(messages).set({ personId: null }).where(eq(messages.personId, personId));
  const other = sql<number>`(select min(person_id) from messages where thread_id = ${threads.id} and person_id is not null)`;
  await tx
    .update(threads)
    .set({ personId: other })
    .where(and(eq(threads.personId, personId), isNotNull(other)));
}
