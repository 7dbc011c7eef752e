import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { Dispatcher } from 'undici';
import { BlobRefusedError } from '../../core/storage/index.ts';
import { type Clock, sleep } from '../../lib/clock.ts';
import { describeError } from '../../lib/errors/describe-error.ts';
import { releaseBuffer } from '../../lib/files/release-buffer.ts';
import { type HttpResponse, openHttp } from '../../lib/http/http-client.ts';
import { readExactly } from '../../lib/http/read-exactly.ts';
import { redactSecrets } from '../../lib/log/logger.ts';
import type { ChannelLocator } from './channel-locator.ts';
import type { FilePaths } from './file-paths.ts';
import type { StorageBot } from './storage-bot.ts';

export interface ReadDeps {
  readonly clock: Clock;
  readonly dispatcher: Dispatcher;
  readonly paths: FilePaths;
  /** Without a trailing slash. */
  readonly apiRoot: string;
  /** True for a self-hosted Bot API server, which may respond with a path on this machine's disk. */
  readonly mayReadDisk: boolean;
}

export interface ReadRange {
  readonly offset: number;
  readonly length: number;
}

/** Timeouts in milliseconds. `idleMs` counts silence of the server, not a slow reader. */
const TIMEOUTS = { connectMs: 10_000, startMs: 60_000, idleMs: 60_000, totalMs: 24 * 60 * 60_000 };
const PAUSES_MS = [300, 1500, 5000];
const RETRY_MS = 30_000;

/**
 * Returns the bytes of a document. Resolves when the first bytes have arrived; yields exactly `length` bytes or throws.
 * A yielded buffer is invalid once the next one is requested.
 * @throws BlobMissingError, BlobRefusedError; the signal's reason.
 */
export async function readDocument(
  deps: ReadDeps,
  bot: StorageBot,
  locator: ChannelLocator,
  range: ReadRange,
  signal: AbortSignal,
): Promise<AsyncIterable<Buffer>> {
  for (let tries = 0; ; tries++) {
    const path = await deps.paths.get(bot, locator.fileId, signal);
    try {
      const parts = isAbsolute(path)
        ? await openDisk(deps, path, locator, range, signal)
        : await openUrl(deps, bot, path, locator, range, signal);
      return await startReading(parts);
    } catch (error) {
      signal.throwIfAborted();
      const refusal = toRefusal(error, bot);
      const pauseMs = PAUSES_MS[tries];
      if (refusal.retryAfterMs === undefined || pauseMs === undefined) throw refusal;
      // Paths may expire before the documented hour.
      deps.paths.forget(bot, locator.fileId);
      await sleep(deps.clock, pauseMs, signal);
    }
  }
}

function toRefusal(error: unknown, bot: StorageBot): BlobRefusedError {
  if (error instanceof BlobRefusedError) return error;
  return new BlobRefusedError(redactSecrets(describeError(error), [bot.token]), { retryAfterMs: RETRY_MS });
}

async function openUrl(
  deps: ReadDeps,
  bot: StorageBot,
  path: string,
  { sizeBytes }: ChannelLocator,
  range: ReadRange,
  signal: AbortSignal,
): Promise<AsyncGenerator<Buffer, void>> {
  const response = await openHttp(deps, {
    method: 'GET',
    url: `${deps.apiRoot}/file/bot${bot.token}/${path.split('/').map(encodeURIComponent).join('/')}`,
    headers: { range: `bytes=${range.offset}-${range.offset + range.length - 1}`, 'accept-encoding': 'identity' },
    timeouts: TIMEOUTS,
    signal,
  });
  try {
    const skipBytes = checkAnswer(response, sizeBytes, range);
    const endsThere = response.status === 206 || range.offset + range.length === sizeBytes;
    return readExactly(response, { skipBytes, length: range.length, endsThere }, (error) => {
      signal.throwIfAborted();
      return toRefusal(error, bot);
    });
  } catch (error) {
    response.close();
    throw error;
  }
}

/** Returns how many bytes to skip, since servers may ignore a range request. @throws BlobRefusedError */
function checkAnswer({ status, headers }: HttpResponse, sizeBytes: number, { offset }: ReadRange): number {
  if (status === 206) {
    const contentRange = headers['content-range'];
    const [, start, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(contentRange ?? '') ?? [];
    if (Number(start) !== offset || (total !== '*' && Number(total) !== sizeBytes))
      throw unreadable(`another part of the file came: ${contentRange ?? 'unknown'}`);
    return 0;
  }
  if (status !== 200) throw unreadable(`the file server answered ${status}`);
  const length = headers['content-length'];
  if (length !== undefined && Number(length) !== sizeBytes)
    throw unreadable(`the file has ${length} bytes instead of ${sizeBytes}`);
  return offset;
}

/** Opens the file of a self-hosted Bot API server with `--local`, whose folder must be mounted here. */
async function openDisk(
  { mayReadDisk }: ReadDeps,
  path: string,
  { sizeBytes }: ChannelLocator,
  { offset, length }: ReadRange,
  signal: AbortSignal,
): Promise<AsyncGenerator<Buffer, void>> {
  if (!mayReadDisk) throw new BlobRefusedError('Telegram answered with a path of a local disk');
  const { size } = await stat(path).catch((error: unknown) => {
    throw unreadable(`the Bot API server runs with --local, but its file can't be read here: ${describeError(error)}`);
  });
  if (size !== sizeBytes) throw unreadable(`the file has ${size} bytes instead of ${sizeBytes}`);
  return readDisk(path, offset, length, signal);
}

async function* readDisk(
  path: string,
  offset: number,
  length: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void> {
  const stream = createReadStream(path, { start: offset, end: offset + length - 1, signal });
  let left = length;
  try {
    for await (const part of stream) {
      const bytes: Buffer = part;
      left -= bytes.length;
      yield bytes;
      releaseBuffer(bytes);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw unreadable(describeError(error));
  } finally {
    stream.destroy();
  }
  if (left > 0) throw unreadable(`the file broke off, ${left} bytes are missing`);
}

/**
 * Waits for the first bytes, so that a failed request rejects here. Afterwards ending the iteration closes the source.
 */
async function startReading(parts: AsyncGenerator<Buffer, void>): Promise<AsyncIterable<Buffer>> {
  let first: IteratorResult<Buffer, void> | undefined = await parts.next();
  const iterator: AsyncIterator<Buffer, void> = {
    async next() {
      const result = first ?? (await parts.next());
      first = undefined;
      return result;
    },
    return: () => parts.return(),
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

function unreadable(reason: string): BlobRefusedError {
  return new BlobRefusedError(reason, { retryAfterMs: RETRY_MS });
}
