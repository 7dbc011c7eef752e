import type { StoredImageJob } from '../../../core/image-jobs/index.ts';
import { toSendOptions } from '../../framework/send-options.ts';
import { findTexts } from '../../groups/find-texts.ts';
import { concludeMessage } from '../../sending/conclude-message.ts';
import type { ImageJobDeps } from './image-job.ts';
import type { ImageJobRunner } from './image-job-runner.ts';
import { toInterruptedView } from './image-views.ts';
import { readImagineOptions } from './imagine-options.ts';

/**
 * Reports the image jobs of a chat that a crash has interrupted, in their status messages, with buttons for the images
 * generated so far and for a retry. Never throws; ends early when the signal aborts, so that the next process
 * continues.
 */
export async function reportInterruptedImageJobs(
  deps: ImageJobDeps,
  jobs: Pick<ImageJobRunner, 'isAtWork'>,
  chatId: number,
  signal: AbortSignal,
): Promise<void> {
  try {
    for (const imageJob of await deps.imageJobs.listUnended(chatId)) {
      if (signal.aborted) return;
      if (jobs.isAtWork(imageJob.id)) continue;
      await conclude(deps, imageJob, signal).catch((error: unknown) => {
        deps.logger.warn({ err: error, imageJobId: imageJob.id }, 'an interrupted image job could not be completed');
      });
    }
  } catch (error) {
    deps.logger.warn({ err: error }, 'interrupted image jobs could not be completed');
  }
}

async function conclude(deps: ImageJobDeps, imageJob: StoredImageJob, signal: AbortSignal): Promise<void> {
  try {
    const options = readImagineOptions(imageJob);
    if (!options) return;
    const { userId, chatId, topicId, statusMessageId } = imageJob;
    const chatTopic = { chatId, topicId };
    const texts = await findTexts(deps, { userId, chatTopic });
    const view = await toInterruptedView(deps, imageJob, options, texts);
    const sendOptions = toSendOptions(chatTopic, options.replyTo);
    await concludeMessage(deps, { chatId, statusMessageId, sendOptions }, view, signal);
  } finally {
    // Ended even if the message failed, so that a bot that is blocked there does not retry at every start.
    if (!signal.aborted) await deps.imageJobs.end(imageJob.id);
  }
}
