import { markPieces } from '../../framework/view.ts';
import { openWorkStatus, type WorkStatus } from '../../work/work-status.ts';
import type { PictureServices } from './picture-job.ts';
import { type PictureJob, toSendOptions } from './picture-job.ts';
import { texts } from './texts/index.ts';

/** The message that shows how a drawing goes. Nothing of it throws. */
export interface DrawingStatus extends WorkStatus {
  /** The order waits behind so many of the person's own; behind others only where it is 0. */
  waits(ahead: number): void;
  /** The work has begun. */
  draws(): void;
}

const UPDATE_EVERY_MS = 5000;
/** Changes of the place in the queue show this soon. */
const LOOK_EVERY_MS = 1000;

/**
 * Shows at once that the order has been heard, and keeps the time that has passed up to date.
 * @param onUnreachable nobody can be written to there.
 * @param over aborted, nothing is shown any more.
 */
export function openDrawingStatus(
  deps: PictureServices,
  job: PictureJob,
  over: AbortSignal,
  onUnreachable: () => void,
): DrawingStatus {
  const { clock } = deps;
  const { drawingId, order } = job;
  const words = texts[job.texts.locale];
  let waitsBehind: number | undefined;
  let startedAt = clock.now();

  const toText = () => {
    if (waitsBehind !== undefined) return words.waiting(waitsBehind, order.model);
    return words.drawing(order.model, Math.floor((clock.now() - startedAt) / UPDATE_EVERY_MS) * 5);
  };
  const status = openWorkStatus(
    deps,
    {
      place: job.place,
      userId: job.userId,
      messageId: job.statusMessageId,
      sendOptions: toSendOptions(job, order.replyTo),
      toView() {
        const text = toText();
        return { text, entities: markPieces(text, 'code', order.model) };
      },
      stop: { text: job.texts.buttons.stop, choice: { kind: 'stop-drawing', drawingId } },
      lookEveryMs: LOOK_EVERY_MS,
      onShown: (messageId) => deps.drawings.noteStatusMessage(drawingId, messageId),
      onUnreachable,
      logFacts: { drawingId },
    },
    over,
  );
  return {
    ...status,
    conclude: (view, isNeeded) =>
      status.conclude({ entities: markPieces(view.text, 'code', order.model), ...view }, isNeeded),
    waits(ahead) {
      waitsBehind = ahead;
    },
    draws() {
      waitsBehind = undefined;
      startedAt = clock.now();
    },
  };
}
