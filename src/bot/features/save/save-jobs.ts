import { WorkQueue } from '../../../lib/async/work-queue.ts';
import { createId } from '../../../lib/ids.ts';
import { toGrammySignal } from '../../../telegram/grammy-signal.ts';
import { findTexts } from '../../groups/groups.ts';
import type { SentFile } from '../../inputs/sent-file.ts';
import { toSendOptions, type WorkScope } from '../../kit/chats.ts';
import type { BotServices } from '../../kit/services.ts';
import { concludeMessage } from '../../sending/send-whenever.ts';
import { createSideJobs, type SideJob, type SideJobRefusal } from '../../work/side-jobs.ts';
import { createAlbumGathering } from './album-gathering.ts';
import { findSaved } from './save-file.ts';
import { endRecords, saveFiles } from './save-files.ts';
import {
  createSaveJournal,
  type SaveJournal,
  type SaveRequest,
  type StoredSaveRequest,
  type UnansweredSave,
} from './save-journal.ts';
import { texts } from './texts.ts';
import { type SaveOutcome, toSavedView } from './views.ts';

/** Jobs that save files of chats, independently of update handling. */
export type SaveJobs = ReturnType<typeof createSaveJobs>;

/**
 * Maximum number of jobs in all and per user, queued ones included. They are small: only bytes in transit are in
 * memory.
 */
const MAX_JOBS = 2000;
const MAX_USER_JOBS = 50;
/** Maximum numbers of files: running per user and in all, queued per user and in all. */
const QUEUE = { perOwner: 2, total: 16, maxWaitingPerOwner: 100, maxWaiting: 5000 };
const REFUSAL_TIMEOUT_MS = 60_000;

interface Facts {
  readonly saveId: string;
}

export function createSaveJobs(services: BotServices) {
  const jobs = createSideJobs<Facts>(services, {
    maxJobs: MAX_JOBS,
    maxUserJobs: MAX_USER_JOBS,
  });
  /** Fair between users. */
  const downloads = new WorkQueue<number>(QUEUE);
  const journal = createSaveJournal(services);

  const refuse = ({ viewer, chatTopic, replyTo }: SaveRequest, refusal: 'full' | 'overloaded') => {
    const words = texts[viewer.texts.locale].failures;
    const text = refusal === 'full' ? words.queueFull : words.storageUnavailable;
    const signal = toGrammySignal(AbortSignal.timeout(REFUSAL_TIMEOUT_MS));
    services.client.api
      .sendMessage(chatTopic.chatId, text, toSendOptions(chatTopic, replyTo), signal)
      .catch((error: unknown) =>
        services.logger.warn({ err: error }, 'a refused file could not be reported to the user'),
      );
  };
  const enter = ({ chatTopic, viewer }: SaveRequest, saveId: string, trigger?: string) =>
    jobs.enter({ key: trigger ?? saveId, userId: viewer.user.id, chatTopic, facts: { saveId } });
  const saveAlbum = (album: StoredSaveRequest) => {
    const saveId = createId('');
    const job = enter(album, saveId);
    if (typeof job !== 'string') return run(job, album);
    if (job !== 'running') refuse(album, job);
    void endRecords(services, album);
  };
  const run = (job: SideJob<Facts>, request: StoredSaveRequest) => {
    job.isStoppable = true;
    jobs.run(job, (signals) => saveFiles(services, downloads, request, job.facts.saveId, signals));
  };
  const albums = createAlbumGathering(services, saveAlbum);

  return {
    /**
     * Starts to save the files, or replies with the reason for a refusal. Once it has resolved, a crash does not lose the
     * request.
     * @param trigger identifies the pressed button: pressing it twice saves once.
     * @returns `running` if that button or update already has a job.
     */
    async save(request: SaveRequest, trigger?: string): Promise<'started' | SideJobRefusal> {
      const job = enter(request, createId(''), trigger);
      if (typeof job === 'string') {
        // A pressed button gets a notice from its handler.
        if (trigger === undefined && job !== 'running') refuse(request, job);
        return job;
      }
      try {
        const stored = await journal.begin(request);
        if (stored) run(job, stored);
        else jobs.leave(job);
        return stored ? 'started' : 'running';
      } catch (error) {
        jobs.leave(job);
        throw error;
      }
    },
    /** Waits for the other parts of an album, then saves them with one answer. The part is recorded at once. */
    async gather(albumId: string, part: SaveRequest): Promise<void> {
      const stored = await journal.begin(part, albumId);
      if (stored) albums.add(albumId, stored);
    },
    /** Returns the chats with running jobs, and those with jobs that the end of the process has interrupted. */
    listBusyChats: (): ReadonlySet<number> => new Set([...jobs.listBusyChats(), ...albums.listChats()]),
    isAtWork: (saveId: string): boolean => jobs.count((facts) => facts.saveId === saveId) > 0,
    /** Reports the saves of a chat that a crash has interrupted. Never throws; the signal ends it early. */
    recover: (chatId: number, signal: AbortSignal): Promise<void> =>
      reportInterruptedSaves(services, journal, chatId, signal),
    /** Stops the user's saves in the scope, queued ones included. `saveId` restricts it to one job. @returns their number. */
    stop(scope: WorkScope, userId: number, saveId?: string): number {
      if (saveId !== undefined) return jobs.stop(scope, userId, (facts) => facts.saveId === saveId);
      const dropped = albums.drop(scope, userId);
      for (const part of dropped.flat()) void endRecords(services, part);
      return jobs.stop(scope, userId) + dropped.length;
    },
    /** Aborts the saves of a chat whose lease another process has taken over. That process reports them. */
    abandon(chatId: number): void {
      for (const { records } of albums.abandon(chatId)) for (const record of records) record.leave();
      jobs.abandon(chatId);
    },
    hasWork: jobs.hasWork,
    whenEnded: jobs.whenEnded,
    /** Lets running jobs finish for a grace period, then stops them and says so. Later jobs are not accepted. */
    async close(): Promise<void> {
      albums.flush();
      await jobs.close();
    },
  };
}

