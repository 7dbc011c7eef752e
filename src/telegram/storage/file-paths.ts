import { BlobMissingError, BlobRefusedError } from '../../core/storage/index.ts';
import { leaveOnAbort } from '../../lib/async/leave-on-abort.ts';
import { type Clock, sleep } from '../../lib/clock.ts';
import { classifyTelegramError } from '../telegram-errors.ts';
import { describeCallError, type StorageBot } from './storage-bot.ts';

/** Cache of download paths. A path is valid for at least an hour and is cached for less. */
export type FilePaths = ReturnType<typeof createFilePaths>;

// Bot API: a link is valid for at least 1 hour.
const REMEMBERED_MS = 50 * 60_000;
const MOST_REMEMBERED = 10_000;
/** Pauses between retries. Retrying getFile is safe, and Telegram may answer "temporarily unavailable". */
const PAUSES_MS = [300, 1500, 5000];
const LONGEST_FLOOD_MS = 10_000;
const UNAVAILABLE_RETRY_MS = 30_000;
const TEMPORARILY_UNAVAILABLE = /temporarily unavailable/i;
const UNKNOWN_FILE = /(invalid|wrong) (remote )?file/i;

/** Creates a cache of the newest paths. Concurrent requests for the same path share one call. */
export function createFilePaths({ clock }: { readonly clock: Clock }) {
  const remembered = new Map<string, { readonly path: Promise<string>; readonly askedAt: number }>();
  const keyOf = (bot: StorageBot, fileId: string) => `${bot.id} ${fileId}`;

  const ask = (bot: StorageBot, fileId: string): Promise<string> => {
    const key = keyOf(bot, fileId);
    // Other requests may share this call, so no single signal aborts it; its retries are bounded.
    const entry = { path: askPath(clock, bot, fileId), askedAt: clock.now() };
    remembered.delete(key);
    remembered.set(key, entry);
    const [oldest] = remembered.keys();
    if (remembered.size > MOST_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
    entry.path.catch(() => {
      if (remembered.get(key) === entry) remembered.delete(key);
    });
    return entry.path;
  };

  const find = (bot: StorageBot, fileId: string): Promise<string> | undefined => {
    const cached = remembered.get(keyOf(bot, fileId));
    return cached && clock.now() - cached.askedAt < REMEMBERED_MS ? cached.path : undefined;
  };

  return {
    /**
     * @throws BlobMissingError if Telegram does not know the file; BlobRefusedError if it can't provide it now; the
     * signal's reason.
     */
    async get(bot: StorageBot, fileId: string, signal: AbortSignal): Promise<string> {
      signal.throwIfAborted();
      return leaveOnAbort(find(bot, fileId) ?? ask(bot, fileId), signal);
    },
    /** Requests a path that will be needed soon. Never throws. */
    prepare(bot: StorageBot, fileId: string): void {
      // A failure is not cached; the later `get` reports it.
      if (!find(bot, fileId)) void ask(bot, fileId);
    },
    /** Removes a path that no longer works from the cache. */
    forget: (bot: StorageBot, fileId: string): void => void remembered.delete(keyOf(bot, fileId)),
  };
}

async function askPath(clock: Clock, bot: StorageBot, fileId: string): Promise<string> {
  for (let tries = 0; ; tries++) {
    const answer = await bot.api.getFile(fileId).catch((error: unknown) => toPathFailure(error, bot));
    if ('file_path' in answer && answer.file_path !== undefined) return answer.file_path;
    const failure = 'error' in answer ? answer : { error: unavailable('Telegram returned no path'), pauseMs: 0 };
    const pauseMs = PAUSES_MS[tries];
    if (pauseMs === undefined || failure.pauseMs === undefined || failure.pauseMs > LONGEST_FLOOD_MS)
      throw failure.error;
    await sleep(clock, Math.max(pauseMs, failure.pauseMs));
  }
}

/** `pauseMs` is the minimum pause before the next try, undefined if a retry is useless. */
interface PathFailure {
  readonly error: BlobRefusedError | BlobMissingError;
  readonly pauseMs: number | undefined;
}

function toPathFailure(error: unknown, bot: StorageBot): PathFailure {
  const failure = classifyTelegramError(error);
  const reason = describeCallError(error, bot);
  switch (failure.kind) {
    case 'flood':
      return {
        error: new BlobRefusedError(reason, { retryAfterMs: failure.retryAfterMs }),
        pauseMs: failure.retryAfterMs,
      };
    case 'unclear':
    case 'not-sent':
    case 'aborted':
      return { error: unavailable(reason), pauseMs: 0 };
    default:
      if (TEMPORARILY_UNAVAILABLE.test(reason)) return { error: unavailable(reason), pauseMs: 0 };
      if (UNKNOWN_FILE.test(reason)) return { error: new BlobMissingError(reason), pauseMs: undefined };
      return { error: new BlobRefusedError(reason), pauseMs: undefined };
  }
}

function unavailable(reason: string): BlobRefusedError {
  return new BlobRefusedError(reason, { retryAfterMs: UNAVAILABLE_RETRY_MS });
}
