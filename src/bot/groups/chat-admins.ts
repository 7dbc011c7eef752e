import { createCache } from '../../lib/cache.ts';
import type { BotServices } from '../kit/services.ts';

/** Admins of groups, from Telegram with a short cache. */
export type ChatAdmins = ReturnType<typeof createChatAdmins>;

/** Avoids a request per callback query; a new admin waits this long at most. */
const TTL_MS = 20_000;
/** Bounds memory. */
const MAX_ENTRIES = 5000;

export function createChatAdmins({ client, clock, logger }: BotServices) {
  const cache = createCache<string, boolean>(clock, { max: MAX_ENTRIES, ttlMs: TTL_MS });

  const fetchIsAdmin = async (groupId: number, telegramId: number): Promise<boolean | undefined> => {
    try {
      const { status } = await client.api.getChatMember(groupId, telegramId);
      return status === 'creator' || status === 'administrator';
    } catch (error) {
      logger.debug({ err: error }, 'the admins of a chat could not be fetched');
      return undefined;
    }
  };

  return {
    /** Returns whether the user is an admin of the group; false if Telegram does not answer. */
    async has(groupId: number, telegramId: number): Promise<boolean> {
      const key = `${groupId}:${telegramId}`;
      const remembered = cache.get(key);
      if (remembered !== undefined) return remembered;
      const isAdmin = await fetchIsAdmin(groupId, telegramId);
      if (isAdmin !== undefined) cache.set(key, isAdmin);
      return isAdmin ?? false;
    },
  };
}
