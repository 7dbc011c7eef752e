import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import type { BotContext } from '../context.ts';
import { isGroup } from '../place.ts';

/** Who runs a group: asked of Telegram, and remembered for a moment. */
export interface ChatAdmins {
  /** Whether somebody runs the group of this update; false where Telegram does not say. */
  has(ctx: BotContext, telegramId: number): Promise<boolean>;
}

/** Whoever presses several buttons in a row is looked up once; whoever was made an admin just now waits so long at most. */
const KNOWN_FOR_MS = 20_000;
/** A bound on memory; beyond it the one who was asked about first is asked about again. */
const MAX_KNOWN = 5000;

export function createChatAdmins({ clock, logger }: { readonly clock: Clock; readonly logger: Logger }): ChatAdmins {
  const known = new Map<string, { readonly isAdmin: boolean; readonly at: number }>();

  const ask = async (ctx: BotContext, telegramId: number): Promise<boolean | undefined> => {
    try {
      const { status } = await ctx.getChatMember(telegramId);
      return status === 'creator' || status === 'administrator';
    } catch (error) {
      logger.debug({ err: error }, 'nobody says who the admins of a chat are');
      return undefined;
    }
  };

  return {
    async has(ctx, telegramId) {
      if (!ctx.chat || !isGroup(ctx.chat)) return false;
      const key = `${ctx.chat.id}:${telegramId}`;
      const last = known.get(key);
      if (last && clock.now() - last.at < KNOWN_FOR_MS) return last.isAdmin;
      const isAdmin = await ask(ctx, telegramId);
      known.delete(key);
      if (isAdmin === undefined) return false;
      if (known.size >= MAX_KNOWN) for (const oldest of known.keys().take(1)) known.delete(oldest);
      known.set(key, { isAdmin, at: clock.now() });
      return isAdmin;
    },
  };
}
