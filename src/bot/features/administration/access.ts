import { Composer } from 'grammy';
import type { User } from 'grammy/types';
import { findNameAndId } from '../../kit/account-names.ts';
import { onAction } from '../../kit/actions.ts';
import { isUser } from '../../kit/address.ts';
import type { BotContext } from '../../kit/context.ts';
import { storeKeyboard, toButtonTarget } from '../../kit/keyboards.ts';
import { toFullName, toShownName } from '../../kit/names.ts';
import type { BotServices } from '../../kit/services.ts';
import { showView, type View } from '../../kit/views.ts';
import { texts } from './texts.ts';

/**
 * `/ban` and `/unban`, with a Telegram id or in reply to a message: a banned user gets no answers, and their API keys
 * stop working. An id unknown to the service can be banned in advance. `/allow` and `/disallow`, on a private service:
 * edit the list of its users, in addition to those in the settings.
 */
export function createAccess(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('ban', async (ctx) => showView(ctx, await ban(services, ctx)));
  composer.command('unban', async (ctx) => showView(ctx, await unbanByText(services, ctx)));
  composer.command('allow', async (ctx) => void (await ctx.reply(await changeList(services, ctx, '/allow'))));
  composer.command('disallow', async (ctx) => void (await ctx.reply(await changeList(services, ctx, '/disallow'))));
  composer.use(
    onAction(services, 'unban', (ctx, { telegramId }) => ({
      afterwards: async () => showView(ctx, await unban(services, ctx, { telegramId, reason: '' })),
    })),
  );
  return composer;
}

async function ban(services: BotServices, ctx: BotContext): Promise<View> {
  const words = texts[ctx.locale];
  const target = findUserArgument(ctx);
  if (!target || !ctx.from) return { text: words.whom('/ban') };
  const { telegramId } = target;
  const outcome = await services.administration.ban({
    adminTelegramId: ctx.from.id,
    telegramId,
    reason: target.reason,
  });
  if (outcome === 'admin') return { text: words.isAdmin };
  const user = await toUserName(services, ctx, target);
  if (outcome === 'already') return { text: words.banAlready(user) };
  services.logger.info({ adminId: ctx.user.id }, 'user banned');
  const isKnown = (await services.accounts.findTelegramUser(telegramId)) !== undefined;
  const undo = { text: ctx.texts.buttons.undo, action: { kind: 'unban', telegramId } } as const;
  return {
    text: isKnown ? words.banDone(user) : words.banUnknown(user),
    keyboard: await storeKeyboard(services, toButtonTarget(ctx), [[undo]]),
  };
}

async function unbanByText(services: BotServices, ctx: BotContext): Promise<View> {
  const target = findUserArgument(ctx);
  return target ? unban(services, ctx, target) : { text: texts[ctx.locale].whom('/unban') };
}

/** Arguments of an admin command: a user and the reason. */
interface UserArgument {
  readonly telegramId: number;
  /** Name in the message that the command names the user by; undefined if it is an id. */
  readonly name?: string;
  readonly reason: string;
}

async function unban(services: BotServices, ctx: BotContext, target: UserArgument): Promise<View> {
  const { telegramId, reason } = target;
  const words = texts[ctx.locale];
  const isDone = await services.administration.unban({ adminTelegramId: ctx.from?.id ?? 0, telegramId, reason });
  if (isDone) services.logger.info({ adminId: ctx.user.id }, 'user unbanned');
  const user = await toUserName(services, ctx, target);
  return { text: isDone ? words.unbanDone(user) : words.unbanNone(user) };
}

/** Returns what the reply calls the user: in a group without the notes of admins, which are not for its members. */
async function toUserName(services: BotServices, ctx: BotContext, { telegramId, name }: UserArgument): Promise<string> {
  if (ctx.chat?.type === 'private') return findNameAndId(services, telegramId);
  return name === undefined ? `${telegramId}` : `${toShownName(name)} (${telegramId})`;
}

async function changeList(services: BotServices, ctx: BotContext, command: '/allow' | '/disallow'): Promise<string> {
  const { administration } = services;
  const words = texts[ctx.locale];
  if (!administration.isPrivate) return words.openToAll;
  const target = findUserArgument(ctx);
  if (!target || !ctx.from) return words.whom(command);
  const user = await toUserName(services, ctx, target);
  const options = { adminTelegramId: ctx.from.id, telegramId: target.telegramId, reason: target.reason };
  if (command === '/allow')
    return (await administration.allow(options)) ? words.allowDone(user) : words.allowAlready(user);
  const outcome = await administration.disallow(options);
  if (outcome === 'done') return words.disallowDone(user);
  return outcome === 'already' ? words.disallowNone(user) : words.disallowFixed(user);
}

/**
 * Returns the user that a command names: by Telegram id, by a mention, or by the message that it replies to (in a
 * private chat: a forwarded one). Undefined if it names no user.
 */
function findUserArgument(ctx: BotContext): UserArgument | undefined {
  const text = ctx.match?.toString().trim() ?? '';
  const [, id, afterId = ''] = /^([1-9]\d{0,15})(?:\s+([\s\S]*))?$/.exec(text) ?? [];
  if (id !== undefined) return toUserArgument(Number(id), afterId);
  const message = ctx.message;
  const mention = message?.entities?.find((entity) => entity.type === 'text_mention');
  if (mention?.type === 'text_mention') {
    const name = message?.text?.slice(mention.offset, mention.offset + mention.length) ?? '';
    return toUserArgument(mention.user.id, text.replace(name, ''), mention.user);
  }
  const repliedTo = message?.reply_to_message;
  // In a topic every message formally replies to the service message that opened the topic.
  if (!repliedTo || repliedTo.forum_topic_created) return undefined;
  const forwarded = repliedTo.forward_origin;
  const author = forwarded?.type === 'user' ? forwarded.sender_user : repliedTo.from;
  return isUser(author) && author.id !== ctx.from?.id ? toUserArgument(author.id, text, author) : undefined;
}

/** The reason is a note for other admins. */
const MAX_REASON_CHARACTERS = 500;

function toUserArgument(telegramId: number, text: string, user?: User): UserArgument {
  const reason = text.trim().slice(0, MAX_REASON_CHARACTERS);
  return { telegramId, reason, ...(user && { name: toFullName(user) }) };
}
