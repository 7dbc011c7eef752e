import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { GrammyError } from 'grammy';
import { type Clock, sleep } from '../lib/clock.ts';
import { describeError } from '../lib/describe-error.ts';
import { createHttpAgent, openHttp } from '../lib/http-client.ts';
import { redactSecrets } from '../lib/logger.ts';
import { toGrammySignal } from './grammy-signal.ts';
import type { TelegramClient } from './telegram-client.ts';
import { classifyTelegramError, RequestTimeoutError } from './telegram-errors.ts';

/** Telegram's hosted server hands out no files above 20 MiB (getFile). */
export class TelegramFileTooBigError extends Error {
  override readonly name = 'TelegramFileTooBigError';
}

/** The file can't be had from Telegram, or broke off on the way. The bot's token is not in it. */
export class TelegramFileUnavailableError extends Error {
  override readonly name = 'TelegramFileUnavailableError';
}

/** A file that Telegram is ready to give. */
export interface OpenedTelegramFile {
  readonly sizeBytes: number | undefined;
  /**
   * Nothing is asked for before it is read, and only as much as is read; whoever stops reading closes everything.
   * @throws TelegramFileUnavailableError; the signal's reason.
   */
  readonly bytes: AsyncIterable<Buffer>;
}

interface OpenFileDeps {
  readonly client: TelegramClient;
  readonly clock: Clock;
}

/** Milliseconds. A slow reader is no reason to end, silence of the other side is. */
const TIMEOUTS = { connectMs: 10_000, startMs: 60_000, idleMs: 60_000, totalMs: 24 * 60 * 60_000 };
/** Between tries: getFile changes nothing, and Telegram also says "temporarily unavailable". */
const PAUSES_MS = [300, 1500, 5000];
const LONGEST_FLOOD_MS = 30_000;
/** Telegram fetches the whole file before it answers, and goes on with it while nobody waits. */
const LONGEST_FETCH_MS = 15 * 60_000;
const TOO_BIG = /file is too big/i;
const TEMPORARILY_UNAVAILABLE = /temporarily unavailable/i;

/**
 * Asks Telegram for a file, as often as it makes sense.
 * @throws TelegramFileTooBigError, TelegramFileUnavailableError; the signal's reason.
 */
export async function openTelegramFile(
  deps: OpenFileDeps,
  fileId: string,
  signal: AbortSignal,
): Promise<OpenedTelegramFile> {
  const file = await askForFile(deps, fileId, signal);
  const address = file.getUrl();
  // A local Bot API server hands out the path of the file on its disk.
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

/** Undefined where another try is useless. */
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
    const exchange = await openHttp({ clock, dispatcher }, { method: 'GET', url, headers, timeouts: TIMEOUTS, signal });
    try {
      if (exchange.status !== 200) throw new Error(`the file server answered ${exchange.status}`);
      exchange.markStarted();
      for (let piece = await exchange.read(); piece !== undefined; piece = await exchange.read()) yield piece;
    } finally {
      exchange.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    throw toUnavailable(client, error);
  } finally {
    await dispatcher.destroy();
  }
}

/** A Bot API server of one's own with `--local` keeps files on its disk; the folder has to be here too. */
async function* readDisk({ client }: OpenFileDeps, path: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    await stat(path);
    yield* createReadStream(path, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw toUnavailable(client, error);
  }
}

/** In one line without the token, which is in the address and may be in the path. */
function toUnavailable({ api }: TelegramClient, error: unknown): TelegramFileUnavailableError {
  return new TelegramFileUnavailableError(redactSecrets(describeError(error), [api.token]));
}
