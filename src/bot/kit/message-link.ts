import { countsAlone } from '../../core/conversations/index.ts';

/** Ids of supergroups in links lack this prefix of their chat ids. */
const SUPERGROUP_PREFIX = '-100';

/** Returns the link to a message of a supergroup, which its members can open; undefined elsewhere: there are none. */
export function findMessageLink(chatId: number, telegramMessageId: number): string | undefined {
  if (!countsAlone(chatId)) return undefined;
  return `https://t.me/c/${String(chatId).slice(SUPERGROUP_PREFIX.length)}/${telegramMessageId}`;
}
