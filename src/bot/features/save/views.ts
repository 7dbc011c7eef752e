import { WorkStoppedError } from '../../../core/jobs/index.ts';
import {
  FileBlockedError,
  FileSizeMismatchError,
  hasStoredBytes,
  InsufficientStorageError,
  QuotaExceededError,
  StorageUnavailableError,
} from '../../../core/storage/index.ts';
import { QueueFullError } from '../../../lib/async/work-queue.ts';
import { isDiskFull } from '../../../lib/files/disk-space.ts';
import { TelegramFileUnavailableError } from '../../../telegram/open-file.ts';
import type { SentFile } from '../../inputs/sent-file.ts';
import type { CallbackAction } from '../../kit/actions.ts';
import { storeKeyboard, toButtonTarget } from '../../kit/keyboards.ts';
import { toShownName } from '../../kit/names.ts';
import type { BotServices } from '../../kit/services.ts';
import { joinLines, type Line, toKeyLine, toNameLine, type View } from '../../kit/views.ts';
import type { Texts } from '../../texts/locales.ts';
import { texts as filesTexts } from '../files/texts.ts';
import { toFileLink, toStoredFileView } from '../files/views.ts';
import type { SavedFile } from './save-file.ts';
import type { SaveRequest } from './save-journal.ts';
import { texts } from './texts.ts';

/** Result for one file. */
export type SaveOutcome = { readonly file: SavedFile } | { readonly sent: SentFile; readonly failure: SaveFailure };

/** Facts about a save that its answer needs. */
type AnsweredSaveRequest = Pick<SaveRequest, 'viewer' | 'isPrivate' | 'replyTo'>;

/** Returns the answer to a save: one file with its buttons, or a list, and Retry for failures. */
export async function toSavedView(
  services: BotServices,
  request: AnsweredSaveRequest,
  outcomes: readonly SaveOutcome[],
): Promise<View> {
  const [first] = outcomes;
  if (outcomes.length === 1 && first && 'file' in first) {
    return toStoredFileView(services, request.viewer, first.file, request.isPrivate ? first.file.ownerKey : undefined);
  }
  const keyboard = await toRetryKeyboard(services, request, outcomes);
  if (outcomes.every((outcome) => 'failure' in outcome && isSame(outcome, first))) {
    const words = request.viewer.texts;
    const text = first && 'failure' in first ? describeSaveFailure(words, first.failure) : words.apology;
    return { text, keyboard };
  }
  return { ...joinLines(toListLines(services, request, outcomes)), keyboard };
}

function isSame(outcome: SaveOutcome, other: SaveOutcome | undefined): boolean {
  return (
    other !== undefined && 'failure' in outcome && 'failure' in other && outcome.failure.kind === other.failure.kind
  );
}

function toListLines(
  services: BotServices,
  { viewer, isPrivate }: AnsweredSaveRequest,
  outcomes: readonly SaveOutcome[],
): Line[] {
  const words = texts[viewer.texts.locale];
  const savedCount = outcomes.filter((outcome) => 'file' in outcome).length;
  const lines: Line[] = [{ text: words.savedSeveral(savedCount, outcomes.length) }];
  for (const outcome of outcomes) {
    lines.push({ text: '' });
    if ('failure' in outcome) {
      lines.push(toNameLine(toShownName(outcome.sent.name)), {
        text: describeSaveFailure(viewer.texts, outcome.failure),
      });
      continue;
    }
    const { file } = outcome;
    lines.push(toNameLine(toShownName(file.name)));
    if (!hasStoredBytes(file)) lines.push({ text: filesTexts[viewer.texts.locale].telegramOnly });
    lines.push({ text: toFileLink(services, viewer.me, file) });
    if (isPrivate && file.ownerKey !== undefined) lines.push(toKeyLine(file.ownerKey));
  }
  if (savedCount === 0) return lines;
  const haveKeys = outcomes.every((outcome) => !('file' in outcome) || outcome.file.ownerKey !== undefined);
  const about = haveKeys ? words.aboutSeveral : words.aboutSeveralWithoutKeys;
  return [...lines, { text: '' }, { text: isPrivate ? about : words.aboutSeveralInGroup }];
}

/** Returns a Retry button, or undefined if no file can be saved later. */
async function toRetryKeyboard(services: BotServices, request: AnsweredSaveRequest, outcomes: readonly SaveOutcome[]) {
  const files = outcomes.flatMap((outcome) =>
    'failure' in outcome && isWorthRetrying(outcome.failure) ? [outcome.sent] : [],
  );
  if (files.length === 0) return undefined;
  // An answer that shows saved files is kept.
  const isAnswerKept = outcomes.some((outcome) => 'file' in outcome);
  const action: CallbackAction = { kind: 'retry-saving', files, replyTo: request.replyTo, isAnswerKept };
  const { retry } = request.viewer.texts.buttons;
  return storeKeyboard(services, toButtonTarget(request.viewer), [[{ text: retry, action }]]);
}

/** Reason for a failed save, as far as the user can act on it. */
type SaveFailure =
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
function isWorthRetrying(failure: SaveFailure): boolean {
  return failure.kind !== 'blocked';
}
