import type { InlineKeyboardMarkup } from 'grammy/types';
import { sleep } from '../../lib/clock.ts';
import { toGrammySignal } from '../../telegram/grammy-signal.ts';
import { classifyTelegramError } from '../../telegram/telegram-errors.ts';
import type { BotDeps } from '../bot-deps.ts';
import { offerKeyboard } from '../keyboard.ts';
import { markPieces, type View } from '../view.ts';
import { type PictureJob, toSendOptions } from './picture-job.ts';

/** The message that shows how a drawing goes. Nothing of it throws. */
export interface DrawingStatus {
  /** The order waits behind so many of the person's own; behind others only where it is 0. */
  waits(ahead: number): void;
  /** The work has begun. */
  draws(): void;
  /** Ends the updates and leaves these words; a message that is gone or never came is sent anew. */
  conclude(view: View): Promise<void>;
  /** Ends the updates and takes the message away. */
  remove(): Promise<void>;
}

const UPDATE_EVERY_MS = 5000;
const STOP_BUTTON_TTL_MS = 86_400_000;

/**
 * Shows at once that the order has been heard, and keeps the time that has passed up to date as far as flood control lets it.
 * @param onUnreachable nobody can be written to there.
 * @param over aborted, nothing is shown any more.
 */
export function openDrawingStatus(
  deps: BotDeps,
  job: PictureJob,
  over: AbortSignal,
  onUnreachable: () => void,
): DrawingStatus {
  const { client, clock, logger } = deps;
  const { chatId } = job.place;
  const { imagine, buttons } = job.texts;
  const updates = new AbortController();
  let waitsBehind: number | undefined;
  let startedAt = clock.now();
  let messageId = job.statusMessageId;
  let shown = '';

  const toText = () => {
    if (waitsBehind !== undefined) return imagine.waiting(waitsBehind, job.order.model);
    return imagine.drawing(job.order.model, Math.floor((clock.now() - startedAt) / UPDATE_EVERY_MS) * 5);
  };
  const toOptions = (text: string, keyboard: InlineKeyboardMarkup | undefined) => ({
    entities: [...markPieces(text, 'code', job.order.model)],
    link_preview_options: { is_disabled: true },
    ...(keyboard && { reply_markup: keyboard }),
  });

  /** @returns false where the message can't be edited. */
  const edit = async (priority: 'interactive' | 'final' | 'preview', id: number, view: View): Promise<boolean> => {
    const options = { ...toOptions(view.text, view.keyboard), ...(view.entities && { entities: [...view.entities] }) };
    try {
      await client.withPriority(priority).editMessageText(chatId, id, view.text, options, toGrammySignal(over));
      return true;
    } catch (error) {
      const { kind } = classifyTelegramError(error);
      if (kind === 'not-modified') return true;
      if (kind === 'message-gone') return false;
      throw error;
    }
  };
  const send = async (priority: 'interactive' | 'final', view: View): Promise<number> => {
    const options = { ...toOptions(view.text, view.keyboard), ...toSendOptions(job, job.order.replyTo) };
    const api = client.withPriority(priority);
    return (await api.sendMessage(chatId, view.text, options, toGrammySignal(over))).message_id;
  };

  const open = async (keyboard: InlineKeyboardMarkup) => {
    const view = { text: toText(), keyboard };
    const isThere = messageId !== undefined && (await edit('interactive', messageId, view));
    if (!isThere) messageId = await send('interactive', view);
    shown = view.text;
    if (messageId !== undefined) await deps.drawings.noteStatusMessage(job.drawingId, messageId);
  };
  const update = async (keyboard: InlineKeyboardMarkup) => {
    const text = toText();
    if (text === shown || messageId === undefined) return;
    try {
      if (await edit('preview', messageId, { text, keyboard })) shown = text;
      else messageId = undefined;
    } catch (error) {
      if (classifyTelegramError(error).kind === 'blocked') throw error;
      logger.debug({ err: error, drawingId: job.drawingId }, 'the state of a drawing was not shown');
    }
  };
  const keepUp = async () => {
    try {
      const stop = { text: buttons.stop, choice: { kind: 'stop-drawing', drawingId: job.drawingId } } as const;
      const keyboard = await offerKeyboard(deps, job.personId, [[stop]], STOP_BUTTON_TTL_MS);
      await open(keyboard);
      while (!updates.signal.aborted) {
        await sleep(clock, LOOK_EVERY_MS, updates.signal).catch(() => {});
        if (!updates.signal.aborted) await update(keyboard);
      }
    } catch (error) {
      const { kind } = classifyTelegramError(error);
      if (kind === 'blocked' || kind === 'topic-gone') onUnreachable();
      logger.warn({ err: error, drawingId: job.drawingId }, 'a drawing goes on without showing its state');
    }
  };
  const running = keepUp();
  const settle = () => {
    updates.abort();
    return running;
  };

  return {
    waits(ahead) {
      waitsBehind = ahead;
    },
    draws() {
      waitsBehind = undefined;
      startedAt = clock.now();
    },
    async conclude(view) {
      await settle();
      try {
        const isThere = messageId !== undefined && (await edit('final', messageId, view));
        if (!isThere) await send('final', view);
      } catch (error) {
        logger.warn({ err: error, drawingId: job.drawingId }, 'the end of a drawing could not be told');
      }
    },
    async remove() {
      await settle();
      if (messageId === undefined) return;
      const api = client.withPriority('final');
      await api.deleteMessage(chatId, messageId, toGrammySignal(over)).catch((error: unknown) => {
        logger.debug({ err: error, drawingId: job.drawingId }, 'the state of a drawing stays');
      });
    },
  };
}

/** Changes of the place in the queue show this soon. */
const LOOK_EVERY_MS = 1000;
