import type { JobRefusal } from '../../../core/jobs/index.ts';
import { WorkQueue } from '../../../lib/async/work-queue.ts';
import { createId } from '../../../lib/ids.ts';
import { toGrammySignal } from '../../../telegram/grammy-signal.ts';
import { toSendOptions } from '../../kit/chats.ts';
import type { BotJobKind } from '../../kit/feature.ts';
import type { BotServices } from '../../kit/services.ts';
import { Album } from './album.ts';
import { reportInterruptedSaves } from './interrupted-saves.ts';
import { endRecords, saveFiles } from './save-files.ts';
import { createSaveJournal, type SaveJournal, type SaveRequest, type StoredSaveRequest } from './save-journal.ts';
import { texts } from './texts.ts';

/** Saves of files, queued ones and incomplete albums included. They are small: only bytes in transit are in memory. */
export const saveKind: BotJobKind = {
  name: 'save',
  maxJobs: 2000,
  maxUserJobs: 50,
  recover: reportInterruptedSaves,
  abandon: ({ saving }, chatId) => saving.journal.abandon(chatId),
  describeStopped: (_count, locale) => texts[locale].stopped,
};

/** Maximum numbers of files: running per user and in all, queued per user and in all. */
const QUEUE = { perOwner: 2, total: 16, maxWaitingPerOwner: 100, maxWaiting: 5000 };
const REFUSAL_TIMEOUT_MS = 60_000;

/** Saves files of chats in background jobs. */
export class Saving {
  readonly journal: SaveJournal;
  readonly #services: BotServices;
  /** Fair between users. */
  readonly #downloads = new WorkQueue<number>(QUEUE);
  /** Albums that are not complete yet. */
  readonly #albums = new Map<string, Album>();

  constructor(services: BotServices) {
    this.#services = services;
    this.journal = createSaveJournal(services);
  }

  /**
   * Starts to save the files, or replies with the reason for a refusal. Once it has resolved, a crash does not lose the
   * request.
   * @param trigger identifies the pressed button: pressing it twice saves once.
   * @returns `running` if that button or update already has a job.
   */
  async save(request: SaveRequest, trigger?: string): Promise<'started' | JobRefusal> {
    const { chatTopic, viewer } = request;
    const id = createId();
    const place = { key: trigger ?? id, id, userId: viewer.user.id, chatTopic };
    const outcome = await this.#services.jobs.recordAndStart(saveKind, place, async (job) => {
      const stored = await this.journal.begin(request);
      return stored && (() => saveFiles(this.#services, this.#downloads, stored, id, job));
    });
    // A pressed button gets a notice from its handler.
    if (trigger === undefined) this.#explain(request, outcome);
    return outcome;
  }

  /**
   * Waits for the other parts of an album, then saves them with one answer. The part is recorded at once.
   * @throws ChatLostError
   */
  async gather(albumId: string, part: SaveRequest): Promise<void> {
    const stored = await this.journal.begin(part, albumId);
    if (!stored) return;
    const key = `${part.chatTopic.chatId}:${part.viewer.user.id}:${albumId}`;
    const album = this.#albums.get(key);
    if (album) return album.add(stored);
    const first = new Album(this.#services, stored, () => this.#albums.delete(key));
    this.#albums.set(key, first);
    try {
      const outcome = this.#startAlbum(first, stored);
      // Without the lease of the chat, which may be released when its update is handled.
      if (outcome !== 'started') void this.#services.chatLeases.run(undefined, () => this.#refuseAlbum(first, outcome));
    } catch (error) {
      first.end();
      throw error;
    }
  }

  /** The first part determines chat, topic and reply of the whole album. */
  #startAlbum(album: Album, { chatTopic, viewer }: SaveRequest): 'started' | JobRefusal {
    const { jobs } = this.#services;
    const id = createId();
    return jobs.start(saveKind, { key: id, id, userId: viewer.user.id, chatTopic }, async (job) => {
      const request = await album.whenComplete(AbortSignal.any([job.stopSignal, jobs.closing]));
      if (job.stopSignal.aborted) await endRecords(this.#services, request, job.deliverySignal);
      else await saveFiles(this.#services, this.#downloads, request, id, job);
    });
  }

  async #refuseAlbum(album: Album, refusal: JobRefusal): Promise<void> {
    const refused = await album.whenComplete(this.#services.jobs.closing);
    this.#explain(refused, refusal);
    await endRecords(this.#services, refused);
  }

  #explain({ viewer, chatTopic, replyTo }: SaveRequest | StoredSaveRequest, outcome: 'started' | JobRefusal): void {
    if (outcome === 'started' || outcome === 'running') return;
    const { client, logger } = this.#services;
    const words = texts[viewer.texts.locale].failures;
    const text = outcome === 'full' ? words.queueFull : words.storageUnavailable;
    const signal = toGrammySignal(AbortSignal.timeout(REFUSAL_TIMEOUT_MS));
    client.api
      .sendMessage(chatTopic.chatId, text, toSendOptions(chatTopic, replyTo), signal)
      .catch((error: unknown) => logger.warn({ err: error }, 'a refused file could not be reported to the user'));
  }
}
