import { Composer } from 'grammy';
import type { Update } from 'grammy/types';
import { toGroupMessage } from '../groups/to-group-message.ts';
import { toChatTopic } from '../kit/chats.ts';
import type { BotContext } from '../kit/context.ts';
import type { BotServices } from '../kit/services.ts';
import { isMessageOfOthers } from './user-filter.ts';

/** Stores messages of groups whose admins have switched that on, except those to the bot. */
export function createGroupMessagesFeature(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.use(async (ctx, next) => {
    if (!isMessageOfOthers(services, ctx.update, ctx.me)) return next();
    const message = ctx.message ?? ctx.editedMessage;
    const line = message && isKept(services, ctx.update) ? toGroupMessage(message) : undefined;
    if (!message || !line) return;
    if (ctx.editedMessage) await services.groups.changeRecentMessages(message.chat.id, line);
    else await services.groups.keepMessages(toChatTopic(message), line);
  });
  return composer;
}

/**
 * Returns whether the update belongs to a group with remembered messages. Uses memory only, because it is called with
 * every update.
 */
export function isKept({ groups }: BotServices, { message, edited_message: edited }: Update): boolean {
  const chat = (message ?? edited)?.chat;
  return chat !== undefined && groups.isRemembering(chat.id);
}
