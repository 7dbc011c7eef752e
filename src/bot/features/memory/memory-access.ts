import type { Memory } from '../../../core/memory/index.ts';
import { toOwner } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';

/** Returns whether memory is on in the chat: in private chats by default, in groups once an admin has switched it on. */
export function isMemoryOn({ group, user }: Pick<BotContext, 'group' | 'user'>): boolean {
  return group ? group.settings.hasMemory === true : user.settings.hasMemory !== false;
}

/** Returns whether the user may switch memory and delete all of it: in groups only admins may. */
export async function mayManage(ctx: BotContext): Promise<boolean> {
  return 'userId' in toOwner(ctx) || ctx.isFromAdmin();
}

/** Returns whether the user may change and delete a memory: in groups its author and admins may. */
export async function mayChange(ctx: BotContext, { authorId }: Memory): Promise<boolean> {
  return authorId === ctx.user.id || mayManage(ctx);
}
