import { Composer } from 'grammy';
import type { Update } from 'grammy/types';
import type { BotDeps } from '../framework/bot-deps.ts';
import { isGroup, toChatTopic } from '../framework/chat-topic.ts';
import type { BotContext } from '../framework/context.ts';
import { toTalkLine } from '../groups/talk-line.ts';
import { isTalkOfOthers } from './user-filter.ts';

type TalkDeps = Pick<BotDeps, 'groups'>;

/**
 * Stores messages of groups whose admins have switched that on, except those to the bot. Deletes them when the bot is
 * removed.
 */
export function createGroupTalkFeature(deps: TalkDeps): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.use(async (ctx, next) => {
    if (!isTalkOfOthers(ctx.update, ctx.me)) return next();
    const message = ctx.message ?? ctx.editedMessage;
    const line = message && isRemembered(deps, ctx.update) ? toTalkLine(message) : undefined;
    if (!message || !line) return;
    if (ctx.editedMessage) await deps.groups.changeTalk(message.chat.id, line);
    else await deps.groups.keepTalk(toChatTopic(message), line);
  });
  composer.on('my_chat_member', async (ctx, next) => {
    const { chat, new_chat_member: member } = ctx.myChatMember;
    const isGone = member.status === 'left' || member.status === 'kicked';
    if (isGroup(chat) && isGone && (await deps.groups.find(chat.id)).remembersTalk) {
      await deps.groups.setRemembering(chat.id, false);
    }
    await next();
  });
  return composer;
}

/**
 * Returns whether the update belongs to a group with remembered messages. Uses memory only, because it is called with
 * every update.
 */
export function isRemembered({ groups }: TalkDeps, { message, edited_message: edited }: Update): boolean {
  const chat = (message ?? edited)?.chat;
  return chat !== undefined && groups.isRemembering(chat.id);
}
