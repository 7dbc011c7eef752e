import { toGrammySignal } from '../../telegram/grammy-signal.ts';
import { classifyTelegramError } from '../../telegram/telegram-errors.ts';
import type { View } from '../framework/view.ts';
import { sendWhenever } from './send-whenever.ts';

/** Where the last words about some work go. */
export interface Conclusion {
  readonly chatId: number;
  /** The message that showed how it went; undefined where none is known. */
  readonly statusMessageId: number | undefined;
  /** What a new message is sent with, beside its words. */
  readonly sendOptions: object;
}

/**
 * Puts the last words about work that another process had begun into the message that showed how it went; where that is gone,
 * or never came, they are sent. While Telegram is away that waits.
 * @throws what Telegram refuses; the signal's reason.
 */
export async function concludeMessage(
  deps: Parameters<typeof sendWhenever>[0],
  { chatId, statusMessageId, sendOptions }: Conclusion,
  { text, keyboard }: View,
  signal: AbortSignal,
): Promise<void> {
  const { api } = deps.client;
  const options = keyboard ? { reply_markup: keyboard } : {};
  try {
    if (statusMessageId !== undefined) {
      return await sendWhenever(deps, { chatId, isRepeatable: true }, signal, () =>
        api.editMessageText(chatId, statusMessageId, text, options, toGrammySignal(signal)),
      );
    }
  } catch (error) {
    const { kind } = classifyTelegramError(error);
    if (kind === 'not-modified') return;
    if (kind !== 'message-gone') throw error;
  }
  await sendWhenever(deps, { chatId, isRepeatable: false }, signal, () =>
    api.sendMessage(chatId, text, { ...options, ...sendOptions }, toGrammySignal(signal)),
  );
}
