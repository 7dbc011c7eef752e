import type { ChatTopic } from '../../core/conversations/index.ts';
import { sleep } from '../../lib/clock.ts';
import { toGrammySignal } from '../../telegram/grammy-signal.ts';
import { classifyTelegramError } from '../../telegram/telegram-errors.ts';
import { type ActionButton, storeKeyboard } from './keyboards.ts';
import type { BotServices } from './services.ts';
import type { View } from './views.ts';

/** Job whose progress a message shows. */
export interface ShownWork {
  readonly chatTopic: ChatTopic;
  readonly userId: number;
  /** Message of the bot to use; undefined sends a new one. */
  readonly messageId: number | undefined;
  /** Additional options for new messages. */
  readonly sendOptions: object;
  /** Returns the current progress. */
  readonly toView: () => Omit<View, 'keyboard'>;
  /** Button that stops the job. */
  readonly stop: ActionButton;
  /** Delay before the message is sent. Default 0. */
  readonly showAfterMs?: number;
  /** Interval of checks for changed progress. */
  readonly updateEveryMs: number;
  /** Called when the message is in the chat. */
  readonly onShown?: (messageId: number) => Promise<void>;
  /** Called if the bot can't write to the chat, or the topic is gone. */
  readonly onUnreachable: () => void;
  /** Fields of log lines. */
  readonly logFields: object;
}

const STOP_BUTTON_TTL_MS = 86_400_000;

/**
 * Shows the progress of a job and keeps it up to date as far as the rate limit allows. No method throws.
 * @param deliverySignal stops all updates when aborted.
 */
export function openWorkStatus(services: BotServices, work: ShownWork, deliverySignal: AbortSignal) {
  const { client, clock, logger } = services;
  const { chatId } = work.chatTopic;
  const updates = new AbortController();
  let messageId = work.messageId;
  let wasShown = messageId !== undefined;
  let shown = '';

  const toOptions = ({ entities, keyboard }: View) => ({
    ...(entities && { entities: [...entities] }),
    link_preview_options: { is_disabled: true },
    ...(keyboard && { reply_markup: keyboard }),
  });
  /** @returns false if the message can't be edited. */
  const edit = async (priority: 'interactive' | 'final' | 'preview', id: number, view: View): Promise<boolean> => {
    try {
      const api = client.withPriority(priority);
      await api.editMessageText(chatId, id, view.text, toOptions(view), toGrammySignal(deliverySignal));
      return true;
    } catch (error) {
      const { kind } = classifyTelegramError(error);
      if (kind === 'not-modified') return true;
      if (kind === 'message-gone') return false;
      throw error;
    }
  };
  const send = async (priority: 'interactive' | 'final', view: View): Promise<number> => {
    const options = { ...toOptions(view), ...work.sendOptions };
    const api = client.withPriority(priority);
    return (await api.sendMessage(chatId, view.text, options, toGrammySignal(deliverySignal))).message_id;
  };

  const open = async (keyboard: View['keyboard']) => {
    const view = { ...work.toView(), keyboard };
    const isThere = messageId !== undefined && (await edit('interactive', messageId, view));
    if (!isThere) messageId = await send('interactive', view);
    shown = view.text;
    wasShown = true;
    if (messageId !== undefined) await work.onShown?.(messageId);
  };
  const update = async (keyboard: View['keyboard']) => {
    const view = { ...work.toView(), keyboard };
    if (view.text === shown || messageId === undefined) return;
    try {
      if (await edit('preview', messageId, view)) shown = view.text;
      else messageId = undefined;
    } catch (error) {
      if (classifyTelegramError(error).kind === 'blocked') throw error;
      logger.debug({ err: error, ...work.logFields }, 'a status message could not be updated');
    }
  };
  const sleepUntilEnded = async (delayMs: number) => {
    if (delayMs > 0) await sleep(clock, delayMs, updates.signal).catch(() => {});
    return updates.signal.aborted;
  };
  const keepUp = async () => {
    try {
      if (await sleepUntilEnded(work.showAfterMs ?? 0)) return;
      const keyboard = await storeKeyboard(
        services,
        { userId: work.userId, chatId },
        [[work.stop]],
        STOP_BUTTON_TTL_MS,
      );
      await open(keyboard);
      while (!(await sleepUntilEnded(work.updateEveryMs))) await update(keyboard);
    } catch (error) {
      const { kind } = classifyTelegramError(error);
      if (kind === 'blocked' || kind === 'topic-gone') work.onUnreachable();
      logger.warn({ err: error, ...work.logFields }, 'work continues without a status message');
    }
  };
  const running = keepUp();
  const settle = () => {
    updates.abort();
    return running;
  };

  return {
    /**
     * Ends the updates and shows this view as the final state; a message that was deleted or never sent is sent anew.
     * `onlyIfShown`: no message is sent if none was shown before. Default false.
     */
    async conclude(view: View, { onlyIfShown = false }: { readonly onlyIfShown?: boolean } = {}): Promise<void> {
      await settle();
      if (onlyIfShown && !wasShown) return;
      try {
        const isThere = messageId !== undefined && (await edit('final', messageId, view));
        if (!isThere) await send('final', view);
      } catch (error) {
        logger.warn({ err: error, ...work.logFields }, 'the result of work could not be sent');
      }
    },
    /** Ends the updates and deletes the message. */
    async remove(): Promise<void> {
      await settle();
      if (messageId === undefined) return;
      const api = client.withPriority('final');
      await api.deleteMessage(chatId, messageId, toGrammySignal(deliverySignal)).catch((error: unknown) => {
        logger.debug({ err: error, ...work.logFields }, 'a status message could not be removed');
      });
    },
  };
}
