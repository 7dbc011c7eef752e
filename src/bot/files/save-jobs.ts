import type { Place } from '../../core/conversations/index.ts';
import { createWorkQueue } from '../../core/generation/index.ts';
import { createId } from '../../lib/ids.ts';
import { toGrammySignal } from '../../telegram/grammy-signal.ts';
import type { BotDeps } from '../bot-deps.ts';
import { createSideJobs, type SideJobRefusal } from '../side-jobs.ts';
import { createAlbumGathering } from './album-gathering.ts';
import { saveFiles } from './save-files.ts';
import { type SaveOrder, toAnswerOptions } from './save-order.ts';

/** Files on their way from chats into the store, beside the handling of updates. */
export interface SaveJobs {
  /**
   * Begins to keep the files; where that can't be, the person is told.
   * @param trigger names the button that was pressed, so that two presses at once save once.
   */
  save(order: SaveOrder, trigger?: string): 'started' | SideJobRefusal;
  /** Waits for the other parts of an album, then saves them all with one answer. */
  gather(albumId: string, part: SaveOrder): void;
  isAtWork(saveId: string): boolean;
  /** Chats where something is at work, and those where the end of the process has cut something. */
  listBusyChats(): ReadonlySet<number>;
  /** Stops the person's saving at a place, also what waits. `saveId` narrows it to one order. @returns how many. */
  stop(place: Place, personId: number, saveId?: string): number;
  /** Lets what is under way end for a while, then stops it and says so. Nothing is taken afterwards. */
  close(): Promise<void>;
}

/** Orders at work or waiting, in all and of one person. They are small: bytes are only in memory on their way. */
const MAX_ORDERS = 2000;
const MAX_PERSON_ORDERS = 50;
/** Files: at work for a person, in all; waiting for a person, in all. */
const QUEUE = { perPerson: 2, total: 16, maxWaiting: 100, maxWaitingInAll: 5000 };
const REFUSAL_TIMEOUT_MS = 60_000;

export function createSaveJobs(deps: BotDeps): SaveJobs {
  const jobs = createSideJobs<{ readonly saveId: string }>(deps, {
    maxJobs: MAX_ORDERS,
    maxPersonJobs: MAX_PERSON_ORDERS,
  });
  const saving = { ...deps, queue: createWorkQueue(QUEUE) };

  const refuse = ({ viewer, place, replyTo }: SaveOrder, refusal: 'full' | 'busy') => {
    const words = viewer.texts.files.failures;
    const text = refusal === 'full' ? words.queueFull : words.storageUnavailable;
    const signal = toGrammySignal(AbortSignal.timeout(REFUSAL_TIMEOUT_MS));
    deps.client.api
      .sendMessage(place.chatId, text, toAnswerOptions({ place, replyTo }), signal)
      .catch((error: unknown) => deps.logger.warn({ err: error }, 'a file was refused without a word'));
  };
  const save: SaveJobs['save'] = (order, trigger) => {
    const saveId = createId('');
    const { place, viewer } = order;
    const key = trigger ?? saveId;
    const job = jobs.enter({ key, personId: viewer.person.id, place, facts: { saveId } });
    if (typeof job === 'string') {
      // A pressed button has an answer of its own.
      if (trigger === undefined && job !== 'running') refuse(order, job);
      return job;
    }
    job.isStoppable = true;
    jobs.run(job, (signals) => saveFiles(saving, order, saveId, signals));
    return 'started';
  };
  const albums = createAlbumGathering(deps, (order) => save(order));

  return {
    save,
    gather: albums.add,
    listBusyChats: jobs.listBusyChats,
    isAtWork: (saveId) => jobs.count((facts) => facts.saveId === saveId) > 0,
    stop(place, personId, saveId) {
      if (saveId !== undefined) return jobs.stop(place, personId, (facts) => facts.saveId === saveId);
      return jobs.stop(place, personId) + albums.drop(place, personId);
    },
    async close() {
      albums.flush();
      await jobs.close();
    },
  };
}
