import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { GrammyError } from 'grammy';
import { type Clock, sleep } from '../lib/clock.ts';
import { describeError } from '../lib/errors/describe-error.ts';
import { createHttpAgent, openHttp } from '../lib/http/http-client.ts';
import { redactSecrets } from '../lib/log/logger.ts';
import { toGrammySignal } from './grammy-signal.ts';
import type { TelegramClient } from './telegram-client.ts';
import { classifyTelegramError, RequestTimeoutError } from './telegram-errors.ts';

/** Thrown for files that Telegram does not serve: the hosted Bot API serves at most 20 MiB (getFile). */
export class TelegramFileTooBigError extends Error {
  override readonly name = 'TelegramFileTooBigError';
}

/** Thrown when the file can't be fetched or the download breaks off. The message never contains the bot's token. */
export class TelegramFileUnavailableError extends Error {
  override readonly name = 'TelegramFileUnavailableError';
}

/** A file that is ready to be downloaded. */
export interface OpenedTelegramFile {
  readonly sizeBytes: number | undefined;
  /**
   * The content, requested lazily and read only as fast as it is consumed. Ending the iteration closes the connection.
   * @throws TelegramFileUnavailableError; the signal's reason.
   */
  readonly bytes: AsyncIterable<Buffer>;
}

interface OpenFileDeps {
  readonly client: TelegramClient;
  readonly clock: Clock;
}

/** Timeouts in milliseconds. `idleMs` counts silence of the server, not a slow reader. */
const TIMEOUTS = { connectMs: 10_000, startMs: 60_000, idleMs: 60_000, totalMs: 24 * 60 * 60_000 };
/** Pauses between retries. Retrying getFile is safe, and Telegram may answer "temporarily unavailable". */
const PAUSES_MS = [300, 1500, 5000];
const LONGEST_FLOOD_MS = 30_000;
/** The Bot API server downloads the whole file before it responds, and continues even if the client disconnects. */
const LONGEST_FETCH_MS = 15 * 60_000;
const TOO_BIG = /file is too big/i;
const TEMPORARILY_UNAVAILABLE = /temporarily unavailable/i;

/**
 * Opens a file of Telegram, with retries for temporary failures.
 * @throws TelegramFileTooBigError, TelegramFileUnavailableError; the signal's reason.
 */
export async function openTelegramFile(
  deps: OpenFileDeps,
  fileId: string,
  signal: AbortSignal,
): Promise<OpenedTelegramFile> {
  const file = await askForFile(deps, fileId, signal);
  const address = file.getUrl();
  // A local Bot API server returns the path of the file on its disk.
  const bytes = isAbsolute(address) ? readDisk(deps, address, signal) : readUrl(deps, address, signal);
  return { sizeBytes: file.file_size, bytes };
}

async function askForFile({ client, clock }: OpenFileDeps, fileId: string, signal: AbortSignal) {
  const endsAt = clock.now() + LONGEST_FETCH_MS;
  for (let failures = 0; ; ) {
    try {
      return await client.files.getFile(fileId, toGrammySignal(signal));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof GrammyError && TOO_BIG.test(error.description)) {
        throw new TelegramFileTooBigError('Telegram hands out no files of this size');
      }
      if (error instanceof RequestTimeoutError && clock.now() < endsAt) continue;
      const pauseMs = findPauseMs(error, failures++);
      if (pauseMs === undefined) throw toUnavailable(client, error);
      await sleep(clock, pauseMs, signal);
    }
  }
}

/** Returns the pause before the next try, undefined if a retry is useless. */
function findPauseMs(error: unknown, failures: number): number | undefined {
  const failure = classifyTelegramError(error);
  const pauseMs = PAUSES_MS[failures];
  switch (failure.kind) {
    case 'flood':
      if (pauseMs === undefined || failure.retryAfterMs > LONGEST_FLOOD_MS) return undefined;
      return Math.max(pauseMs, failure.retryAfterMs);
    case 'unclear':
    case 'not-sent':
      return pauseMs;
    case 'rejected':
      return TEMPORARILY_UNAVAILABLE.test(failure.description) ? pauseMs : undefined;
    default:
      return undefined;
  }
}

async function* readUrl({ client, clock }: OpenFileDeps, url: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const dispatcher = createHttpAgent({ connectMs: TIMEOUTS.connectMs });
  try {
    const headers = { 'accept-encoding': 'identity' };
    const response = await openHttp({ clock, dispatcher }, { method: 'GET', url, headers, timeouts: TIMEOUTS, signal });
    try {
      if (response.status !== 200) throw new Error(`the file server answered ${response.status}`);
      response.markStarted();
      for (let chunk = await response.read(); chunk !== undefined; chunk = await response.read()) yield chunk;
    } finally {
      response.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    throw toUnavailable(client, error);
  } finally {
    await dispatcher.destroy();
  }
}

/** Reads the file of a self-hosted Bot API server with `--local`, whose folder must be mounted here. */
async function* readDisk({ client }: OpenFileDeps, path: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    await stat(path);
    yield* createReadStream(path, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw toUnavailable(client, error);
  }
}

/** Converts an error to one line without the token, which is part of the URL and possibly of the path. */
function toUnavailable({ api }: TelegramClient, error: unknown): TelegramFileUnavailableError {
  return new TelegramFileUnavailableError(redactSecrets(describeError(error), [api.token]));
}
