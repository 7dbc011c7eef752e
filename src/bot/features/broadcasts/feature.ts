import { Composer } from 'grammy';
import type { Message, MessageEntity } from 'grammy/types';
import { z } from 'zod';
import { classifyTelegramError } from '../../../telegram/telegram-errors.ts';
import { type ActionAnswer, type CallbackActionOf, type CallbackActionsOf, onAction } from '../../kit/actions.ts';
import { findCommandText, findLeadingCommand } from '../../kit/address.ts';
import { isGroup, toChatTopic, toSendOptions } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import { beginDialog } from '../../kit/dialogs.ts';
import type { Feature, FeatureHandlers } from '../../kit/feature.ts';
import { storeKeyboard, toButtonTarget } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { showView } from '../../kit/views.ts';
import { toBroadcastView } from './broadcast-transport.ts';
import { texts } from './texts.ts';

const actions = {
  /** The message to copy is in the same chat. */
  'start-announcement': { fields: { sourceMessageId: z.number(), isSlow: z.boolean() } },
  'drop-announcement': { fields: {} },
  'change-announcement': {
    fields: { broadcastId: z.number(), change: z.enum(['pause', 'resume', 'cancel']) },
  },
};

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
declare module '../../kit/dialogs.ts' {
  interface FeatureDialogs {
    announcement: never;
  }
}

/**
 * `/announce`, for admins: shows a preview, then sends a broadcast to all users. Other users get the reply for an
 * unknown command.
 */
export const broadcasts: Feature = {
  commands: [{ name: 'announce', menus: ['admin'], describe: (locale) => texts[locale].command }],
  actions,
  create: createHandlers,
};

/** Far below Telegram's limit for a bot, so answers are not delayed. */
const INTERVAL_MS = 1000;
const SLOW_INTERVAL_MS = 5000;
/** With fewer users, a broadcast takes less than five minutes anyway. */
const SLOW_FROM_USERS = 300;
/** Duration of a slow broadcast, unless its interval makes it longer. */
const SLOW_MS = 6 * 3_600_000;

function createHandlers(services: BotServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  // The command may be in a caption.
  composer.on('message', async (ctx, next) => {
    const isMeant = findCommandText(ctx.message, ctx.me, 'announce') !== undefined;
    if (!isMeant || ctx.user.role !== 'admin' || isGroup(ctx.chat)) return next();
    await previewByMessage(services, ctx);
  });
  composer.use(
    onAction(services, 'start-announcement', (ctx, action) => start(services, ctx, action)),
    onAction(services, 'change-announcement', (ctx, action) => change(services, ctx, action)),
    onAction(services, 'drop-announcement', (ctx) => ({
      afterwards: () => showView(ctx, { text: texts[ctx.locale].dropped }),
    })),
  );
  return { middleware: composer, dialogs: { announcement: (ctx) => previewByMessage(services, ctx) } };
}

/** Sends a preview of the broadcast and asks for confirmation. A command without text asks for the message. */
async function previewByMessage(services: BotServices, ctx: BotContext): Promise<void> {
  if (!ctx.message || ctx.user.role !== 'admin') return;
  const words = texts[ctx.locale];
  const recipientCount = await services.broadcasts.countReachableUsers(ctx.user.telegramId ?? 0);
  if (recipientCount === 0) return void (await ctx.reply(words.noUsers));
  const sourceMessageId = await showPreview(ctx, ctx.message);
  if (sourceMessageId === 'nothing') return beginDialog(services, ctx, 'announcement', words.ask);
  if (sourceMessageId === 'refused') return void (await ctx.reply(words.refused));
  const kind = 'start-announcement';
  const slowly = {
    text: words.sendSlowly(recipientCount * toSlowIntervalMs(recipientCount)),
    action: { kind, sourceMessageId, isSlow: true },
  } as const;
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [
    [{ text: words.send(recipientCount * INTERVAL_MS), action: { kind, sourceMessageId, isSlow: false } }],
    ...(recipientCount < SLOW_FROM_USERS ? [] : [[slowly]]),
    [{ text: ctx.texts.buttons.cancel, action: { kind: 'drop-announcement' } }],
  ]);
  const reply = { message_id: sourceMessageId, allow_sending_without_reply: true };
  await ctx.reply(words.confirm(recipientCount), { reply_markup: keyboard, reply_parameters: reply });
}

