import { Composer } from 'grammy';
import type { Groups } from '../../core/groups/index.ts';
import { createCache } from '../../lib/cache.ts';
import type { Clock } from '../../lib/clock.ts';
import { findAddress } from '../framework/address.ts';
import type { BotContext } from '../framework/context.ts';
import { isGroup } from '../framework/place.ts';
import { findLocale } from '../texts/locales.ts';

/** Whoever forgets it is told again, milliseconds. */
const TELL_EVERY_MS = 6 * 3_600_000;
/** A bound on memory; beyond it a group may hear it again sooner. */
const MAX_TOLD = 5000;

/** Admins who write as the group are nobody that the bot could know: they are told so, seldom. */
export function createAnonymousAdmins(deps: {
  readonly groups: Pick<Groups, 'find'>;
  readonly clock: Clock;
}): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  const told = createCache<number, true>(deps.clock, { max: MAX_TOLD, ttlMs: TELL_EVERY_MS });
  composer
    .on('message')
    .filter(({ message, me }) => isAnonymousAdmin(message) && findAddress(message, me) !== undefined)
    .use(async (ctx) => {
      if (told.has(ctx.chat.id)) return;
      told.set(ctx.chat.id, true);
      ctx.locale = findLocale((await deps.groups.find(ctx.chat.id)).settings.language);
      await ctx.reply(ctx.texts.groups.anonymous, {
        reply_parameters: { message_id: ctx.message.message_id, allow_sending_without_reply: true },
      });
    });
  return composer;
}

function isAnonymousAdmin({ chat, sender_chat: sender }: NonNullable<BotContext['message']>): boolean {
  return sender !== undefined && isGroup(chat) && sender.id === chat.id;
}
