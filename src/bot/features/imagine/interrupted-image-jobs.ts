import type { StoredImageJob } from '../../../core/image-jobs/index.ts';
import { findTexts } from '../../groups/find-texts.ts';
import { toSendOptions } from '../../kit/chats.ts';
import type { BotServices } from '../../kit/services.ts';
import { concludeMessage } from '../../sending/conclude-message.ts';
import { toInterruptedView } from './image-views.ts';
import { readImagineOptions } from './imagine-options.ts';

/**
 * Reports the image jobs of a chat that a crash has interrupted, in their status messages, with buttons for the images
 * generated so far and for a retry. Never throws; ends early when the signal aborts, so that the next process
 * continues.
 */
export async function reportInterruptedImageJobs(
  services: BotServices,
  chatId: number,
  signal: AbortSignal,
): Promise<void> {
  try {
    for (const imageJob of await services.imageJobs.listUnended(chatId)) {
      if (signal.aborted) return;
      if (services.imageJobRunner.isAtWork(imageJob.id)) continue;
      await conclude(services, imageJob, signal).catch((error: unknown) => {
        services.logger.warn(
          { err: error, imageJobId: imageJob.id },
          'an interrupted image job could not be completed',
        );
      });
    }
  } catch (error) {
    services.logger.warn({ err: error }, 'interrupted image jobs could not be completed');
  }
}

async function conclude(services: BotServices, imageJob: StoredImageJob, signal: AbortSignal): Promise<void> {
  try {
    const options = readImagineOptions(imageJob);
    if (!options) return;
    const { userId, chatId, topicId, statusMessageId } = imageJob;
    const chatTopic = { chatId, topicId };
    const texts = await findTexts(services, { userId, chatTopic });
    const view = await toInterruptedView(services, imageJob, options, texts);
    const sendOptions = toSendOptions(chatTopic, options.replyTo);
    await concludeMessage(services, { chatId, statusMessageId, sendOptions }, view, signal);
  } finally {
    // Ended even if the message failed, so that a bot that is blocked there does not retry at every start.
    if (!signal.aborted) await services.imageJobs.end(imageJob.id);
  }
}
