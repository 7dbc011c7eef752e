import type { ChatTopic } from '../../../core/conversations/index.ts';
import type { StoredImageJob } from '../../../core/image-jobs/index.ts';
import type { JobRefusal } from '../../../core/jobs/index.ts';
import { createId } from '../../../lib/ids.ts';
import { findTexts } from '../../choices/groups.ts';
import { toSendOptions } from '../../kit/chats.ts';
import type { BotJobKind } from '../../kit/feature.ts';
import { concludeMessage } from '../../kit/send-whenever.ts';
import type { BotServices } from '../../kit/services.ts';
import type { Texts } from '../../texts/locales.ts';
import { drawImages } from './draw-images.ts';
import { type ImagineOptions, readImagineOptions } from './parse-imagine.ts';
import { texts } from './texts.ts';
import { toInterruptedView } from './views.ts';

/** Job that generates and sends the images of one request. */
export interface ImageJob {
  /** Id in the database. */
  readonly imageJobId: number;
  readonly userId: number;
  readonly chatTopic: ChatTopic;
  readonly texts: Texts;
  /** Topic in which "sending a photo" is shown. Unlike message sends, it names a forum's General topic. */
  readonly typingTopicId: number | undefined;
  readonly options: ImagineOptions & { readonly model: string };
  /** Message of the bot to use as the status message; undefined sends a new one. */
  readonly statusMessageId: number | undefined;
}

/** Image requests, and sends of original files. */
export const imageKind: BotJobKind = {
  name: 'image',
  // A queued job is only a request; generated images are in memory until they are sent.
  maxJobs: 500,
  maxUserJobs: 20,
  // The source images of edits are in memory while they are queued.
  maxLargeJobs: 50,
  recover: reportInterruptedImageJobs,
  describeStopped: (count, locale) => texts[locale].stopped(count),
};

/**
 * Stores the request and starts its job.
 * @param by `updateId`: a redelivered update starts no second job. `trigger` identifies the pressed button: two presses
 * start one job.
 * @returns `running` if that update or button already has a job.
 */
export function drawInBackground(
  services: BotServices,
  newJob: Omit<ImageJob, 'imageJobId'>,
  { updateId, trigger }: { readonly updateId?: number; readonly trigger?: string | undefined } = {},
): Promise<'started' | JobRefusal> {
  const { userId, chatTopic, options } = newJob;
  const key = trigger ?? createId();
  const request = { key, userId, chatTopic, isLarge: options.source !== undefined };
  return services.jobs.recordAndStart(imageKind, request, async (job) => {
    if (updateId !== undefined && (await services.imageJobs.isGiven(chatTopic.chatId, updateId))) return undefined;
    const imageJobId = await services.imageJobs.begin({ userId, ...chatTopic, options, updateId });
    job.id = imageJobId;
    return () => drawImages(services, { ...newJob, imageJobId }, job);
  });
}

/**
 * Reports the image jobs of a chat that a crash has interrupted, in their status messages, with buttons for the images
 * generated so far and for a retry. Never throws; ends early when the signal aborts, so that the next process
 * continues.
 */
async function reportInterruptedImageJobs(services: BotServices, chatId: number, signal: AbortSignal): Promise<void> {
  try {
    for (const imageJob of await services.imageJobs.listUnended(chatId)) {
      if (signal.aborted) return;
      if (services.jobs.find(imageKind, imageJob.id)) continue;
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
