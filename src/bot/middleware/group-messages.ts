import { Composer } from 'grammy';
import type { Update } from 'grammy/types';
import type { BotDeps } from '../framework/bot-deps.ts';
import { toChatTopic } from '../framework/chat-topic.ts';
import type { BotContext } from '../framework/context.ts';
import { toGroupMessage } from '../groups/to-group-message.ts';
import type { MessageParts } from '../inputs/message-parts.ts';
import { isMessageOfOthers } from './user-filter.ts';

type GroupMessagesDeps = Pick<BotDeps, 'groups'>;

/** Stores messages of groups whose admins have switched that on, except those to the bot. */
export function createGroupMessagesFeature(
  deps: GroupMessagesDeps & { readonly messageParts: MessageParts },
): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.use(async (ctx, next) => {
    if (!isMessageOfOthers(deps, ctx.update, ctx.me)) return next();
    const message = ctx.message ?? ctx.editedMessage;
    const line = message && isKept(deps, ctx.update) ? toGroupMessage(message) : undefined;
    if (!message || !line) return;
    if (ctx.editedMessage) await deps.groups.changeRecentMessages(message.chat.id, line);
    else await deps.groups.keepMessages(toChatTopic(message), line);
  });
  return composer;
}

/**
 * Returns whether the update belongs to a group with remembered messages. Uses memory only, because it is called with
 * every update.
 */
export function isKept({ groups }: GroupMessagesDeps, { message, edited_message: edited }: Update): boolean {
  const chat = (message ?? edited)?.chat;
  return chat !== undefined && groups.isRemembering(chat.id);
}
