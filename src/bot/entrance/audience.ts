import { Composer } from 'grammy';
import type { MessageReactionUpdated, Update, UserFromGetMe } from 'grammy/types';
import type { Accounts } from '../../core/accounts/index.ts';
import type { Administration } from '../../core/administration/index.ts';
import type { Feedback } from '../../core/feedback/index.ts';
import type { Groups } from '../../core/groups/index.ts';
import type { Interactions } from '../../core/interactions/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { findAddress, isUser } from '../framework/address.ts';
import type { ActionRegistry } from '../framework/choice.ts';
import type { BotContext } from '../framework/context.ts';
import { isGroup } from '../framework/place.ts';
import { asInGroup } from '../groups/as-in-group.ts';
import { findLocale } from '../texts/locales.ts';
import { createEntrance } from './entrance.ts';
import { createPressedButton } from './pressed-button.ts';

interface AudienceDeps {
  readonly actions: ActionRegistry;
  readonly accounts: Accounts;
  readonly administration: Pick<Administration, 'admit'>;
  readonly clock: Clock;
  readonly feedback: Pick<Feedback, 'isAnswer'>;
  readonly groups: Pick<Groups, 'find' | 'isSameChat'>;
  readonly interactions: Interactions;
  readonly logger: Logger;
}

/**
 * Lets through what the features are there for: messages of people that mean the bot, presses of their own buttons and of those that are everybody's, reactions to its answers,
 * inline queries and what was chosen of their results, and guest messages; all of it from people who may use the service. Bots and channels never get through, so
 * two bots can't talk to each other for ever.
 * Everything else ends here, most of it before the database is asked.
 */
export function createAudience(deps: AudienceDeps): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.use(async (ctx, next) => {
    if (!isUser(ctx.from) || !isForFeatures(ctx)) return;
    if (ctx.messageReaction && !(await isToAnswer(deps, ctx.messageReaction))) return;
    ctx.locale = findLocale(ctx.from.language_code);
    await next();
  });
  composer.use(createEntrance(deps));
  composer.use(async (ctx, next) => {
    if (!ctx.from) return;
    const user = await deps.accounts.ensureTelegramUser(ctx.from.id);
    // A guest's chat is no chat of the bot, whatever id it has.
    ctx.group = ctx.chat && isGroup(ctx.chat) && !ctx.guestMessage ? await deps.groups.find(ctx.chat.id) : undefined;
    ctx.user = asInGroup(user, ctx.group);
    ctx.locale = findLocale(ctx.user.settings.language, ctx.from.language_code);
    const isInPrivate = ctx.message?.chat.type === 'private';
    if (isInPrivate && !ctx.user.isReachable) await deps.accounts.noteReachability(ctx.from.id, true);
    await next();
  });
  composer.on('callback_query', createPressedButton(deps));
  return composer;
}

/**
 * A message in a group that does not mean the bot, and tells nothing of the group itself: it would end before anything is asked or done.
 * An album has its mention in one of its messages, and only that one means the bot.
 */
export function isTalkOfOthers(update: Update, me: UserFromGetMe): boolean {
  const message = update.message ?? update.edited_message;
  // A webhook takes whatever has an id: nothing is sure of it.
  if (!message?.chat || !isGroup(message.chat) || message.migrate_to_chat_id !== undefined) return false;
  return Boolean(message.via_bot) || findAddress(message, me) === undefined;
}

/** Whoever reacts to what others have said is none of the bot's business. */
function isToAnswer({ feedback }: AudienceDeps, { chat, message_id }: MessageReactionUpdated): Promise<boolean> {
  return feedback.isAnswer({ chatId: chat.id, telegramMessageId: message_id });
}

function isForFeatures(ctx: BotContext): boolean {
  const { callbackQuery, inlineQuery, chosenInlineResult, guestMessage, messageReaction } = ctx;
  return (
    isMeantForBot(ctx) || [callbackQuery, inlineQuery, chosenInlineResult, guestMessage, messageReaction].some(Boolean)
  );
}

function isMeantForBot(ctx: BotContext): boolean {
  const message = ctx.message ?? ctx.editedMessage;
  if (!message || message.sender_chat) return false;
  // What somebody sends by the bot's inline mode is for the others in the chat, not for the bot.
  if (message.via_bot?.id === ctx.me.id) return false;
  // In a group, what another bot has written is for nobody but people, whoever sends it.
  if (isGroup(message.chat)) return !message.via_bot && findAddress(message, ctx.me) !== undefined;
  return message.chat.type === 'private';
}
