import { Composer } from 'grammy';
import type { Groups } from '../../core/groups/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { findAddress } from '../address.ts';
import type { BotContext } from '../context.ts';
import { isGroup } from '../place.ts';
import { findLocale } from '../texts/locales.ts';

/** Whoever forgets it is told again, milliseconds. */
const TELL_EVERY_MS = 6 * 3_600_000;
/** A bound on memory; beyond it the group that was told first may hear it again. */
const MAX_TOLD = 5000;

/** Admins who write as the group are nobody that the bot could know: they are told so, seldom. */
export function createAnonymousAdmins(deps: {
  readonly groups: Pick<Groups, 'find'>;
  readonly clock: Clock;
}): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  const toldAt = new Map<number, number>();
  composer
    .on('message')
    .filter(({ message, me }) => isAnonymousAdmin(message) && findAddress(message, me) !== undefined)
    .use(async (ctx) => {
      const now = deps.clock.now();
      const last = toldAt.get(ctx.chat.id);
      if (last !== undefined && now - last < TELL_EVERY_MS) return;
      toldAt.delete(ctx.chat.id);
      if (toldAt.size >= MAX_TOLD) for (const oldest of toldAt.keys().take(1)) toldAt.delete(oldest);
      toldAt.set(ctx.chat.id, now);
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
