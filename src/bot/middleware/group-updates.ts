import { Composer } from 'grammy';
import type { Update } from 'grammy/types';
import { createCache } from '../../lib/async/cache.ts';
import { toGroupMessage } from '../choices/groups.ts';
import { findAddress } from '../kit/address.ts';
import { isGroup, toChatTopic } from '../kit/chats.ts';
import type { BotContext } from '../kit/context.ts';
import type { BotServices } from '../kit/services.ts';
import { findLocale } from '../texts/locales.ts';
import { isMessageOfOthers } from './user-filter.ts';

/** Stores messages of groups whose admins have switched that on, except those to the bot. */
export function createGroupMessagesFeature(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.use(async (ctx, next) => {
    if (!isMessageOfOthers(services, ctx.update, ctx.me)) return next();
    const message = ctx.message ?? ctx.editedMessage;
    const line = message && isStored(services, ctx.update) ? toGroupMessage(message) : undefined;
    if (!message || !line) return;
    if (ctx.editedMessage) await services.groups.changeRecentMessages(message.chat.id, line);
    else await services.groups.storeMessages(toChatTopic(message), line);
  });
  return composer;
}

/**
 * Returns whether the update belongs to a group with remembered messages. Uses memory only, because it is called with
 * every update.
 */
export function isStored({ groups }: BotServices, { message, edited_message: edited }: Update): boolean {
  const chat = (message ?? edited)?.chat;
  return chat !== undefined && groups.isRemembering(chat.id);
}

/**
 * Deletes recent messages and memories of a group, switches both off, and ends the access of its members, when the bot is
 * removed from it.
 */
export function createLeftGroupsFeature({ groups, groupAccess, memories }: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.on('my_chat_member', async (ctx, next) => {
    const { chat, new_chat_member: member } = ctx.myChatMember;
    const isGone = member.status === 'left' || member.status === 'kicked';
    if (isGroup(chat) && isGone) {
      const { settings, storesRecentMessages } = await groups.find(chat.id);
      if (storesRecentMessages) await groups.setRemembering(chat.id, false);
      // First, so that an answer in progress adds none.
      if (settings.hasMemory) await groups.change(chat.id, { hasMemory: undefined });
      await memories.removeAll({ groupId: chat.id });
      await groupAccess.removeGroup(chat.id);
    }
    await next();
  });
  return composer;
}

/** Moves conversations and settings when a group becomes a supergroup and gets a new id. */
export function createMigrationFeature({ conversations, groups }: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.on('message:migrate_to_chat_id', async (ctx) => {
    await conversations.moveChat(ctx.chat.id, ctx.message.migrate_to_chat_id);
    await groups.move(ctx.chat.id, ctx.message.migrate_to_chat_id);
  });
  return composer;
}

/**
 * Drops replies to the bot in groups that have it answer mentions only. Runs after the dialogs, whose prompts expect
 * replies.
 */
export function createMentionsOnly({ messageParts }: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer
    .on('message')
    .filter(
      ({ group, message, me }) =>
        group?.settings.answersReplies === false && messageParts.findAddress(message, me) === 'reply',
    )
    .use(() => {});
  return composer;
}

/** Minimum interval between two notices in the same group, in milliseconds. */
const NOTICE_INTERVAL_MS = 6 * 3_600_000;
/** Bounds memory; beyond it a group may get the notice more often. */
const MAX_NOTIFIED = 5000;

/** Replies to anonymous group admins that the bot can't identify them, at most once per interval. */
export function createAnonymousAdmins(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  const notified = createCache<number, true>(services.clock, { max: MAX_NOTIFIED, ttlMs: NOTICE_INTERVAL_MS });
  composer
    .on('message')
    .filter(({ message, me }) => isAnonymousAdmin(message) && findAddress(message, me) !== undefined)
    .use(async (ctx) => {
      if (notified.has(ctx.chat.id)) return;
      notified.set(ctx.chat.id, true);
      ctx.locale = findLocale((await services.groups.find(ctx.chat.id)).settings.language);
      await ctx.reply(ctx.texts.groups.anonymous, {
        reply_parameters: { message_id: ctx.message.message_id, allow_sending_without_reply: true },
      });
    });
  return composer;
}

function isAnonymousAdmin({ chat, sender_chat: sender }: NonNullable<BotContext['message']>): boolean {
  return sender !== undefined && isGroup(chat) && sender.id === chat.id;
}
