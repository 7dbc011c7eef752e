import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { hasErrorCode } from '../errors/describe-error.ts';
import type { Logger } from '../log/logger.ts';
import { lockDirectory } from './directory-lock.ts';
import { makeDirectory } from './make-directory.ts';

/** Minimum interval between two writes. */
const SAVE_INTERVAL_MS = 2000;

/** State of one process in a file, rewritten some time after each change. */
export interface StateFile {
  /** Returns the parsed content, undefined if there is none. A file that can't be parsed is renamed and logged. */
  read<State>(parse: (text: string) => State): Promise<State | undefined>;
  /** Schedules a write of the result of `serialize`. The latest call wins. */
  save(serialize: () => string): void;
  /** Writes pending changes and releases the directory. */
  close(): Promise<void>;
}

/**
 * Opens a state file in a directory that only this process may use. If another process has locked the directory,
 * nothing is read or stored. Read and write failures are only logged.
 */
export async function openStateFile(
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
  { directory, name, maxBytes }: { readonly directory: string; readonly name: string; readonly maxBytes: number },
): Promise<StateFile> {
  const path = join(directory, name);
  const unlock = await lock(directory).catch((err: unknown) => {
    logger.warn({ err, path }, 'state cannot be saved: it is lost when the process ends');
    return undefined;
  });
  if (!unlock) return { read: async () => undefined, save: () => {}, close: async () => {} };

  let pending: (() => string) | undefined;
  let cancelTimer: (() => void) | undefined;
  let isClosed = false;
  let writing = Promise.resolve();
  const write = () => {
    cancelTimer = undefined;
    const serialize = pending;
    pending = undefined;
    if (!serialize) return;
    writing = writing
      .then(() => replaceFile(path, serialize()))
      .catch((err: unknown) => logger.warn({ err, path }, 'state could not be saved'));
  };
  return {
    async read(parse) {
      try {
        const { size } = await stat(path);
        if (size > maxBytes) throw new RangeError(`the file has more than ${maxBytes} bytes`);
        return parse(await readFile(path, 'utf8'));
      } catch (err) {
        if (hasErrorCode(err, 'ENOENT')) return undefined;
        const setAside = `${path}.damaged`;
        logger.warn({ err, path: setAside }, 'state is damaged: the file was set aside, starting empty');
        await rename(path, setAside).catch(() => undefined);
        return undefined;
      }
    },
    save(serialize) {
      if (isClosed) return;
      pending = serialize;
      cancelTimer ??= clock.setTimer(SAVE_INTERVAL_MS, write);
    },
    async close() {
      isClosed = true;
      cancelTimer?.();
      write();
      await writing;
      await unlock();
    },
  };
}

async function lock(directory: string): Promise<() => Promise<void>> {
  await makeDirectory(directory);
  return lockDirectory(directory);
}

/** Replaces a file atomically. */
async function replaceFile(path: string, text: string): Promise<void> {
  const next = `${path}.next`;
  await writeFile(next, text, { mode: 0o600, flush: true });
  await rename(next, path);
}
