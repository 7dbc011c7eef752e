import type { GeneratedPicture } from '../../../core/generation/index.ts';
import { DEFAULT_RATIO, parseRatio, readPicture } from '../../../core/images/index.ts';
import { keepTyping } from '../../../telegram/typing.ts';
import { findGroup } from '../../groups/as-in-group.ts';
import { toCaller } from '../../groups/to-caller.ts';
import { loadPhotoFile } from '../../inputs/photo.ts';
import type { SideJobSignals } from '../../work/side-jobs.ts';
import { WorkStoppedError } from '../../work/work-stopped-error.ts';
import { deliverPictures } from './deliver-pictures.ts';
import { type DrawingStatus, openDrawingStatus } from './drawing-status.ts';
import { findNearestRatio } from './parse-imagine.ts';
import { DrawingFailedError, type PictureFailure, toPictureFailure } from './picture-failure.ts';
import type { PictureJob, PictureServices } from './picture-job.ts';
import type { PictureOrder } from './picture-order.ts';
import { toFailureView } from './picture-views.ts';

const MAX_ACTION_MS = 15 * 60_000;

/**
 * Draws an order, shows how it goes, and brings the pictures to the chat. Never throws: whatever happens, the person sees the
 * pictures, or in their place what went wrong with something to press.
 * @param onDrawn from here on there is nothing to stop.
 */
export async function drawPictures(
  deps: PictureServices,
  job: PictureJob,
  { stop, over }: SideJobSignals,
  onDrawn: () => void,
): Promise<void> {
  const isUnreachable = new AbortController();
  const status = openDrawingStatus(deps, job, over, () => isUnreachable.abort(new WorkStoppedError('chat')));
  try {
    const signal = AbortSignal.any([stop, isUnreachable.signal]);
    const { failure, pictureIds } = await drawAndDeliver(deps, job, { status, signal, over, onDrawn });
    await (failure
      ? status.conclude(await toFailureView(deps, { ...job, chatId: job.place.chatId }, failure, pictureIds))
      : status.remove());
    // What could not be told or taken away any more is concluded at the next start.
    if (!over.aborted) await end(deps, job.drawingId);
  } catch (error) {
    deps.logger.error({ err: error, drawingId: job.drawingId }, 'a drawing could not be concluded');
    await status.conclude({ text: job.texts.apology });
  }
}

interface Outcome {
  /** Why there are no pictures, or why they did not arrive. */
  readonly failure?: PictureFailure;
  readonly pictureIds?: readonly number[];
}

interface Course {
  readonly status: DrawingStatus;
  /** Ends the drawing. */
  readonly signal: AbortSignal;
  /** Ends the delivery. */
  readonly over: AbortSignal;
  readonly onDrawn: () => void;
}

async function drawAndDeliver(
  deps: PictureServices,
  job: PictureJob,
  { status, signal, over, onDrawn }: Course,
): Promise<Outcome> {
  const stopAction: (() => void)[] = [];
  const onStart = () => {
    status.draws();
    const place = { chatId: job.place.chatId, topicId: job.actionTopicId };
    stopAction.push(keepTyping(deps, place, { action: 'upload_photo', maxMs: MAX_ACTION_MS }));
  };
  try {
    const drawn = await draw(deps, job, signal, { onWaiting: (ahead) => status.waits(ahead), onStart });
    onDrawn();
    const pictureIds = await keep(deps, job.drawingId, drawn.pictures);
    const delivery = await deliverPictures(deps, job, { ...drawn, pictureIds }, over);
    return delivery === 'delivered' ? {} : { failure: { kind: delivery }, pictureIds };
  } catch (error) {
    if (signal.aborted && signal.reason instanceof WorkStoppedError) {
      return { failure: { kind: signal.reason.by === 'shutdown' ? 'interrupted' : 'stopped' } };
    }
    const failure = toPictureFailure(error);
    const isOurs = failure.kind === 'internal' || failure.kind === 'photoUnavailable';
    deps.logger[isOurs ? 'error' : 'warn']({ err: error, model: job.order.model }, 'a drawing failed');
    return { failure };
  } finally {
    for (const stop of stopAction) stop();
  }
}

async function draw(
  deps: PictureServices,
  { userId, place, order }: PictureJob,
  signal: AbortSignal,
  { onWaiting, onStart }: { readonly onWaiting: (ahead: number) => void; readonly onStart: () => void },
): Promise<{ readonly pictures: readonly GeneratedPicture[]; readonly ratio: string }> {
  const source = order.source && (await loadSource(deps, order.source, signal));
  const ratio = order.ratio ?? (source ? findNearestRatio(source) : DEFAULT_RATIO);
  const wish = {
    model: order.model,
    prompt: order.prompt,
    ratio: parseRatio(ratio) ?? { width: 1, height: 1 },
    count: order.count ?? 1,
    seed: order.seed,
    source: source?.bytes,
  };
  const caller = toCaller(deps, { userId, place }, await findGroup(deps, place));
  const { pictures } = await deps.images.generate(caller, wish, signal, onWaiting, onStart);
  return { pictures, ratio };
}

async function loadSource(deps: PictureServices, source: NonNullable<PictureOrder['source']>, signal: AbortSignal) {
  if (source.kind === 'kept') {
    const kept = await deps.drawings.findPicture(source.pictureId);
    if (!kept) throw new DrawingFailedError({ kind: 'sourceGone' });
    return readPicture(kept.bytes);
  }
  return readPicture(await loadPhotoFile(deps, source.fileId, source.limitMb, signal));
}

/** Before they are sent, so that nothing that happens on the way loses them. What can't be kept is shown nevertheless. */
async function keep(
  deps: PictureServices,
  drawingId: number,
  pictures: readonly GeneratedPicture[],
): Promise<readonly number[]> {
  try {
    return await deps.drawings.keep(drawingId, pictures);
  } catch (error) {
    deps.logger.error({ err: error, drawingId }, 'pictures could not be kept');
    return [];
  }
}

/** The person has seen everything: a failure here is nobody's business but the operator's. */
async function end(deps: PictureServices, drawingId: number): Promise<void> {
  try {
    await deps.drawings.end(drawingId);
  } catch (error) {
    deps.logger.error({ err: error, drawingId }, 'the end of a drawing could not be noted');
  }
}
