import { findLostSend, type LostSend, type LostSendFinding } from '../telegram/find-lost-send.ts';
import type { BotDeps } from './bot-deps.ts';

/**
 * Looks for a page whose send got no answer. Messages that the database knows, also from other processes, need not be looked at.
 * Never throws.
 */
export async function findLostPage(
  deps: Pick<BotDeps, 'client' | 'clock' | 'conversations' | 'logger'>,
  lost: LostSend,
  signal: AbortSignal,
): Promise<LostSendFinding> {
  const { chatId, afterId } = lost;
  const noteKnown = async () => {
    try {
      for (const id of await deps.conversations.listTelegramIds({ after: afterId, chatId }))
        deps.client.messageIds.note(chatId, id);
    } catch (error) {
      deps.logger.warn({ err: error, chatId }, 'the search for a lost page has to do without the database');
    }
  };
  return findLostSend({ ...deps, noteKnown }, lost, signal);
}
