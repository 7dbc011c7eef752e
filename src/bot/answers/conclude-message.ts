import { toGrammySignal } from '../../telegram/grammy-signal.ts';
import { classifyTelegramError } from '../../telegram/telegram-errors.ts';
import type { BotDeps } from '../bot-deps.ts';
import type { View } from '../keyboards/view.ts';

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
 * or never came, they are sent.
 * @throws what Telegram refuses; the signal's reason.
 */
export async function concludeMessage(
  deps: Pick<BotDeps, 'client'>,
  { chatId, statusMessageId, sendOptions }: Conclusion,
  { text, keyboard }: View,
  signal: AbortSignal,
): Promise<void> {
  const { api } = deps.client;
  const options = keyboard ? { reply_markup: keyboard } : {};
  try {
    if (statusMessageId !== undefined) {
      await api.editMessageText(chatId, statusMessageId, text, options, toGrammySignal(signal));
      return;
    }
  } catch (error) {
    const { kind } = classifyTelegramError(error);
    if (kind === 'not-modified') return;
    if (kind !== 'message-gone') throw error;
  }
  await api.sendMessage(chatId, text, { ...options, ...sendOptions }, toGrammySignal(signal));
}
