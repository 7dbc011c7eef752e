import type { GeneratedImage } from '../../../core/generation/index.ts';
import { DEFAULT_RATIO, findNearestRatio, parseRatio, readImage } from '../../../core/images/index.ts';
import { type Job, WorkStoppedError } from '../../../core/jobs/index.ts';
import { keepTyping } from '../../../telegram/typing.ts';
import { findGroup, toRequester } from '../../choices/groups.ts';
import { loadPhotoFile } from '../../inputs/photo.ts';
import { toSendOptions } from '../../kit/chats.ts';
import type { BotServices } from '../../kit/services.ts';
import type { View } from '../../kit/views.ts';
import { markParts } from '../../kit/views.ts';
import { openWorkStatus } from '../../kit/work-status.ts';
import { deliverImages } from './deliver-images.ts';
import { type ImageFailure, ImageJobFailedError, toImageFailure } from './image-failure.ts';
import type { ImageJob } from './image-jobs.ts';
import type { ImagineOptions } from './parse-imagine.ts';
import { texts } from './texts.ts';
import { toFailureView } from './views.ts';

/**
 * Generates the images of a job, shows the progress and sends them. Never throws: the user gets the images, or a
 * failure message with buttons. Once the images are generated, the job can no longer be stopped.
 */
export async function drawImages(services: BotServices, job: ImageJob, running: Job): Promise<void> {
  const { stopSignal, deliverySignal } = running;
  const isUnreachable = new AbortController();
  const status = openImageJobStatus(services, job, deliverySignal, () =>
    isUnreachable.abort(new WorkStoppedError('chat')),
  );
  try {
    const signal = AbortSignal.any([stopSignal, isUnreachable.signal]);
    const onDrawn = () => {
      running.isStoppable = false;
    };
    const { failure, imageIds } = await drawAndDeliver(services, job, { status, signal, deliverySignal, onDrawn });
    await (failure
      ? status.conclude(await toFailureView(services, { ...job, chatId: job.chatTopic.chatId }, failure, imageIds))
      : status.remove());
    // A status message that could not be updated or deleted is concluded at the next start.
    if (!deliverySignal.aborted) await end(services, job.imageJobId);
  } catch (error) {
    services.logger.error({ err: error, imageJobId: job.imageJobId }, 'an image job could not be completed');
    await status.conclude({ text: job.texts.apology });
  }
}

interface Outcome {
  /** Reason for images that were not generated or not delivered. */
  readonly failure?: ImageFailure;
  readonly imageIds?: readonly number[];
}

interface Course {
  readonly status: ImageJobStatus;
  /** Aborts the generation. */
  readonly signal: AbortSignal;
  /** Aborts the delivery. */
  readonly deliverySignal: AbortSignal;
  readonly onDrawn: () => void;
}

const MAX_ACTION_MS = 15 * 60_000;

async function drawAndDeliver(
  services: BotServices,
  job: ImageJob,
  { status, signal, deliverySignal, onDrawn }: Course,
): Promise<Outcome> {
  const stopAction: (() => void)[] = [];
  const onStart = () => {
    status.showGenerating();
    const chatTopic = { chatId: job.chatTopic.chatId, topicId: job.typingTopicId };
    stopAction.push(keepTyping(services, chatTopic, { action: 'upload_photo', maxMs: MAX_ACTION_MS }));
  };
  try {
    const drawn = await draw(services, job, signal, { onWaiting: (ahead) => status.showWaiting(ahead), onStart });
    onDrawn();
    const imageIds = await store(services, job.imageJobId, drawn.images);
    const delivery = await deliverImages(services, job, { ...drawn, imageIds }, deliverySignal);
    return delivery === 'delivered' ? {} : { failure: { kind: delivery }, imageIds };
  } catch (error) {
    if (signal.aborted && signal.reason instanceof WorkStoppedError) {
      return { failure: { kind: signal.reason.by === 'shutdown' ? 'interrupted' : 'stopped' } };
    }
    const failure = toImageFailure(error);
    const isOurs = failure.kind === 'internal' || failure.kind === 'photoUnavailable';
    services.logger[isOurs ? 'error' : 'warn']({ err: error, model: job.options.model }, 'an image job failed');
    return { failure };
  } finally {
    for (const stop of stopAction) stop();
  }
}

