import type { WorkScope } from '../../kit/chats.ts';
import type { BotServices } from '../../kit/services.ts';
import { createSideJobs, type SideJobRefusal } from '../../work/side-jobs.ts';
import { drawImages } from './draw-images.ts';
import type { ImageJob } from './image-job.ts';
import { type OriginalsOptions, sendOriginals } from './send-originals.ts';

/** Image jobs and sends of original files, which run independently of update handling. */
export interface ImageJobRunner {
  /**
   * Stores the request and starts its job.
   * @param by `updateId`: a redelivered update starts no second job. `trigger` identifies the pressed button: two
   * presses start one job.
   * @returns `running` if that update or button already has a job; `full` if the user has too many jobs, `busy` if all
   * users together have.
   */
  draw(
    newJob: Omit<ImageJob, 'imageJobId'>,
    by?: { readonly updateId?: number; readonly trigger?: string | undefined },
  ): Promise<'started' | SideJobRefusal>;
  /** Starts to send the original files. */
  sendOriginals(originals: OriginalsOptions): 'started' | SideJobRefusal;
  isAtWork(imageJobId: number): boolean;
  /** Returns the chats with running jobs, and those that the next process has to inform about interrupted ones. */
  listBusyChats(): ReadonlySet<number>;
  /**
   * Stops the user's jobs in the scope, queued ones included. `imageJobId` restricts it to one job. @returns their
   * number.
   */
  stop(scope: WorkScope, userId: number, imageJobId?: number): number;
  hasWork(scope: WorkScope, userId: number): boolean;
  whenEnded(userId: number): Promise<void>;
  /** Aborts the jobs of a chat whose lease another process has taken over. That process reports them. */
  abandon(chatId: number): void;
  /**
   * Lets running jobs finish for a grace period, then stops them; images generated so far are still sent. Later jobs
   * are not accepted.
   */
  close(): Promise<void>;
}

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

export function createImageJobRunner(services: BotServices): ImageJobRunner {
  const jobs = createSideJobs<Facts>(services, { maxJobs: MAX_JOBS, maxUserJobs: MAX_USER_JOBS });
  let nextKey = 0;
  const isOf = (imageJobId: number) => (facts: Facts) => facts.imageJobId === imageJobId;

  return {
    async draw(newJob, { updateId, trigger } = {}) {
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
    sendOriginals(originals) {
      const { userId, chatTopic } = originals;
      const key = `originals:${userId}:${originals.imageIds.join()}`;
      const job = jobs.enter({ key, userId, chatTopic, facts: { isEdit: false } });
      if (typeof job === 'string') return job;
      jobs.run(job, ({ deliverySignal }) => sendOriginals(services, originals, deliverySignal));
      return 'started';
    },
    isAtWork: (imageJobId) => jobs.count(isOf(imageJobId)) > 0,
    stop: (scope, userId, imageJobId) =>
      jobs.stop(scope, userId, imageJobId === undefined ? undefined : isOf(imageJobId)),
    hasWork: jobs.hasWork,
    whenEnded: jobs.whenEnded,
    listBusyChats: jobs.listBusyChats,
    // Sends of original files are not recorded, so no other process would repeat them.
    abandon: (chatId) => jobs.abandon(chatId, ({ imageJobId }) => imageJobId !== undefined),
    close: () => jobs.close(),
  };
}
