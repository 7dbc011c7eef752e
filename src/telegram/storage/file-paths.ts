import { BlobMissingError, BlobRefusedError } from '../../core/storage/index.ts';
import { type Clock, sleep } from '../../lib/clock.ts';
import { leaveOnAbort } from '../../lib/leave-on-abort.ts';
import { classifyTelegramError } from '../telegram-errors.ts';
import { describeCallError, type StorageBot } from './storage-bot.ts';

/** Where files can be fetched at the moment. A path lives for an hour at least and is remembered for less. */
export interface FilePaths {
  /**
   * @throws BlobMissingError where Telegram does not know the file; BlobRefusedError where it can't give it now; the
   * signal's reason.
   */
  get(bot: StorageBot, fileId: string, signal: AbortSignal): Promise<string>;
  /** Asks for a path that will be wanted soon. Never throws. */
  prepare(bot: StorageBot, fileId: string): void;
  /** The path leads nowhere: the next one is asked for. */
  forget(bot: StorageBot, fileId: string): void;
}

// Bot API: a link is valid for at least 1 hour.
const REMEMBERED_MS = 50 * 60_000;
const MOST_REMEMBERED = 10_000;
/** Between tries: getFile changes nothing, and Telegram also says "temporarily unavailable". */
const PAUSES_MS = [300, 1500, 5000];
const LONGEST_FLOOD_MS = 10_000;
const UNAVAILABLE_RETRY_MS = 30_000;
const TEMPORARILY_UNAVAILABLE = /temporarily unavailable/i;
const UNKNOWN_FILE = /(invalid|wrong) (remote )?file/i;

/** Remembers the newest paths; those who want the same one at the same time share the call. */
export function createFilePaths({ clock }: { readonly clock: Clock }): FilePaths {
  const remembered = new Map<string, { readonly path: Promise<string>; readonly askedAt: number }>();
  const keyOf = (bot: StorageBot, fileId: string) => `${bot.id} ${fileId}`;

  const ask = (bot: StorageBot, fileId: string): Promise<string> => {
    const key = keyOf(bot, fileId);
    // Others may be waiting for the same path, so nobody's own signal ends the call; its tries do.
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
    const known = remembered.get(keyOf(bot, fileId));
    return known && clock.now() - known.askedAt < REMEMBERED_MS ? known.path : undefined;
  };

  return {
    async get(bot, fileId, signal) {
      signal.throwIfAborted();
      return leaveOnAbort(find(bot, fileId) ?? ask(bot, fileId), signal);
    },
    prepare(bot, fileId) {
      // Who wants it hears of a failure, which is not remembered.
      if (!find(bot, fileId)) void ask(bot, fileId);
    },
    forget: (bot, fileId) => void remembered.delete(keyOf(bot, fileId)),
  };
}

async function askPath(clock: Clock, bot: StorageBot, fileId: string): Promise<string> {
  for (let tries = 0; ; tries++) {
    const answer = await bot.api.getFile(fileId).catch((error: unknown) => toPathFailure(error, bot));
    if ('file_path' in answer && answer.file_path !== undefined) return answer.file_path;
    const failure = 'error' in answer ? answer : { error: unavailable('Telegram told no path'), pauseMs: 0 };
    const pauseMs = PAUSES_MS[tries];
    if (pauseMs === undefined || failure.pauseMs === undefined || failure.pauseMs > LONGEST_FLOOD_MS)
      throw failure.error;
    await sleep(clock, Math.max(pauseMs, failure.pauseMs));
  }
}

/** `pauseMs` is the least pause before another try; undefined where another one is useless. */
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
