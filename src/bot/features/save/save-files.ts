import type { MessageEntity } from 'grammy/types';
import { ChatLostError } from '../../../core/inbox/index.ts';
import { type Job, WorkStoppedError } from '../../../core/jobs/index.ts';
import type { WorkQueue } from '../../../lib/async/work-queue.ts';
import { keepTyping } from '../../../telegram/typing.ts';
import type { SentFile } from '../../inputs/sent-file.ts';
import { toSendOptions } from '../../kit/chats.ts';
import { toShownName } from '../../kit/names.ts';
import type { BotServices } from '../../kit/services.ts';
import { markParts } from '../../kit/views.ts';
import { openWorkStatus } from '../../kit/work-status.ts';
import type { Texts } from '../../texts/locales.ts';
import { type SaveProgress, saveFile } from './save-file.ts';
import type { SaveRequest, StoredSaveRequest } from './save-journal.ts';
import { texts } from './texts.ts';
import { type SaveOutcome, toSavedView, toSaveFailure } from './views.ts';

/** Saves that end sooner show no status message. */
const SHOW_AFTER_MS = 2000;
const UPDATE_EVERY_MS = 3000;
const MAX_ACTION_MS = 60 * 60_000;

/** Saves the files of a request, shows the progress after a delay, and answers once. Never throws. */
export async function saveFiles(
  services: BotServices,
  downloads: WorkQueue<number>,
  request: StoredSaveRequest,
  saveId: string,
  { stopSignal, deliverySignal }: Job,
): Promise<void> {
  const { viewer, chatTopic } = request;
  const isUnreachable = new AbortController();
  const signal = AbortSignal.any([stopSignal, isUnreachable.signal]);
  const progress = createSaveProgress(viewer.texts, request.files);
  const status = openWorkStatus(
    services,
    {
      chatTopic,
      userId: viewer.user.id,
      messageId: request.statusMessageId,
      sendOptions: toSendOptions(request.chatTopic, request.replyTo),
      toView: progress.toView,
      stop: { text: viewer.texts.buttons.cancel, action: { kind: 'stop-saving', saveId } },
      // After Retry was pressed, the status shows at once.
      showAfterMs: request.statusMessageId === undefined ? SHOW_AFTER_MS : 0,
      updateEveryMs: UPDATE_EVERY_MS,
      onShown: async (messageId) => request.records[0]?.setStatusMessage(messageId),
      onUnreachable: () => isUnreachable.abort(new WorkStoppedError('chat')),
      logFields: { userId: viewer.user.id },
    },
    deliverySignal,
  );
  const actionTopic = { chatId: chatTopic.chatId, topicId: request.typingTopicId };
  const stopAction = keepTyping(services, actionTopic, { action: 'upload_document', maxMs: MAX_ACTION_MS });
  try {
    const outcomes = await Promise.all(
      request.files.map((file, index) => saveOne(services, downloads, request, file, progress.of(index), signal)),
    );
    stopAction();
    const isStopped = outcomes.every((outcome) => 'failure' in outcome && outcome.failure.kind === 'stopped');
    await status.conclude(await toSavedView(services, request, outcomes), { onlyIfShown: isStopped });
  } catch (error) {
    services.logger.error({ err: error }, 'saving files could not be completed');
    await status.conclude({ text: viewer.texts.apology });
  } finally {
    stopAction();
    await endRecords(services, request, deliverySignal);
  }
}

/**
 * Records that the request is answered. If that fails, the answer is sent again after the next start.
 * @param deliverySignal if it is aborted, the request is left to another process.
 */
export async function endRecords(
  { logger }: BotServices,
  { records }: StoredSaveRequest,
  deliverySignal?: AbortSignal,
): Promise<void> {
  if (deliverySignal?.aborted) return;
  try {
    for (const record of records) await record.end();
  } catch (error) {
    // If the chat is lost, its new owner answers it.
    if (!(error instanceof ChatLostError)) logger.error({ err: error }, 'the end of saving files could not be saved');
  }
}

async function saveOne(
  services: BotServices,
  downloads: WorkQueue<number>,
  request: SaveRequest,
  file: SentFile,
  progress: SaveProgress,
  signal: AbortSignal,
): Promise<SaveOutcome> {
  try {
    return { file: await saveFile(services, downloads, request, file, progress, signal) };
  } catch (error) {
    const failure = toSaveFailure(signal.aborted ? signal.reason : error);
    if (failure.kind !== 'stopped') {
      const level = failure.kind === 'internal' ? 'error' : 'warn';
      services.logger[level](
        { err: error, userId: request.viewer.user.id, kind: file.kind },
        'a file could not be saved',
      );
    }
    return { sent: file, failure };
  }
}

interface FileProgress {
  /** Number of the user's files ahead in the queue; undefined after the start. */
  ahead: number | undefined;
  loadedBytes: number;
}

/** Returns the progress of several files, and its view. */
function createSaveProgress(words: Texts, files: readonly SentFile[]) {
  const states = files.map((): FileProgress => ({ ahead: 0, loadedBytes: 0 }));
  const totalBytes = files.reduce((sum, { sizeBytes = 0 }) => sum + sizeBytes, 0);
  const [only] = files;
  const name = files.length === 1 && only ? toShownName(only.name) : undefined;

  const { several, waiting, saving } = texts[words.locale];

  const toText = () => {
    const subject = name ?? several(files.length);
    const [first] = states;
    if (states.every(({ ahead }) => ahead !== undefined)) return waiting(subject, first?.ahead ?? 0);
    const loadedBytes = states.reduce((sum, state) => sum + state.loadedBytes, 0);
    // The last bytes may still be on their way to the store, so 100% is not shown.
    const percent = Math.min(99, Math.floor((loadedBytes / totalBytes) * 100));
    const { size } = words;
    const course = totalBytes === 0 ? size(loadedBytes) : `${percent}% · ${size(loadedBytes)} / ${size(totalBytes)}`;
    return saving(subject, course);
  };

  return {
    /** Returns the progress callbacks of the file at this index. */
    of(index: number): SaveProgress {
      const state = states[index] ?? { ahead: undefined, loadedBytes: 0 };
      return {
        onWaiting(ahead) {
          state.ahead = ahead;
        },
        onStart() {
          state.ahead = undefined;
        },
        onBytes(sizeBytes) {
          state.loadedBytes = sizeBytes;
        },
      };
    },
    toView(): { readonly text: string; readonly entities: readonly MessageEntity[] } {
      const text = toText();
      return { text, entities: markParts(text, 'code', name ?? '') };
    },
  };
}
