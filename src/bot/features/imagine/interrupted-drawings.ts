import type { Drawing } from '../../../core/drawings/index.ts';
import { findTexts } from '../../groups/find-texts.ts';
import { concludeMessage } from '../../sending/conclude-message.ts';
import type { PictureServices } from './picture-job.ts';
import { toSendOptions } from './picture-job.ts';
import type { PictureJobs } from './picture-jobs.ts';
import { readPictureOrder } from './picture-order.ts';
import { toInterruptedView } from './picture-views.ts';

/**
 * Reports the image jobs of a chat that a crash has interrupted, in their status messages, with buttons for the images
 * generated so far and for a retry. Never throws; ends early when the signal aborts, so that the next process
 * continues.
 */
export async function tellInterruptedDrawings(
  deps: PictureServices,
  jobs: Pick<PictureJobs, 'isAtWork'>,
  chatId: number,
  signal: AbortSignal,
): Promise<void> {
  try {
    for (const drawing of await deps.drawings.listUnended(chatId)) {
      if (signal.aborted) return;
      if (jobs.isAtWork(drawing.id)) continue;
      await conclude(deps, drawing, signal).catch((error: unknown) => {
        deps.logger.warn({ err: error, drawingId: drawing.id }, 'an interrupted drawing could not be concluded');
      });
    }
  } catch (error) {
    deps.logger.warn({ err: error }, 'interrupted drawings could not be concluded');
  }
}

async function conclude(deps: PictureServices, drawing: Drawing, signal: AbortSignal): Promise<void> {
  try {
    const order = readPictureOrder(drawing);
    if (!order) return;
    const { userId, chatId, topicId, statusMessageId } = drawing;
    const place = { chatId, topicId };
    const texts = await findTexts(deps, { userId, place });
    const view = await toInterruptedView(deps, drawing, order, texts);
    const sendOptions = toSendOptions({ place }, order.replyTo);
    await concludeMessage(deps, { chatId, statusMessageId, sendOptions }, view, signal);
  } finally {
    // Ended even if the message failed: a blocked bot does not try again at every start.
    if (!signal.aborted) await deps.drawings.end(drawing.id);
  }
}
