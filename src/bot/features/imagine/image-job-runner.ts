import type { ChatTopic } from '../../../core/conversations/index.ts';
import type { StoredImageJob } from '../../../core/image-jobs/index.ts';
import { findTexts } from '../../groups/groups.ts';
import { toSendOptions, type WorkScope } from '../../kit/chats.ts';
import type { BotServices } from '../../kit/services.ts';
import { concludeMessage } from '../../sending/send-whenever.ts';
import type { Texts } from '../../texts/locales.ts';
import { createSideJobs, type SideJobRefusal } from '../../work/side-jobs.ts';
import { drawImages } from './draw-images.ts';
import { type ImagineOptions, readImagineOptions } from './parse-imagine.ts';
import { type OriginalsOptions, sendOriginals } from './send-originals.ts';
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

/** Image jobs and sends of original files, which run independently of update handling. */
export type ImageJobRunner = ReturnType<typeof createImageJobRunner>;

/**
 * Maximum number of jobs in all. A queued job is only a request; generated images are in memory until they are sent.
 */
const MAX_JOBS = 500;
/** Maximum number of edits, whose source images are in memory while they are queued. */
const MAX_EDITS = 50;
/** Maximum number of jobs per user. */
const MAX_USER_JOBS = 20;

interface Facts {
  readonly isEdit: boolean;
  /** Undefined for sends of original files. */
  imageJobId?: number;
}

export function createImageJobRunner(services: BotServices) {
  const jobs = createSideJobs<Facts>(services, { maxJobs: MAX_JOBS, maxUserJobs: MAX_USER_JOBS });
  let nextKey = 0;
  const isOf = (imageJobId: number) => (facts: Facts) => facts.imageJobId === imageJobId;

  return {
    /**
     * Stores the request and starts its job.
     * @param by `updateId`: a redelivered update starts no second job. `trigger` identifies the pressed button: two
     * presses start one job.
     * @returns `running` if that update or button already has a job; `full` if the user has too many jobs, `busy` if all
     * users together have.
     */
    async draw(
      newJob: Omit<ImageJob, 'imageJobId'>,
      { updateId, trigger }: { readonly updateId?: number; readonly trigger?: string | undefined } = {},
    ): Promise<'started' | SideJobRefusal> {
      const key = trigger ?? `order:${nextKey++}`;
      const { userId, chatTopic, options } = newJob;
      const facts: Facts = { isEdit: options.source !== undefined };
      if (facts.isEdit && jobs.count(({ isEdit }) => isEdit) >= MAX_EDITS) return 'overloaded';
      const job = jobs.enter({ key, userId, chatTopic, facts });
      if (typeof job === 'string') return job;
      try {
        if (updateId !== undefined && (await services.imageJobs.isGiven(chatTopic.chatId, updateId))) {
          jobs.leave(job);
          return 'running';
        }
        const imageJobId = await services.imageJobs.begin({ userId, ...chatTopic, options, updateId });
        facts.imageJobId = imageJobId;
        job.isStoppable = true;
        const onDrawn = () => {
          job.isStoppable = false;
        };
        jobs.run(job, (signals) => drawImages(services, { ...newJob, imageJobId }, signals, onDrawn));
        return 'started';
      } catch (error) {
        jobs.leave(job);
        throw error;
      }
    },
    /** Starts to send the original files. */
    sendOriginals(originals: OriginalsOptions): 'started' | SideJobRefusal {
      const { userId, chatTopic } = originals;
      const key = `originals:${userId}:${originals.imageIds.join()}`;
      const job = jobs.enter({ key, userId, chatTopic, facts: { isEdit: false } });
      if (typeof job === 'string') return job;
      jobs.run(job, ({ deliverySignal }) => sendOriginals(services, originals, deliverySignal));
      return 'started';
    },
    isAtWork: (imageJobId: number): boolean => jobs.count(isOf(imageJobId)) > 0,
    /**
     * Stops the user's jobs in the scope, queued ones included. `imageJobId` restricts it to one job. @returns their
     * number.
     */
    stop: (scope: WorkScope, userId: number, imageJobId?: number): number =>
      jobs.stop(scope, userId, imageJobId === undefined ? undefined : isOf(imageJobId)),
    hasWork: jobs.hasWork,
    whenEnded: jobs.whenEnded,
    /** Returns the chats with running jobs, and those that the next process has to inform about interrupted ones. */
    listBusyChats: jobs.listBusyChats,
    // Sends of original files are not recorded, so no other process would repeat them.
    /** Aborts the jobs of a chat whose lease another process has taken over. That process reports them. */
    abandon: (chatId: number): void => jobs.abandon(chatId, ({ imageJobId }) => imageJobId !== undefined),
    /**
     * Lets running jobs finish for a grace period, then stops them; images generated so far are still sent. Later jobs
     * are not accepted.
     */
    close: (): Promise<void> => jobs.close(),
  };
}

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
