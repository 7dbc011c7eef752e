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
import { texts } from './texts/index.ts';

/** Why a file was not kept, as far as a person can do something about it. */
export type SaveFailure =
  /** The person has sent in as much as may be sent. */
  | { readonly kind: 'quota'; readonly waitMs: number }
  | {
      readonly kind: /** The operator does not keep these bytes. */
        | 'blocked'
        | 'diskFull'
        | 'storageUnavailable'
        | 'telegramUnavailable'
        | 'queueFull'
        /** By the person. */
        | 'stopped'
        /** By the end of the process. */
        | 'interrupted'
        | 'internal';
    };

/** Says what an error of keeping a file means for the person who sent it. */
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

/** The failure in the person's words. */
export function describeSaveFailure({ locale, stopped }: Texts, failure: SaveFailure): string {
  const { failures } = texts[locale];
  if (failure.kind === 'quota') return failures.quota(failure.waitMs);
  return failure.kind === 'stopped' ? stopped : failures[failure.kind];
}

/** Whether the same file can be taken later. */
export function isWorthRetrying(failure: SaveFailure): boolean {
  return failure.kind !== 'blocked';
}
