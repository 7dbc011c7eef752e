import { findTexts } from '../../choices/groups.ts';
import type { SentFile } from '../../inputs/sent-file.ts';
import { toSendOptions } from '../../kit/chats.ts';
import { concludeMessage } from '../../kit/send-whenever.ts';
import type { BotServices } from '../../kit/services.ts';
import { findSaved } from './save-file.ts';
import type { UnansweredSave } from './save-journal.ts';
import { type SaveOutcome, toSavedView } from './views.ts';

/**
 * Reports the results of saves that a crash has interrupted or left unreported, in their status messages, with a button
 * to retry failed ones. Never throws; ends early when the signal aborts, so that the next process continues.
 */
export async function reportInterruptedSaves(
  services: BotServices,
  chatId: number,
  signal: AbortSignal,
): Promise<void> {
  try {
    const saves = await services.saving.journal.listUnanswered(chatId);
    const byAnswer = Map.groupBy(saves, ({ albumId }, index) => albumId ?? index);
    for (const parts of byAnswer.values()) {
      if (signal.aborted) return;
      await conclude(services, chatId, parts, signal).catch((error: unknown) => {
        services.logger.warn({ err: error }, 'an interrupted file save could not be completed');
      });
    }
  } catch (error) {
    services.logger.warn({ err: error }, 'an interrupted file save could not be completed');
  }
}

/** Sends one answer to a save, or to all parts of an album. */
async function conclude(
  services: BotServices,
  chatId: number,
  parts: readonly UnansweredSave[],
  signal: AbortSignal,
): Promise<void> {
  const [first] = parts;
  if (!first) return;
  const { userId, topicId, replyTo, me = UNKNOWN_BOT } = first;
  try {
    const chatTopic = { chatId, topicId };
    const texts = await findTexts(services, { userId, chatTopic });
    const viewer = { user: { id: userId }, chatId, texts, me };
    const files = parts.flatMap((part) => part.files);
    const outcomes = await Promise.all(files.map((file) => findOutcome(services, viewer, file)));
    // Ids of groups are negative.
    const view = await toSavedView(services, { viewer, isPrivate: chatId > 0, replyTo }, outcomes);
    const statusMessageId = parts.find((part) => part.statusMessageId !== undefined)?.statusMessageId;
    const sendOptions = toSendOptions(chatTopic, replyTo);
    await concludeMessage(services, { chatId, statusMessageId, sendOptions }, view, signal);
  } finally {
    // Ended even if the message failed, so that a bot that is blocked there does not retry at every start.
    if (!signal.aborted) for (const { end } of parts) await end();
  }
}

/** Records of earlier versions contain no bot; the state of their files is not known. */
const UNKNOWN_BOT = { username: '', supports_inline_queries: false };

async function findOutcome(
  services: BotServices,
  viewer: Parameters<typeof findSaved>[1],
  sent: SentFile,
): Promise<SaveOutcome> {
  const file = await findSaved(services, viewer, sent);
  return file ? { file } : { sent, failure: { kind: 'interrupted' } };
}
