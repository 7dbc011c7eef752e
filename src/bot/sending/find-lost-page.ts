import { countsAlone, GREATEST_SUPERGROUP_ID } from '../../core/conversations/index.ts';
import { findLostSend, type LostSend, type LostSendFinding } from '../../telegram/find-lost-send.ts';
import type { BotServices } from '../kit/services.ts';

/**
 * Searches for a page whose send was not confirmed. Ids of known messages (delivered pages, and messages of users to
 * any process) narrow the search and show how far ids are in use; other unconfirmed sends, how far they may be. Never
 * throws.
 */
export async function findLostPage(
  services: BotServices,
  lost: LostSend,
  signal: AbortSignal,
): Promise<LostSendFinding> {
  const { chatId, afterId: after } = lost;
  const chats = countsAlone(chatId) ? { only: chatId } : { greaterThan: GREATEST_SUPERGROUP_ID };
  const recordKnownIds = async () => {
    try {
      const idLists = [
        services.conversations.listTelegramIds({ after, chatId }),
        services.arrivals.listMessageIds({ after, chats }),
      ];
      for (const id of (await Promise.all(idLists)).flat()) services.client.messageIds.record(chatId, id);
    } catch (error) {
      services.logger.warn({ err: error, chatId }, 'searching for a lost message without the database');
    }
  };
  const countOthers = (searchedChatIds: readonly number[]) =>
    services.conversations.countOtherPlannedSends(chatId, searchedChatIds).catch(() => 0);
  return findLostSend({ ...services, recordKnown: recordKnownIds, countOthers }, lost, signal);
}
