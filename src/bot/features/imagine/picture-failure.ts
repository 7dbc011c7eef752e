import { UnreadablePictureError } from '../../../core/images/index.ts';
import { ProviderRejectedError } from '../../../core/models/index.ts';
import { QueueFullError } from '../../../lib/work-queue.ts';
import { describeFailure, type Failure, listRemedies, toFailure } from '../../failures/failure.ts';
import type { Texts } from '../../texts/locales.ts';
import { texts } from './texts/index.ts';

/** Why no picture came, as far as a person can do something about it. */
export type PictureFailure =
  | Failure
  | {
      readonly kind:
        | 'cannotEdit'
        /** The picture to edit is broken, or no picture. */
        | 'unreadable'
        /** The picture to edit is no longer kept. */
        | 'sourceGone'
        | 'queueFull'
        /** The person pressed Stop. */
        | 'stopped'
        /** Telegram takes the picture in no form. */
        | 'refused'
        /** The process ended before the pictures had certainly arrived. */
        | 'undelivered'
        /** Telegram did not say whether it took the picture. */
        | 'unclear';
    };

/** Ends a drawing for a reason that is known in the person's terms already. */
export class DrawingFailedError extends Error {
  override readonly name = 'DrawingFailedError';
  readonly failure: PictureFailure;
  constructor(failure: PictureFailure, options?: ErrorOptions) {
    super(`The drawing failed: ${failure.kind}`, options);
    this.failure = failure;
  }
}

/** Says what an error of a drawing means for the person who wanted it. */
export function toPictureFailure(error: unknown): PictureFailure {
  if (error instanceof DrawingFailedError) return error.failure;
  if (error instanceof QueueFullError) return { kind: 'queueFull' };
  if (error instanceof UnreadablePictureError) return { kind: 'unreadable' };
  const isAboutEdits = error instanceof ProviderRejectedError && error.details.code === 'image_edit_unsupported';
  return isAboutEdits ? { kind: 'cannotEdit' } : toFailure(error);
}

/** The failure in the person's words. Nothing of what a provider said gets through. */
export function describePictureFailure(shared: Texts, failure: PictureFailure, model: string): string {
  const words = texts[shared.locale].failures;
  switch (failure.kind) {
    case 'tooLong':
    case 'filtered':
    case 'rejected':
    case 'cannotEdit':
      return words[failure.kind](model);
    // Chat knows these as pictures that a model can't see.
    case 'blind':
      return words.rejected(model);
    // Of streams and texts: here they are all the same.
    case 'brokeOff':
    case 'empty':
      return shared.failures.unreachable(model);
    case 'unreadable':
    case 'sourceGone':
    case 'queueFull':
    case 'interrupted':
    case 'undelivered':
    case 'refused':
    case 'unclear':
      return words[failure.kind];
    case 'stopped':
      return shared.stopped;
    default:
      return describeFailure(shared, failure, model);
  }
}

/** What a person can press below the words. */
export function listPictureRemedies(failure: PictureFailure): {
  readonly again: boolean;
  readonly otherModel: boolean;
} {
  switch (failure.kind) {
    case 'cannotEdit':
      return { again: false, otherModel: true };
    case 'unreadable':
    case 'sourceGone':
      return { again: false, otherModel: false };
    case 'queueFull':
    case 'stopped':
    case 'undelivered':
    case 'refused':
    case 'unclear':
      return { again: true, otherModel: false };
    default: {
      const { retry, otherModel } = listRemedies(failure);
      return { again: retry, otherModel };
    }
  }
}
