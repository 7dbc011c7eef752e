import { UnreadableImageError } from '../../../core/images/index.ts';
import { ProviderRejectedError } from '../../../core/models/index.ts';
import { QueueFullError } from '../../../lib/async/work-queue.ts';
import { describeFailure, type Failure, listRemedies, toFailure } from '../../kit/failure.ts';
import type { Texts } from '../../texts/locales.ts';
import { texts } from './texts.ts';

/** Reason for a failed image job, as far as the user can act on it. */
export type ImageFailure =
  | Failure
  | {
      readonly kind:
        | 'cannotEdit'
        /** The source image is broken or not an image. */
        | 'unreadable'
        /** The source image is no longer stored. */
        | 'sourceGone'
        | 'queueFull'
        /** The user pressed Stop. */
        | 'stopped'
        /** Telegram accepts the image in no form. */
        | 'refused'
        /** The process ended before the delivery was confirmed. */
        | 'undelivered'
        /** Telegram did not say whether it accepted the image. */
        | 'unclear';
    };

/** Thrown to end an image job with a known failure. */
export class ImageJobFailedError extends Error {
  override readonly name = 'ImageJobFailedError';
  readonly failure: ImageFailure;
  constructor(failure: ImageFailure, options?: ErrorOptions) {
    super(`The image job failed: ${failure.kind}`, options);
    this.failure = failure;
  }
}

/** Converts an error of an image job to a failure. */
export function toImageFailure(error: unknown): ImageFailure {
  if (error instanceof ImageJobFailedError) return error.failure;
  if (error instanceof QueueFullError) return { kind: 'queueFull' };
  if (error instanceof UnreadableImageError) return { kind: 'unreadable' };
  const isAboutEdits = error instanceof ProviderRejectedError && error.details.code === 'image_edit_unsupported';
  return isAboutEdits ? { kind: 'cannotEdit' } : toFailure(error);
}

/** Describes the failure in the user's language. Never contains text of a provider. */
export function describeImageFailure(shared: Texts, failure: ImageFailure, model: string): string {
  const words = texts[shared.locale].failures;
  switch (failure.kind) {
    case 'tooLong':
    case 'filtered':
    case 'rejected':
    case 'cannotEdit':
      return words[failure.kind](model);
    // In chat, this kind means that the model can't see images.
    case 'noVision':
      return words.rejected(model);
    // These kinds are about streams and texts; for images they mean that no answer came.
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

/** Returns the remedies to offer as buttons. */
export function listImageRemedies(failure: ImageFailure): {
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
