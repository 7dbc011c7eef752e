import type { WorkScope } from '../../framework/place.ts';
import { createSideJobs, type SideJobRefusal } from '../../work/side-jobs.ts';
import { drawPictures } from './draw-pictures.ts';
import type { PictureJob, PictureServices } from './picture-job.ts';
import { type OriginalsWish, sendOriginals } from './send-originals.ts';

/** The drawings at work, and the files on their way: what goes on beside the handling of updates. */
export interface PictureJobs {
  /**
   * Notes the order and begins to draw it.
   * @param by `updateId`: one that comes again draws nothing more. `trigger` names the button that was pressed, so that two
   * presses at once draw once.
   * @returns `running` where that update or that button has its drawing; `full` where the person has too much at work, `busy`
   * where everybody has.
   */
  draw(
    order: Omit<PictureJob, 'drawingId'>,
    by?: { readonly updateId?: number; readonly trigger?: string | undefined },
  ): Promise<'started' | SideJobRefusal>;
  /** Begins to send the original files. */
  sendOriginals(wish: OriginalsWish): 'started' | SideJobRefusal;
  isAtWork(drawingId: number): boolean;
  /** Chats where something is at work, and those where the end of the process has left something to be told by the next one. */
  listBusyChats(): ReadonlySet<number>;
  /** Stops the person's drawings there, those that wait too. `drawingId` narrows it to one. @returns how many. */
  stop(scope: WorkScope, userId: number, drawingId?: number): number;
  hasWork(scope: WorkScope, userId: number): boolean;
  whenEnded(userId: number): Promise<void>;
  /** Another process works for this chat now, and tells of its drawings: nothing more of them comes from here. */
  abandon(chatId: number): void;
  /** Lets what is under way end for a while, then stops it; what is drawn by then is still delivered. Nothing is taken afterwards. */
  close(): Promise<void>;
}

/** Drawings and files under way in all. What waits is only an order; pictures are in memory until they are delivered. */
const MAX_JOBS = 500;
/** Drawings that change a picture: it is in memory while they wait. */
const MAX_EDITS = 50;
/** Of one person. */
const MAX_USER_JOBS = 20;

interface Facts {
  readonly isEdit: boolean;
  /** Undefined for files on their way. */
  drawingId?: number;
}

export function createPictureJobs(deps: PictureServices): PictureJobs {
  const jobs = createSideJobs<Facts>(deps, { maxJobs: MAX_JOBS, maxUserJobs: MAX_USER_JOBS });
  let nextKey = 0;
  const isOf = (drawingId: number) => (facts: Facts) => facts.drawingId === drawingId;

  return {
    async draw(order, { updateId, trigger } = {}) {
      const key = trigger ?? `order:${nextKey++}`;
      const { userId, place } = order;
      const facts: Facts = { isEdit: order.order.source !== undefined };
      if (facts.isEdit && jobs.count(({ isEdit }) => isEdit) >= MAX_EDITS) return 'busy';
      const job = jobs.enter({ key, userId, place, facts });
      if (typeof job === 'string') return job;
      try {
        if (updateId !== undefined && (await deps.drawings.isGiven(place.chatId, updateId))) {
          jobs.leave(job);
          return 'running';
        }
        const drawingId = await deps.drawings.begin({ userId, ...place, order: order.order, updateId });
        facts.drawingId = drawingId;
        job.isStoppable = true;
        const onDrawn = () => {
          job.isStoppable = false;
        };
        jobs.run(job, (signals) => drawPictures(deps, { ...order, drawingId }, signals, onDrawn));
        return 'started';
      } catch (error) {
        jobs.leave(job);
        throw error;
      }
    },
    sendOriginals(wish) {
      const { userId, place } = wish;
      const key = `originals:${userId}:${wish.pictureIds.join()}`;
      const job = jobs.enter({ key, userId, place, facts: { isEdit: false } });
      if (typeof job === 'string') return job;
      jobs.run(job, ({ over }) => sendOriginals(deps, wish, over));
      return 'started';
    },
    isAtWork: (drawingId) => jobs.count(isOf(drawingId)) > 0,
    stop: (scope, userId, drawingId) => jobs.stop(scope, userId, drawingId === undefined ? undefined : isOf(drawingId)),
    hasWork: jobs.hasWork,
    whenEnded: jobs.whenEnded,
    listBusyChats: jobs.listBusyChats,
    // Files on their way are noted nowhere: nobody else would bring them.
    abandon: (chatId) => jobs.abandon(chatId, ({ drawingId }) => drawingId !== undefined),
    close: () => jobs.close(),
  };
}