/**
 * Reports the results of saves that a crash has interrupted or left unreported, in their status messages, with a button
 * to retry failed ones. Never throws; ends early when the signal aborts, so that the next process continues.
 */
async function reportInterruptedSaves(
  services: BotServices,
  journal: SaveJournal,
  chatId: number,
  signal: AbortSignal,
): Promise<void> {
  try {
    const saves = await journal.listUnanswered(chatId);
    const byAnswer = Map.groupBy(saves, ({ albumId }, index) => albumId ?? index);
    for (const parts of byAnswer.values()) {
      if (signal.aborted) return;
      await conclude(services, chatId, parts, signal).catch((error: unknown) => {
        services.logger.warn({ err: error }, 'an interrupted file save could not be completed');
      });
    }
  } catch (error) {
    services.logger.warn({ err: error }, 'an interrupted file save could not be completed');
  }
}

/** Sends one answer to a save, or to all parts of an album. */
async function conclude(
  services: BotServices,
  chatId: number,
  parts: readonly UnansweredSave[],
  signal: AbortSignal,
): Promise<void> {
  const [first] = parts;
  if (!first) return;
  const { userId, topicId, replyTo, me = UNKNOWN_BOT } = first;
  try {
    const chatTopic = { chatId, topicId };
    const texts = await findTexts(services, { userId, chatTopic });
    const viewer = { user: { id: userId }, chatId, texts, me };
    const files = parts.flatMap((part) => part.files);
    const outcomes = await Promise.all(files.map((file) => findOutcome(services, viewer, file)));
    // Ids of groups are negative.
    const view = await toSavedView(services, { viewer, isPrivate: chatId > 0, replyTo }, outcomes);
    const statusMessageId = parts.find((part) => part.statusMessageId !== undefined)?.statusMessageId;
    const sendOptions = toSendOptions(chatTopic, replyTo);
    await concludeMessage(services, { chatId, statusMessageId, sendOptions }, view, signal);
  } finally {
    // Ended even if the message failed, so that a bot that is blocked there does not retry at every start.
    if (!signal.aborted) for (const { end } of parts) await end();
  }
}

/** Records of earlier versions contain no bot; the state of their files is not known. */
const UNKNOWN_BOT = { username: '', supports_inline_queries: false };

async function findOutcome(
  services: BotServices,
  viewer: Parameters<typeof findSaved>[1],
  sent: SentFile,
): Promise<SaveOutcome> {
  const file = await findSaved(services, viewer, sent);
  return file ? { file } : { sent, failure: { kind: 'interrupted' } };
}
