import type { Filter, MiddlewareFn } from 'grammy';
import type { StoredAction } from '../../core/interactions/index.ts';
import { answerAction, type CallbackAction } from '../kit/actions.ts';
import type { BotContext } from '../kit/context.ts';
import type { BotServices } from '../kit/services.ts';

type CallbackQueryContext = Filter<BotContext, 'callback_query'>;

/** Format of our tokens. Other data is forged, or from another bot that used this bot token before. */
const TOKEN = /^[\w-]{1,64}$/;

/**
 * Looks up the callback action of a pressed button. Refuses it outside of the message that it was sent with, and for
 * other users. All actions are checked here and only here: a client can send any data for any message of the bot that
 * its user sees.
 */
export function createCallbackQueryHandler(services: BotServices): MiddlewareFn<CallbackQueryContext> {
  return async (ctx, next) => {
    const token = ctx.callbackQuery.data ?? '';
    const offered = TOKEN.test(token) ? await services.interactions.findAction(token) : undefined;
    const action = services.actions.parse(offered?.action);
    // Unknown, expired, or of a kind that this version does not have: `features/menus.ts` reports it.
    if (!offered || !action) return next();
    const hint =
      (await findMisplacement(services, ctx, offered, action)) ??
      (await findForeignness(services, ctx, offered, action)) ??
      (await bindToInlineMessage(services, ctx, offered, action));
    if (hint !== undefined) return answerAction(services, ctx, { hint, isAlert: true });
    ctx.action = action;
    return next();
  };
}

/**
 * Checks the message of the pressed button. Its buttons (`reply_markup`) come from Telegram, so they prove that the
 * message has the button. For a message that the bot can't access any more, the update has no buttons, and it could not
 * be edited either: its buttons are refused.
 * @returns the notice for the user if the button does not belong to the message.
 */
async function findMisplacement(
  { actions, groups }: BotServices,
  { callbackQuery, texts }: CallbackQueryContext,
  offered: StoredAction,
  { kind }: CallbackAction,
): Promise<string | undefined> {
  const { message, inline_message_id: inlineMessageId, data } = callbackQuery;
  if (actions.accessOf(kind) === 'inline') {
    const isInChat = inlineMessageId === undefined || offered.chatId !== undefined;
    const isOfOther = offered.inlineMessageId !== undefined && offered.inlineMessageId !== inlineMessageId;
    return isInChat || isOfOther ? texts.otherChatButton : undefined;
  }
  if (!message) return texts.otherChatButton;
  // Undefined in rows older than the column; the message's buttons are proof enough.
  if (offered.chatId !== undefined && !(await groups.isSameChat(offered.chatId, message.chat.id)))
    return texts.otherChatButton;
  const buttons = message.reply_markup?.inline_keyboard?.flat() ?? [];
  return buttons.some((button) => 'callback_data' in button && button.callback_data === data)
    ? undefined
    : texts.staleButton;
}

/** @returns the notice for a user who may not use the button. */
async function findForeignness(
  { actions }: BotServices,
  ctx: CallbackQueryContext,
  { userId }: StoredAction,
  { kind }: CallbackAction,
): Promise<string | undefined> {
  const access = actions.accessOf(kind);
  // The user who opened the menu may no longer be an admin.
  if (access === 'group-admins') return (await ctx.isFromAdmin()) ? undefined : ctx.texts.groups.onlyAdmins;
  if (userId === ctx.user.id || access === 'everyone') return undefined;
  if (access === 'user-or-admin') return (await ctx.isFromAdmin()) ? undefined : ctx.texts.answers.foreign;
  return /^stop(-|$)/.test(kind) ? ctx.texts.foreignStop : ctx.texts.foreignButton;
}

/**
 * Binds the buttons of an inline or guest message to that message when their user first presses one: its id is not
 * known when they are created.
 */
async function bindToInlineMessage(
  { actions, interactions }: BotServices,
  { callbackQuery: { data = '', inline_message_id: inlineMessageId }, texts }: CallbackQueryContext,
  offered: StoredAction,
  { kind }: CallbackAction,
): Promise<string | undefined> {
  if (actions.accessOf(kind) !== 'inline' || inlineMessageId === undefined || offered.inlineMessageId !== undefined)
    return undefined;
  return (await interactions.bindAction(data, inlineMessageId)) ? undefined : texts.otherChatButton;
}
