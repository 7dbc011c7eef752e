import { createId } from '../../../lib/ids.ts';
import { WorkQueue } from '../../../lib/work-queue.ts';
import { toGrammySignal } from '../../../telegram/grammy-signal.ts';
import type { WorkScope } from '../../framework/place.ts';
import { createSideJobs, type SideJob, type SideJobRefusal } from '../../work/side-jobs.ts';
import { createAlbumGathering } from './album-gathering.ts';
import { tellInterruptedSaves } from './interrupted-saves.ts';
import type { SavingServices } from './save-file.ts';
import { endNotes, saveFiles } from './save-files.ts';
import { createSaveJournal, type NotedOrder } from './save-journal.ts';
import { type SaveOrder, toAnswerOptions } from './save-order.ts';
import { texts } from './texts/index.ts';

/** Files on their way from chats into the store, beside the handling of updates. */
export interface SaveJobs {
  /**
   * Begins to keep the files; where that can't be, the person is told. Once it has resolved a crash does not lose the order.
   * @param trigger names the button that was pressed, so that two presses at once save once.
   * @returns `running` where that button or that update has its saving.
   */
  save(order: SaveOrder, trigger?: string): Promise<'started' | SideJobRefusal>;
  /** Waits for the other parts of an album, then saves them all with one answer. Notes the part at once. */
  gather(albumId: string, part: SaveOrder): Promise<void>;
  isAtWork(saveId: string): boolean;
  /** Chats where something is at work, and those where the end of the process has cut something. */
  listBusyChats(): ReadonlySet<number>;
  /** Tells the people of a chat whose orders a crash has cut short. Never throws; the signal ends it early. */
  recover(chatId: number, signal: AbortSignal): Promise<void>;
  /** Stops the person's saving there, also what waits. `saveId` narrows it to one order. @returns how many. */
  stop(scope: WorkScope, userId: number, saveId?: string): number;
  hasWork(scope: WorkScope, userId: number): boolean;
  whenEnded(userId: number): Promise<void>;
  /** Another process works for this chat now, and tells of its files: nothing more of them comes from here. */
  abandon(chatId: number): void;
  /** Lets what is under way end for a while, then stops it and says so. Nothing is taken afterwards. */
  close(): Promise<void>;
}

/** Orders at work or waiting, in all and of one person. They are small: bytes are only in memory on their way. */
const MAX_ORDERS = 2000;
const MAX_USER_ORDERS = 50;
/** Files: at work for a person, in all; waiting for a person, in all. */
const QUEUE = { perOwner: 2, total: 16, maxWaitingPerOwner: 100, maxWaiting: 5000 };
const REFUSAL_TIMEOUT_MS = 60_000;

interface Facts {
  readonly saveId: string;
}

export function createSaveJobs(deps: SavingServices): SaveJobs {
  const jobs = createSideJobs<Facts>(deps, {
    maxJobs: MAX_ORDERS,
    maxUserJobs: MAX_USER_ORDERS,
  });
  const saving = { ...deps, queue: new WorkQueue<number>(QUEUE) };
  const journal = createSaveJournal(deps);

  const refuse = ({ viewer, place, replyTo }: SaveOrder, refusal: 'full' | 'busy') => {
    const words = texts[viewer.texts.locale].failures;
    const text = refusal === 'full' ? words.queueFull : words.storageUnavailable;
    const signal = toGrammySignal(AbortSignal.timeout(REFUSAL_TIMEOUT_MS));
    deps.client.api
      .sendMessage(place.chatId, text, toAnswerOptions({ place, replyTo }), signal)
      .catch((error: unknown) => deps.logger.warn({ err: error }, 'a file was refused without a word'));
  };
  const enter = ({ place, viewer }: SaveOrder, saveId: string, trigger?: string) =>
    jobs.enter({ key: trigger ?? saveId, userId: viewer.user.id, place, facts: { saveId } });
  const saveAlbum = (album: NotedOrder) => {
    const saveId = createId('');
    const job = enter(album, saveId);
    if (typeof job !== 'string') return run(job, album);
    if (job !== 'running') refuse(album, job);
    void endNotes(deps, album);
  };
  const run = (job: SideJob<Facts>, order: NotedOrder) => {
    job.isStoppable = true;
    jobs.run(job, (signals) => saveFiles(saving, order, job.facts.saveId, signals));
  };
  const albums = createAlbumGathering(deps, saveAlbum);

  return {
    async save(order, trigger) {
      const job = enter(order, createId(''), trigger);
      if (typeof job === 'string') {
        // A pressed button has an answer of its own.
        if (trigger === undefined && job !== 'running') refuse(order, job);
        return job;
      }
      try {
        const noted = await journal.begin(order);
        if (noted) run(job, noted);
        else jobs.leave(job);
        return noted ? 'started' : 'running';
      } catch (error) {
        jobs.leave(job);
        throw error;
      }
    },
    async gather(albumId, part) {
      const noted = await journal.begin(part, albumId);
      if (noted) albums.add(albumId, noted);
    },
    listBusyChats: () => new Set([...jobs.listBusyChats(), ...albums.listChats()]),
    isAtWork: (saveId) => jobs.count((facts) => facts.saveId === saveId) > 0,
    recover: (chatId, signal) => tellInterruptedSaves(deps, journal, chatId, signal),
    stop(scope, userId, saveId) {
      if (saveId !== undefined) return jobs.stop(scope, userId, (facts) => facts.saveId === saveId);
      const dropped = albums.drop(scope, userId);
      for (const part of dropped.flat()) void endNotes(deps, part);
      return jobs.stop(scope, userId) + dropped.length;
    },
    abandon(chatId) {
      for (const { notes } of albums.abandon(chatId)) for (const note of notes) note.leave();
      jobs.abandon(chatId);
    },
    hasWork: jobs.hasWork,
    whenEnded: jobs.whenEnded,
    async close() {
      albums.flush();
      await jobs.close();
    },
  };
}
