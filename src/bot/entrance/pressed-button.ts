import type { Filter, MiddlewareFn } from 'grammy';
import type { Groups } from '../../core/groups/index.ts';
import type { Interactions, OfferedChoice } from '../../core/interactions/index.ts';
import type { Logger } from '../../lib/logger.ts';
import type { ActionRegistry, Choice } from '../framework/choice.ts';
import type { BotContext } from '../framework/context.ts';
import { answerPress } from '../framework/press.ts';

interface PressDeps {
  readonly actions: ActionRegistry;
  readonly groups: Pick<Groups, 'isSameChat'>;
  readonly interactions: Pick<Interactions, 'findChoice' | 'bindChoice'>;
  readonly logger: Logger;
}

type PressContext = Filter<BotContext, 'callback_query'>;

/** Format of our tokens. Other data is forged, or from another bot that used this bot token before. */
const TOKEN = /^[\w-]{1,64}$/;

/**
 * Looks up the callback action of a pressed button. Refuses it outside of the message that it was sent with, and for
 * other users. All actions are checked here and only here: a client can send any data for any message of the bot that
 * its user sees.
 */
export function createPressedButton(deps: PressDeps): MiddlewareFn<PressContext> {
  return async (ctx, next) => {
    const token = ctx.callbackQuery.data ?? '';
    const offered = TOKEN.test(token) ? await deps.interactions.findChoice(token) : undefined;
    const choice = deps.actions.parse(offered?.choice);
    // Unknown, expired, or of a kind that this version does not have: `features/menus.ts` reports it.
    if (!offered || !choice) return next();
    const hint =
      (await findMisplacement(deps, ctx, offered, choice)) ??
      (await findForeignness(deps, ctx, offered, choice)) ??
      (await bindToInlineMessage(deps, ctx, offered, choice));
    if (hint !== undefined) return answerPress(deps, ctx, { hint, isAlert: true });
    ctx.choice = choice;
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
  { actions, groups }: PressDeps,
  { callbackQuery, texts }: PressContext,
  offered: OfferedChoice,
  { kind }: Choice,
): Promise<string | undefined> {
  const { message, inline_message_id: inlineMessageId, data } = callbackQuery;
  if (actions.audienceOf(kind) === 'inline') {
    const isElsewhere = inlineMessageId === undefined || offered.chatId !== undefined;
    const isOfOther = offered.inlineMessageId !== undefined && offered.inlineMessageId !== inlineMessageId;
    return isElsewhere || isOfOther ? texts.otherChatPress : undefined;
  }
  if (!message) return texts.otherChatPress;
  // Undefined in rows older than the column; the message's buttons are proof enough.
  if (offered.chatId !== undefined && !(await groups.isSameChat(offered.chatId, message.chat.id)))
    return texts.otherChatPress;
  const buttons = message.reply_markup?.inline_keyboard?.flat() ?? [];
  return buttons.some((button) => 'callback_data' in button && button.callback_data === data)
    ? undefined
    : texts.stalePress;
}

/** @returns the notice for a user who may not use the button. */
async function findForeignness(
  { actions }: PressDeps,
  ctx: PressContext,
  { userId }: OfferedChoice,
  { kind }: Choice,
): Promise<string | undefined> {
  const audience = actions.audienceOf(kind);
  // The user who opened the menu may no longer be an admin.
  if (audience === 'group-admins') return (await ctx.isFromAdmin()) ? undefined : ctx.texts.groups.onlyAdmins;
  if (userId === ctx.user.id || audience === 'everyone') return undefined;
  if (audience === 'user-or-admin') return (await ctx.isFromAdmin()) ? undefined : ctx.texts.answers.foreign;
  return /^stop(-|$)/.test(kind) ? ctx.texts.foreignStop : ctx.texts.foreignPress;
}

/**
 * Binds the buttons of an inline or guest message to that message when their user first presses one: its id is not
 * known when they are created.
 */
async function bindToInlineMessage(
  { actions, interactions }: PressDeps,
  { callbackQuery: { data = '', inline_message_id: inlineMessageId }, texts }: PressContext,
  offered: OfferedChoice,
  { kind }: Choice,
): Promise<string | undefined> {
  if (actions.audienceOf(kind) !== 'inline' || inlineMessageId === undefined || offered.inlineMessageId !== undefined)
    return undefined;
  return (await interactions.bindChoice(data, inlineMessageId)) ? undefined : texts.otherChatPress;
}
