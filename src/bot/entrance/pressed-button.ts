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

/** The tokens of our buttons look like this; other data is made up, or from another bot that had this bot token. */
const TOKEN = /^[\w-]{1,64}$/;

/**
 * Finds the callback action of a pressed button, and refuses it outside of the message that it was offered in, or for users that it is
 * not for. This is the only place that decides so, for all kinds: a client can send any data for any message of the bot that its user sees.
 */
export function createPressedButton(deps: PressDeps): MiddlewareFn<PressContext> {
  return async (ctx, next) => {
    const token = ctx.callbackQuery.data ?? '';
    const offered = TOKEN.test(token) ? await deps.interactions.findChoice(token) : undefined;
    const choice = deps.actions.parse(offered?.choice);
    // Unknown, expired, or of a kind that this version does not have: `features/menus.ts` says so.
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
 * Checks the message of a press. Its buttons (`reply_markup`) come from Telegram, so they prove that it has the button. A message that
 * the bot can no longer access has none in the update, and could not be changed: its buttons are refused.
 * @returns what to tell the user where the button was not offered there.
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
  // Undefined in rows from before chats were stored: the buttons of the message tell enough.
  if (offered.chatId !== undefined && !(await groups.isSameChat(offered.chatId, message.chat.id)))
    return texts.otherChatPress;
  const buttons = message.reply_markup?.inline_keyboard?.flat() ?? [];
  return buttons.some((button) => 'callback_data' in button && button.callback_data === data)
    ? undefined
    : texts.stalePress;
}

/** @returns what to tell a user that the button is not for. */
async function findForeignness(
  { actions }: PressDeps,
  ctx: PressContext,
  { userId }: OfferedChoice,
  { kind }: Choice,
): Promise<string | undefined> {
  const audience = actions.audienceOf(kind);
  // The user that opened the menu may have been an admin then.
  if (audience === 'group-admins') return (await ctx.isFromAdmin()) ? undefined : ctx.texts.groups.onlyAdmins;
  if (userId === ctx.user.id || audience === 'everyone') return undefined;
  if (audience === 'user-or-admin') return (await ctx.isFromAdmin()) ? undefined : ctx.texts.answers.foreign;
  return /^stop(-|$)/.test(kind) ? ctx.texts.foreignStop : ctx.texts.foreignPress;
}

/** A message of inline mode or of a guest gets its id after its buttons were offered: the first press by their user binds them. */
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
