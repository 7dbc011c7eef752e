import type { Place } from '../../core/conversations/index.ts';
import { sleep } from '../../lib/clock.ts';
import type { BotDeps } from '../bot-deps.ts';
import { toPlaceKey } from '../place.ts';
import { ReplyStoppedError } from '../reply-queue.ts';
import { drawPictures } from './draw-pictures.ts';
import type { PictureJob, PictureSignals } from './picture-job.ts';
import { type OriginalsWish, sendOriginals } from './send-originals.ts';

/** The drawings at work, and the files on their way: what goes on beside the handling of updates. */
export interface PictureJobs {
  /**
   * Notes the order and begins to draw it.
   * @param trigger names the button that was pressed, so that two presses at once draw once.
   * @returns `running` where that button's drawing is still at work; `full` where the person has too much at work, `busy`
   * where everybody has.
   */
  draw(order: Omit<PictureJob, 'drawingId'>, trigger?: string): Promise<'started' | 'running' | 'full' | 'busy'>;
  /** Begins to send the original files. */
  sendOriginals(wish: OriginalsWish): 'started' | 'running' | 'full' | 'busy';
  isAtWork(drawingId: number): boolean;
  /** Stops the person's drawings at a place, those that wait too. `drawingId` narrows it to one. @returns how many. */
  stop(place: Place, personId: number, drawingId?: number): number;
  /** Lets what is under way end for a while, then stops it; what is drawn by then is still delivered. Nothing is taken afterwards. */
  close(): Promise<void>;
}

/** Drawings and files under way in all. What waits is only an order; pictures are in memory until they are delivered. */
const MAX_JOBS = 500;
/** Drawings that change a picture: it is in memory while they wait. */
const MAX_EDITS = 50;
/** Of one person. */
const MAX_PERSON_JOBS = 20;
/** How long drawings may go on when the process is told to end, and how long the last words may take after that. */
const SHUTDOWN_GRACE_MS = 8000;
const LAST_WORDS_MS = 5000;

interface Running {
  readonly personId: number;
  readonly placeKey: string;
  readonly isEdit: boolean;
  readonly abort: AbortController;
  /** Undefined for files on their way. */
  drawingId: number | undefined;
  /** False when there is nothing more to stop. */
  isStoppable: boolean;
}

export function createPictureJobs(deps: BotDeps): PictureJobs {
  const running = new Map<string, Running>();
  const ends = new Set<Promise<void>>();
  const over = new AbortController();
  let isClosed = false;
  let isShutDown = false;
  let nextKey = 0;

  const count = (isMeant: (job: Running) => boolean) => [...running.values()].filter(isMeant).length;
  const enter = (
    key: string,
    personId: number,
    place: Place,
    isEdit: boolean,
  ): Running | 'running' | 'full' | 'busy' => {
    if (running.has(key)) return 'running';
    if (isClosed || running.size >= MAX_JOBS) return 'busy';
    if (isEdit && count((job) => job.isEdit) >= MAX_EDITS) return 'busy';
    if (count((job) => job.personId === personId) >= MAX_PERSON_JOBS) return 'full';
    const abort = new AbortController();
    const entry = { personId, placeKey: toPlaceKey(place), isEdit, abort, drawingId: undefined, isStoppable: false };
    running.set(key, entry);
    return entry;
  };
  const run = (key: string, { abort }: Running, work: (signals: PictureSignals) => Promise<void>) => {
    if (isShutDown) abort.abort(new ReplyStoppedError('shutdown'));
    const end = work({ stop: abort.signal, over: over.signal }).finally(() => {
      running.delete(key);
      ends.delete(end);
    });
    ends.add(end);
  };

  return {
    async draw(order, trigger) {
      const key = trigger ?? `order:${nextKey++}`;
      const entry = enter(key, order.personId, order.place, order.order.source !== undefined);
      if (typeof entry === 'string') return entry;
      try {
        const drawingId = await deps.drawings.begin({ personId: order.personId, ...order.place, order: order.order });
        Object.assign(entry, { drawingId, isStoppable: true });
        const onDrawn = () => {
          entry.isStoppable = false;
        };
        run(key, entry, (signals) => drawPictures(deps, { ...order, drawingId }, signals, onDrawn));
        return 'started';
      } catch (error) {
        running.delete(key);
        throw error;
      }
    },
    sendOriginals(wish) {
      const key = `originals:${wish.personId}:${wish.pictureIds.join()}`;
      const entry = enter(key, wish.personId, wish.place, false);
      if (typeof entry === 'string') return entry;
      run(key, entry, ({ over: end }) => sendOriginals(deps, wish, end));
      return 'started';
    },
    isAtWork: (drawingId) => [...running.values()].some((job) => job.drawingId === drawingId),
    stop(place, personId, drawingId) {
      const placeKey = toPlaceKey(place);
      const meant = [...running.values()].filter(
        (job) =>
          job.isStoppable &&
          job.personId === personId &&
          job.placeKey === placeKey &&
          (drawingId === undefined || job.drawingId === drawingId),
      );
      for (const job of meant) {
        job.isStoppable = false;
        job.abort.abort(new ReplyStoppedError('person'));
      }
      return meant.length;
    },
    async close() {
      isClosed = true;
      const patience = new AbortController();
      const ended = Promise.all(ends);
      await Promise.race([ended, sleep(deps.clock, SHUTDOWN_GRACE_MS, patience.signal).catch(() => {})]);
      patience.abort();
      if (running.size === 0) return;
      isShutDown = true;
      const cancelTimer = deps.clock.setTimer(LAST_WORDS_MS, () => over.abort());
      for (const job of running.values()) job.abort.abort(new ReplyStoppedError('shutdown'));
      await Promise.all(ends);
      cancelTimer();
    },
  };
}
