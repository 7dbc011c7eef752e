import { and, eq, inArray, isNotNull, like, or, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Database } from '../../database/connect.ts';
import {
  accessRequests,
  apiKeys,
  attachmentTexts,
  broadcastRecipients,
  budgetNotices,
  budgets,
  callbackActions,
  conversations,
  dialogs,
  feedback,
  files,
  forgottenUsers,
  groupAdmissions,
  groupMessages,
  idempotentRequests,
  imageJobs,
  jobs,
  memories,
  messages,
  personas,
  responses,
  sessions,
  signInCodes,
  tasks,
  toolPermissions,
  updates,
  usage,
  users,
} from '../../database/schema/index.ts';
import { deleteConversations } from '../conversations/index.ts';
import { printScope } from '../limits/index.ts';

/**
 * Deletes a user's data except stored files, in one transaction: uploads in progress, background work, conversations,
 * ratings, image requests, callback actions, usage, API keys, sessions, receipts of broadcasts, personas, tasks, memories
 * of the user and those they wrote in groups, tool permissions, group messages, dialogs, failed updates, requests for access,
 * names and settings.
 * Messages in group conversations are emptied. The empty user row is kept for a day.
 */
export async function forgetUser(
  db: Database,
  { userId, telegramId, now }: { readonly userId: number; readonly telegramId: number | undefined; readonly now: Date },
): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('update');
    await leaveGroups(tx, userId);
    await deleteConversations(tx, isConversationOf(userId, telegramId));
    await tx.delete(budgets).where(inArray(budgets.scope, listKeyScopes(tx, userId)));
    await forgetBudgetNotices(tx, userId, telegramId);
    for (const table of [
      feedback,
      idempotentRequests,
      imageJobs,
      jobs,
      callbackActions,
      usage,
      apiKeys,
      broadcastRecipients,
      personas,
      responses,
      sessions,
      signInCodes,
      tasks,
      toolPermissions,
    ])
      await tx.delete(table).where(eq(table.userId, userId));
    await tx.delete(memories).where(isMemoryOf(userId));
    // Uploads in progress fail without their row.
    await tx.delete(files).where(and(eq(files.userId, userId), eq(files.state, 'uploading')));
    await tx.delete(dialogs).where(like(dialogs.key, `%:${userId}`));
    if (telegramId !== undefined) await forgetTelegramUser(tx, telegramId);
    await tx
      .update(users)
      .set({ settings: {}, unreachableSince: null, note: null, name: null, username: null })
      .where(eq(users.id, userId));
    await tx
      .insert(forgottenUsers)
      .values({ userId, forgottenAt: now })
      .onConflictDoUpdate({ target: forgottenUsers.userId, set: { forgottenAt: now } });
  });
}

/** Returns the condition for the conversations of a user: those opened by the user, and all of the private chat. */
export function isConversationOf(userId: number, telegramId: number | undefined) {
  const { userId: openedBy, chatId } = conversations;
  return or(eq(openedBy, userId), telegramId === undefined ? undefined : eq(chatId, telegramId));
}

/** Returns the condition for the memories of a user: their own, and those that they wrote in groups. */
export function isMemoryOf(userId: number) {
  return or(eq(memories.userId, userId), eq(memories.authorId, userId));
}

/** Returns the scopes of the user's API keys in limits and budgets. */
function listKeyScopes(tx: Database, userId: number) {
  return tx
    .select({ scope: sql<string>`'key:' || ${apiKeys.id}` })
    .from(apiKeys)
    .where(eq(apiKeys.userId, userId));
}

/** Deletes the notices to the user. Those to groups and admins are kept without the user's id. */
async function forgetBudgetNotices(tx: Database, userId: number, telegramId: number | undefined): Promise<void> {
  const chats = telegramId === undefined ? [] : [printScope({ kind: 'chat', id: telegramId })];
  const own = [printScope({ kind: 'user', id: userId }), ...chats];
  const { scope } = budgetNotices;
  await tx.delete(budgetNotices).where(or(inArray(scope, own), inArray(scope, listKeyScopes(tx, userId))));
  await tx.update(budgetNotices).set({ userId: null }).where(eq(budgetNotices.userId, userId));
}

/** Deletes what is stored under the user's Telegram id. */
async function forgetTelegramUser(tx: Database, telegramId: number): Promise<void> {
  await tx.delete(groupMessages).where(eq(groupMessages.authorId, telegramId));
  // Uses of invitations stay like bans: an account that was removed could use the link again.
  for (const table of [accessRequests, groupAdmissions]) await tx.delete(table).where(eq(table.telegramId, telegramId));
  await tx
    .delete(updates)
    .where(
      and(
        isNotNull(updates.failedAt),
        or(
          eq(updates.chatQueue, telegramId),
          sql`${updates.payload} #>> '{message,from,id}' = ${`${telegramId}`}`,
          sql`${updates.payload} #>> '{edited_message,from,id}' = ${`${telegramId}`}`,
        ),
      ),
    );
}

/**
 * Empties the user's messages in group conversations and the answers to them; everything else is kept for the other
 * members.
 */
async function leaveGroups(tx: Database, userId: number): Promise<void> {
  const question = alias(messages, 'question');
  const own = tx.select({ id: question.id }).from(question).where(eq(question.userId, userId));
  await tx.delete(attachmentTexts).where(inArray(attachmentTexts.messageId, own));
  await tx
    .update(messages)
    .set({ content: '', attachments: [], extras: null })
    .where(or(eq(messages.userId, userId), and(eq(messages.role, 'assistant'), inArray(messages.parentId, own))));
  // Titles are derived from the first messages, possibly the user's.
  const theirs = tx.select({ id: messages.conversationId }).from(messages).where(eq(messages.userId, userId));
  await tx.update(conversations).set({ title: null }).where(inArray(conversations.id, theirs));
  await tx
    .update(conversations)
    .set({ instructions: null, instructionsBy: null })
    .where(eq(conversations.instructionsBy, userId));
  await tx.update(messages).set({ userId: null }).where(eq(messages.userId, userId));
  const other = sql<number>`(select min(user_id) from messages where conversation_id = ${conversations.id} and user_id is not null)`;
  await tx
    .update(conversations)
    .set({ userId: other })
    .where(and(eq(conversations.userId, userId), isNotNull(other)));
}
