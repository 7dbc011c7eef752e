import { type Column, eq, type SQL } from 'drizzle-orm';

/** Owner of what is stored for a chat, such as memories: the user in private chats, else the group. */
export type ChatOwner = { readonly userId: number } | { readonly groupId: number };

/** Returns the condition for the rows of an owner. */
export function isOwn(table: { readonly userId: Column; readonly groupId: Column }, owner: ChatOwner): SQL {
  return 'userId' in owner ? eq(table.userId, owner.userId) : eq(table.groupId, owner.groupId);
}
