import { Composer } from 'grammy';
import { createCache } from '../../lib/cache.ts';
import { findAddress } from '../kit/address.ts';
import { isGroup } from '../kit/chats.ts';
import type { BotContext } from '../kit/context.ts';
import type { BotServices } from '../kit/services.ts';
import { findLocale } from '../texts/locales.ts';

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