async function start(
  services: BotServices,
  ctx: BotContext,
  { sourceMessageId, isSlow }: CallbackActionOf<'start-announcement'>,
): Promise<ActionAnswer> {
  const { telegramId: adminTelegramId, role } = ctx.user;
  if (role !== 'admin' || adminTelegramId === undefined || !ctx.msgId) return { hint: ctx.texts.staleButton };
  const recipientCount = await services.broadcasts.countReachableUsers(adminTelegramId);
  const outcome = await services.broadcasts.start({
    adminTelegramId,
    sourceMessageId,
    statusMessageId: ctx.msgId,
    language: ctx.locale,
    intervalMs: isSlow ? toSlowIntervalMs(recipientCount) : INTERVAL_MS,
  });
  if (outcome === 'busy') return { hint: texts[ctx.locale].busy, isAlert: true };
  services.broadcastSender.wake();
  services.logger.info({ adminId: ctx.user.id, users: recipientCount, isSlow }, 'broadcast started');
  const broadcast = await services.broadcasts.findBySource(adminTelegramId, sourceMessageId);
  return broadcast ? { afterwards: () => showProgress(services, ctx, broadcast.id) } : {};
}

async function change(
  services: BotServices,
  ctx: BotContext,
  { broadcastId, change: wanted }: CallbackActionOf<'change-announcement'>,
): Promise<ActionAnswer> {
  const { telegramId, role } = ctx.user;
  if (role !== 'admin' || telegramId === undefined) return { hint: ctx.texts.staleButton };
  const isDone = await services.broadcasts.change(broadcastId, wanted, telegramId);
  services.broadcastSender.wake();
  return {
    ...(isDone ? {} : { hint: texts[ctx.locale].tooLate }),
    afterwards: () => showProgress(services, ctx, broadcastId),
  };
}

async function showProgress(services: BotServices, ctx: BotContext, broadcastId: number): Promise<void> {
  const broadcast = await services.broadcasts.find(broadcastId);
  if (broadcast) await showView(ctx, await toBroadcastView(services, ctx.locale, ctx.user.id, broadcast));
}

function toSlowIntervalMs(recipientCount: number): number {
  return Math.max(Math.floor(SLOW_MS / Math.max(recipientCount, 1)), SLOW_INTERVAL_MS);
}

/** Text with its formatting. */
interface Words {
  readonly text: string;
  readonly entities: MessageEntity[];
}

/**
 * Sends a preview of a broadcast: the text or caption after the command, otherwise the message that the command replies
 * to.
 * @param message with the command, or the message itself.
 * @returns the id of the preview; `nothing` if the command has no text and no reply; `refused` if Telegram can't copy
 * such a message.
 */
async function showPreview(ctx: BotContext, message: Message): Promise<number | 'nothing' | 'refused'> {
  const command = findLeadingCommand(message);
  // In a topic every message formally replies to the service message that opened the topic.
  const replied = message.reply_to_message?.forum_topic_created ? undefined : message.reply_to_message;
  try {
    if (command === undefined) return (await copy(ctx, message, message.message_id)).message_id;
    const words = wordsAfter(message, command.length);
    if (message.text === undefined) return await copyWithWords(ctx, message, words);
    if (words.text !== '') return await sendWords(ctx, message, words);
    if (!replied) return 'nothing';
    return (await copy(ctx, message, replied.message_id)).message_id;
  } catch (error) {
    const { kind } = classifyTelegramError(error);
    if (kind === 'rejected' || kind === 'message-gone') return 'refused';
    throw error;
  }
}

/** Copies within the chat, to the topic of the command. */
function copy({ api }: BotContext, message: Message, messageId: number, more: object = {}) {
  return api.copyMessage(message.chat.id, message.chat.id, messageId, {
    ...toSendOptions(toChatTopic(message)),
    ...more,
  });
}

async function sendWords({ api }: BotContext, message: Message, { text, entities }: Words): Promise<number> {
  const preview = message.link_preview_options;
  const options = {
    ...toSendOptions(toChatTopic(message)),
    entities,
    ...(preview && { link_preview_options: preview }),
  };
  return (await api.sendMessage(message.chat.id, text, options)).message_id;
}

async function copyWithWords(ctx: BotContext, message: Message, { text, entities }: Words): Promise<number> {
  const options = {
    caption: text,
    caption_entities: entities,
    ...(message.show_caption_above_media && { show_caption_above_media: true }),
  };
  return (await copy(ctx, message, message.message_id, options)).message_id;
}

/** Returns the text or caption after the first `units` and the whitespace that follows them. */
function wordsAfter(message: Message, units: number): Words {
  const whole = message.text ?? message.caption ?? '';
  const start = units + (/^\s*/.exec(whole.slice(units))?.[0].length ?? 0);
  const text = whole.slice(start);
  const entities = (message.entities ?? message.caption_entities ?? []).flatMap((entity) => {
    const from = Math.max(entity.offset, start);
    const length = entity.offset + entity.length - from;
    return length > 0 ? [{ ...entity, offset: from - start, length }] : [];
  });
  return { text, entities };
}
