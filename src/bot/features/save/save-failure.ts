import {
  FileBlockedError,
  FileSizeMismatchError,
  InsufficientStorageError,
  QuotaExceededError,
  StorageUnavailableError,
} from '../../../core/storage/index.ts';
import { isDiskFull } from '../../../lib/disk-space.ts';
import { QueueFullError } from '../../../lib/work-queue.ts';
import { TelegramFileUnavailableError } from '../../../telegram/open-file.ts';
import type { Texts } from '../../texts/locales.ts';
import { WorkStoppedError } from '../../work/work-stopped-error.ts';
import { texts } from './texts.ts';

/** Reason for a failed save, as far as the user can act on it. */
export type SaveFailure =
  /** The user's upload quota is used up. */
  | { readonly kind: 'quota'; readonly waitMs: number }
  | {
      readonly kind: /** The operator has blocked this content. */
        | 'blocked'
        | 'diskFull'
        | 'storageUnavailable'
        | 'telegramUnavailable'
        | 'queueFull'
        /** By the user. */
        | 'stopped'
        /** By the end of the process. */
        | 'interrupted'
        | 'internal';
    };

/** Converts an error of a save to a failure. */
export function toSaveFailure(error: unknown): SaveFailure {
  if (error instanceof WorkStoppedError) return { kind: error.by === 'shutdown' ? 'interrupted' : 'stopped' };
  if (error instanceof QuotaExceededError) return { kind: 'quota', waitMs: error.retryAfterMs };
  if (error instanceof FileBlockedError) return { kind: 'blocked' };
  if (error instanceof InsufficientStorageError || isDiskFull(error)) return { kind: 'diskFull' };
  if (error instanceof StorageUnavailableError) return { kind: 'storageUnavailable' };
  if (error instanceof TelegramFileUnavailableError || error instanceof FileSizeMismatchError) {
    return { kind: 'telegramUnavailable' };
  }
  return { kind: error instanceof QueueFullError ? 'queueFull' : 'internal' };
}

/** Describes the failure in the user's language. */
export function describeSaveFailure({ locale, stopped }: Texts, failure: SaveFailure): string {
  const { failures } = texts[locale];
  if (failure.kind === 'quota') return failures.quota(failure.waitMs);
  return failure.kind === 'stopped' ? stopped : failures[failure.kind];
}

/** Returns whether a later attempt can succeed. */
export function isWorthRetrying(failure: SaveFailure): boolean {
  return failure.kind !== 'blocked';
}
