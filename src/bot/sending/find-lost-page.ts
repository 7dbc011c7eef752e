import { countsAlone, GREATEST_SUPERGROUP_ID } from '../../core/conversations/index.ts';
import { findLostSend, type LostSend, type LostSendFinding } from '../../telegram/find-lost-send.ts';
import type { BotDeps } from '../framework/bot-deps.ts';

/**
 * Looks for a page whose send got no answer. Messages that the database knows need not be looked at: those that show what was said,
 * and those that people have sent, also to other processes. Above all it tells up to where there is something. Never throws.
 */
export async function findLostPage(
  deps: Pick<BotDeps, 'arrivals' | 'client' | 'clock' | 'conversations' | 'logger'>,
  lost: LostSend,
  signal: AbortSignal,
): Promise<LostSendFinding> {
  const { chatId, afterId: after } = lost;
  const chats = countsAlone(chatId) ? { only: chatId } : { greaterThan: GREATEST_SUPERGROUP_ID };
  const noteKnown = async () => {
    try {
      const known = [
        deps.conversations.listTelegramIds({ after, chatId }),
        deps.arrivals.listMessageIds({ after, chats }),
      ];
      for (const id of (await Promise.all(known)).flat()) deps.client.messageIds.note(chatId, id);
    } catch (error) {
      deps.logger.warn({ err: error, chatId }, 'the search for a lost page has to do without the database');
    }
  };
  return findLostSend({ ...deps, noteKnown }, lost, signal);
}
