import type { ApiMethods } from '@grammyjs/types';
import { type Clock, sleep } from '../lib/clock.ts';
import { toGrammySignal } from './grammy-signal.ts';
import type { TelegramClient } from './telegram-client.ts';
import { classifyTelegramError } from './telegram-errors.ts';

/** Chat action as in the Bot API, such as `typing` or `upload_photo`. */
type ChatAction = Parameters<ApiMethods<never>['sendChatAction']>[0]['action'];

export interface KeepTypingOptions {
  /** Default `typing`. */
  readonly action?: ChatAction;
  /** Delay before the first action. Default none. */
  readonly afterMs?: number;
  /** Maximum duration. Default 5 minutes. */
  readonly maxMs?: number;
}

// A chat action is shown for 5 s at most (Bot API, sendChatAction).
const EVERY_MS = 4000;

/**
 * Shows a chat action until the returned function is called. It never delays messages and never throws; it ends early
 * if the bot can't write.
 */
export function keepTyping(
  deps: { readonly client: TelegramClient; readonly clock: Clock },
  location: { readonly chatId: number; readonly topicId?: number | undefined },
  options: KeepTypingOptions = {},
): () => void {
  const { client, clock } = deps;
  const controller = new AbortController();
  const endsAt = clock.now() + (options.maxMs ?? 5 * 60_000);
  const topic = location.topicId === undefined ? {} : { message_thread_id: location.topicId };

  const showOnce = async (): Promise<boolean> => {
    try {
      const api = client.withPriority('typing');
      await api.sendChatAction(location.chatId, options.action ?? 'typing', topic, toGrammySignal(controller.signal));
      return true;
    } catch (error) {
      const { kind } = classifyTelegramError(error);
      return kind === 'dropped' || kind === 'flood' || kind === 'unclear' || kind === 'not-sent';
    }
  };

  const keepUp = async () => {
    if (options.afterMs !== undefined) await sleep(clock, options.afterMs, controller.signal).catch(() => undefined);
    while (!controller.signal.aborted && clock.now() < endsAt && (await showOnce())) {
      await sleep(clock, EVERY_MS, controller.signal).catch(() => undefined);
    }
  };
  void keepUp();
  return () => controller.abort();
}
