import { toGrammySignal } from '../../telegram/grammy-signal.ts';
import { classifyTelegramError } from '../../telegram/telegram-errors.ts';
import type { BotServices } from '../kit/services.ts';
import type { View } from '../kit/views.ts';
import { sendWhenever } from './send-whenever.ts';

/** Destination of the final message about a job. */
export interface Conclusion {
  readonly chatId: number;
  /** Status message of the job; undefined if unknown. */
  readonly statusMessageId: number | undefined;
  /** Additional options for a new message. */
  readonly sendOptions: object;
}

/**
 * Shows the result of a job that another process has started, in its status message or, if that does not exist, in a
 * new message. Retries while Telegram is not reachable.
 * @throws errors that Telegram returns for every retry; the signal's reason.
 */
export async function concludeMessage(
  services: BotServices,
  { chatId, statusMessageId, sendOptions }: Conclusion,
  { text, keyboard }: View,
  signal: AbortSignal,
): Promise<void> {
  const { api } = services.client;
  const options = keyboard ? { reply_markup: keyboard } : {};
  try {
    if (statusMessageId !== undefined) {
      return await sendWhenever(services, { chatId, isRepeatable: true }, signal, () =>
        api.editMessageText(chatId, statusMessageId, text, options, toGrammySignal(signal)),
      );
    }
  } catch (error) {
    const { kind } = classifyTelegramError(error);
    if (kind === 'not-modified') return;
    if (kind !== 'message-gone') throw error;
  }
  await sendWhenever(services, { chatId, isRepeatable: false }, signal, () =>
    api.sendMessage(chatId, text, { ...options, ...sendOptions }, toGrammySignal(signal)),
  );
}
