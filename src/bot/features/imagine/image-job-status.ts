import { toSendOptions } from '../../kit/chats.ts';
import type { BotServices } from '../../kit/services.ts';
import { markParts } from '../../kit/views.ts';
import { openWorkStatus, type WorkStatus } from '../../work/work-status.ts';
import type { ImageJob } from './image-job.ts';
import { texts } from './texts.ts';

/** Status message of an image job. No method throws. */
export interface ImageJobStatus extends WorkStatus {
  /** The job is queued after `ahead` jobs of the same user; 0: only after jobs of other users. */
  waits(ahead: number): void;
  /** The generation has started. */
  draws(): void;
}

const UPDATE_EVERY_MS = 5000;
/** Interval of checks for a new position in the queue. */
const CHECK_EVERY_MS = 1000;

/**
 * Sends the status message at once and keeps the elapsed time in it up to date.
 * @param onUnreachable called if the bot can't write to the chat.
 * @param deliverySignal stops all updates when aborted.
 */
export function openImageJobStatus(
  services: BotServices,
  job: ImageJob,
  deliverySignal: AbortSignal,
  onUnreachable: () => void,
): ImageJobStatus {
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
    ...status,
    conclude: (view, concludeOptions) =>
      status.conclude({ entities: markParts(view.text, 'code', options.model), ...view }, concludeOptions),
    waits(ahead) {
      waitsBehind = ahead;
    },
    draws() {
      waitsBehind = undefined;
      startedAt = clock.now();
    },
  };
}
