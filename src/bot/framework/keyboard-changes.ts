import { type Clock, sleep } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { classifyTelegramError } from '../../telegram/telegram-errors.ts';

/** Changes of buttons below messages that stand already: nobody waits for them, so they give way to everything else. */
export interface KeyboardChanges {
  /**
   * Makes a change as soon as Telegram has room for it; returns at once. Of several with one key the newest counts.
   * @param change calls that are dropped rather than wait; made again after that.
   */
  make(key: string, change: () => Promise<unknown>): void;
  /** What is not made by now never will be. Resolves when no call is on its way. */
  close(): Promise<void>;
}

/** Where there is never room the buttons stay as they are. */
const MAX_TRIES = 20;
const LONGEST_PAUSE_MS = 10_000;
const SHORTEST_PAUSE_MS = 250;
const MAX_CHANGES = 1000;

export function createKeyboardChanges(deps: { readonly clock: Clock; readonly logger: Logger }): KeyboardChanges {
  const wanted = new Map<string, () => Promise<unknown>>();
  const running = new Set<Promise<void>>();
  const closing = new AbortController();

  /** @returns how long to wait for another try; undefined where none makes sense. */
  const tryOnce = async (change: () => Promise<unknown>): Promise<number | undefined> => {
    try {
      await change();
      return undefined;
    } catch (error) {
      const failure = classifyTelegramError(error);
      if (failure.kind === 'dropped' && failure.reason !== 'closed') return failure.retryAfterMs;
      if (failure.kind !== 'not-modified')
        deps.logger.debug({ err: error }, 'buttons below a message stay as they are');
      return undefined;
    }
  };

  const run = async (key: string) => {
    let change = wanted.get(key);
    for (let tries = 1; change && tries <= MAX_TRIES && !closing.signal.aborted; tries++) {
      const pauseMs = await tryOnce(change);
      if (pauseMs === undefined && wanted.get(key) === change) break;
      const delayMs = Math.min(Math.max(pauseMs ?? 0, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);
      await sleep(deps.clock, delayMs, closing.signal).catch(() => {});
      change = wanted.get(key);
    }
    wanted.delete(key);
  };

  return {
    make(key, change) {
      const isRunning = wanted.has(key);
      if (closing.signal.aborted || (!isRunning && wanted.size >= MAX_CHANGES)) return;
      wanted.set(key, change);
      if (isRunning) return;
      const end = run(key).finally(() => running.delete(end));
      running.add(end);
    },
    async close() {
      closing.abort();
      await Promise.all(running);
    },
  };
}
