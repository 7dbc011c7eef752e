import { Composer } from 'grammy';
import type { MessageReactionUpdated, Update, UserFromGetMe } from 'grammy/types';
import { asInGroup } from '../choices/groups.ts';
import { isUser } from '../kit/address.ts';
import { isGroup } from '../kit/chats.ts';
import type { BotContext } from '../kit/context.ts';
import { toFullName } from '../kit/names.ts';
import type { BotServices } from '../kit/services.ts';
import { findLocale } from '../texts/locales.ts';
import { createAccessControl } from './access-control.ts';
import { createCallbackQueryHandler } from './callback-query.ts';

/**
 * Creates the addressing filter and access control. Passes on messages of users that address the bot, callback queries,
 * reactions to answers, inline queries and chosen inline results, and guest messages, all from permitted users only.
 * Updates of bots and channels are dropped, so two bots can't answer each other endlessly. Most other updates are
 * dropped before any database query.
 */
export function createUserFilter(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.use(async (ctx, next) => {
    if (!isUser(ctx.from) || !isForFeatures(services, ctx)) return;
    if (ctx.messageReaction && !(await isToAnswer(services, ctx.messageReaction))) return;
    ctx.locale = findLocale(ctx.from.language_code);
    await next();
  });
  composer.use(createAccessControl(services));
  composer.use(async (ctx, next) => {
    if (!ctx.from) return;
    const user = await services.accounts.ensureTelegramUser(ctx.from.id);
    // The chat of a guest message is not a chat of the bot, whatever its id.
    ctx.group =
      ctx.chat && isGroup(ctx.chat) && !ctx.guestMessage ? await services.groups.find(ctx.chat.id) : undefined;
    ctx.user = asInGroup(user, ctx.group);
    ctx.locale = findLocale(ctx.user.settings.language, ctx.from.language_code);
    await services.accounts.recordName(user, { name: toFullName(ctx.from), username: ctx.from.username });
    const isInPrivate = ctx.message?.chat.type === 'private';
    if (isInPrivate && !ctx.user.isReachable) await services.accounts.recordReachability(ctx.from.id, true);
    await next();
  });
  composer.on('callback_query', createCallbackQueryHandler(services));
  return composer;
}

/**
 * Returns whether the update is a group message that neither addresses the bot nor changes the group itself. One part
 * of an album or of a long text addresses the bot for all.
 */
export function isMessageOfOthers({ messageParts }: BotServices, update: Update, me: UserFromGetMe): boolean {
  const message = update.message ?? update.edited_message;
  // A webhook accepts any JSON with an update id, so fields may be missing.
  if (!message?.chat || !isGroup(message.chat) || message.migrate_to_chat_id !== undefined) return false;
  return Boolean(message.via_bot) || messageParts.findAddress(message, me) === undefined;
}

/** Returns whether the message is an answer of the bot; other reactions are ignored. */
function isToAnswer({ feedback }: BotServices, { chat, message_id }: MessageReactionUpdated): Promise<boolean> {
  return feedback.isAnswer({ chatId: chat.id, telegramMessageId: message_id });
}

function isForFeatures(services: BotServices, ctx: BotContext): boolean {
  const { callbackQuery, inlineQuery, chosenInlineResult, guestMessage, messageReaction } = ctx;
  return (
    isMeantForBot(services, ctx) ||
    [callbackQuery, inlineQuery, chosenInlineResult, guestMessage, messageReaction].some(Boolean)
  );
}

function isMeantForBot({ messageParts }: BotServices, ctx: BotContext): boolean {
  const message = ctx.message ?? ctx.editedMessage;
  if (!message || message.sender_chat) return false;
  // Messages sent through the bot's own inline mode are meant for the other members of the chat.
  if (message.via_bot?.id === ctx.me.id) return false;
  // The messages of a channel are a supergroup in which each user sees only their own topic.
  if (message.chat.is_direct_messages) return false;
  // In groups, messages sent through any inline bot are ignored.
  if (isGroup(message.chat)) return !message.via_bot && messageParts.findAddress(message, ctx.me) !== undefined;
  return message.chat.type === 'private';
}