async function draw(
  services: BotServices,
  { userId, chatTopic, options }: ImageJob,
  signal: AbortSignal,
  { onWaiting, onStart }: { readonly onWaiting: (ahead: number) => void; readonly onStart: () => void },
): Promise<{ readonly images: readonly GeneratedImage[]; readonly ratio: string }> {
  const source = options.source && (await loadSource(services, options.source, signal));
  const ratio = options.ratio ?? (source ? findNearestRatio(source) : DEFAULT_RATIO);
  const imageRequest = {
    model: options.model,
    prompt: options.prompt,
    ratio: parseRatio(ratio) ?? { width: 1, height: 1 },
    count: options.count ?? 1,
    seed: options.seed,
    sources: source && [source.bytes],
  };
  const requester = toRequester(services, { userId, chatTopic }, await findGroup(services, chatTopic));
  const { images } = await services.images.generate(requester, imageRequest, signal, onWaiting, onStart);
  return { images, ratio };
}

async function loadSource(services: BotServices, source: NonNullable<ImagineOptions['source']>, signal: AbortSignal) {
  if (source.kind === 'kept') {
    const image = await services.imageJobs.findImage(source.imageId);
    if (!image) throw new ImageJobFailedError({ kind: 'sourceGone' });
    return readImage(image.bytes);
  }
  return readImage(await loadPhotoFile(services, source.fileId, source.limitMb, signal));
}

/**
 * Stores the images before they are sent, so that a failed send does not lose them. They are sent even if they can't be
 * stored.
 */
async function store(
  services: BotServices,
  imageJobId: number,
  images: readonly GeneratedImage[],
): Promise<readonly number[]> {
  try {
    return await services.imageJobs.storeImages(imageJobId, images);
  } catch (error) {
    services.logger.error({ err: error, imageJobId }, 'images could not be saved');
    return [];
  }
}

/** Records the end of the job. The images are already delivered, so a failure is only logged. */
async function end(services: BotServices, imageJobId: number): Promise<void> {
  try {
    await services.imageJobs.end(imageJobId);
  } catch (error) {
    services.logger.error({ err: error, imageJobId }, 'the end of an image job could not be saved');
  }
}

/** Status message of an image job. No method throws. */
type ImageJobStatus = ReturnType<typeof openImageJobStatus>;

const UPDATE_EVERY_MS = 5000;
/** Interval of checks for a new position in the queue. */
const CHECK_EVERY_MS = 1000;

/**
 * Sends the status message at once and keeps the elapsed time in it up to date.
 * @param onUnreachable called if the bot can't write to the chat.
 * @param deliverySignal stops all updates when aborted.
 */
function openImageJobStatus(
  services: BotServices,
  job: ImageJob,
  deliverySignal: AbortSignal,
  onUnreachable: () => void,
) {
  const { clock } = services;
  const { imageJobId, options } = job;
  const words = texts[job.texts.locale];
  let waitsBehind: number | undefined;
  let startedAt = clock.now();

  const toText = () => {
    if (waitsBehind !== undefined) return words.waiting(waitsBehind, options.model);
    return words.imageJob(options.model, Math.floor((clock.now() - startedAt) / UPDATE_EVERY_MS) * 5);
  };
  const status = openWorkStatus(
    services,
    {
      chatTopic: job.chatTopic,
      userId: job.userId,
      messageId: job.statusMessageId,
      sendOptions: toSendOptions(job.chatTopic, options.replyTo),
      toView() {
        const text = toText();
        return { text, entities: markParts(text, 'code', options.model) };
      },
      stop: { text: job.texts.buttons.stop, action: { kind: 'stop-drawing', imageJobId } },
      updateEveryMs: CHECK_EVERY_MS,
      onShown: (messageId) => services.imageJobs.setStatusMessage(imageJobId, messageId),
      onUnreachable,
      logFields: { imageJobId },
    },
    deliverySignal,
  );
  return {
    remove: status.remove,
    /** Shows this view as the final state. */
    conclude: (view: View): Promise<void> =>
      status.conclude({ entities: markParts(view.text, 'code', options.model), ...view }),
    /** Shows that the job is queued after `ahead` jobs of the same user; 0: only after jobs of other users. */
    showWaiting(ahead: number): void {
      waitsBehind = ahead;
    },
    /** Shows that the generation has started. */
    showGenerating(): void {
      waitsBehind = undefined;
      startedAt = clock.now();
    },
  };
}
