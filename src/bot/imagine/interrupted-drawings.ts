import type { Drawing } from '../../core/drawings/index.ts';
import { toGrammySignal } from '../../telegram/grammy-signal.ts';
import { classifyTelegramError } from '../../telegram/telegram-errors.ts';
import type { BotDeps } from '../bot-deps.ts';
import { findLocale, locales } from '../texts/locales.ts';
import type { View } from '../view.ts';
import { toSendOptions } from './picture-job.ts';
import { readPictureOrder } from './picture-order.ts';
import { toFailureView } from './picture-views.ts';

/**
 * Tells people whose drawings a crash has cut short, in the message that showed how they went, and offers to draw them anew.
 * Never throws; ends early when the signal aborts.
 */
export async function tellInterruptedDrawings(
  deps: BotDeps,
  drawings: readonly Drawing[],
  signal: AbortSignal,
): Promise<void> {
  if (drawings.length === 0) return;
  try {
    // Another process that was ending may have ended some of them meanwhile.
    const unended = new Set((await deps.drawings.listUnended()).map(({ id }) => id));
    for (const drawing of drawings.filter(({ id }) => unended.has(id))) {
      if (signal.aborted) return;
      await conclude(deps, drawing, signal).catch((error: unknown) => {
        deps.logger.warn({ err: error, drawingId: drawing.id }, 'an interrupted drawing could not be concluded');
      });
    }
  } catch (error) {
    deps.logger.warn({ err: error }, 'interrupted drawings could not be concluded');
  }
}

async function conclude(deps: BotDeps, drawing: Drawing, signal: AbortSignal): Promise<void> {
  await deps.drawings.end(drawing.id, []);
  const order = readPictureOrder(drawing);
  if (!order) return;
  const person = await deps.accounts.findPerson(drawing.personId);
  const texts = locales[findLocale(person?.settings.language)];
  const model = order.model ?? '';
  const { id: drawingId, personId, chatId, topicId } = drawing;
  const job = { drawingId, personId, place: { chatId, topicId }, texts, order: { ...order, model } };
  const view = await toFailureView(deps, job, { kind: 'interrupted' });
  await show(deps, drawing, view, toSendOptions(job, order.replyTo), signal);
}

async function show(
  deps: BotDeps,
  { chatId, statusMessageId }: Drawing,
  { text, keyboard }: View,
  sendOptions: ReturnType<typeof toSendOptions>,
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
