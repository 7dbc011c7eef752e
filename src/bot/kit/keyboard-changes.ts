import { sleep } from '../../lib/clock.ts';
import { classifyTelegramError } from '../../telegram/telegram-errors.ts';
import type { BotServices } from './services.ts';

/** Deferred changes of buttons below existing messages; all other calls have priority. */
export interface KeyboardChanges {
  /**
   * Schedules a change for when the rate limit allows; returns at once. Of several changes with the same key the newest
   * counts.
   * @param change makes calls that are dropped rather than delayed, and is repeated after a drop.
   */
  make(key: string, change: () => Promise<unknown>): void;
  /** Discards pending changes. Resolves when no call is in flight. */
  close(): Promise<void>;
}

/** Maximum number of attempts; then the buttons stay as they are. */
const MAX_TRIES = 20;
const LONGEST_PAUSE_MS = 10_000;
const SHORTEST_PAUSE_MS = 250;
const MAX_CHANGES = 1000;

export function createKeyboardChanges(services: BotServices): KeyboardChanges {
  const pendingChanges = new Map<string, () => Promise<unknown>>();
  const running = new Set<Promise<void>>();
  const closing = new AbortController();

  /** @returns the delay before another attempt; undefined if there should be none. */
  const tryOnce = async (change: () => Promise<unknown>): Promise<number | undefined> => {
    try {
      await change();
      return undefined;
    } catch (error) {
      const failure = classifyTelegramError(error);
      if (failure.kind === 'dropped' && failure.reason !== 'closed') return failure.retryAfterMs;
      if (failure.kind !== 'not-modified')
        services.logger.debug({ err: error }, 'buttons below a message could not be changed');
      return undefined;
    }
  };

  const run = async (key: string) => {
    let change = pendingChanges.get(key);
    for (let tries = 1; change && tries <= MAX_TRIES && !closing.signal.aborted; tries++) {
      const pauseMs = await tryOnce(change);
      if (pauseMs === undefined && pendingChanges.get(key) === change) break;
      const delayMs = Math.min(Math.max(pauseMs ?? 0, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);
      await sleep(services.clock, delayMs, closing.signal).catch(() => {});
      change = pendingChanges.get(key);
    }
    pendingChanges.delete(key);
  };

  return {
    make(key, change) {
      const isRunning = pendingChanges.has(key);
      if (closing.signal.aborted || (!isRunning && pendingChanges.size >= MAX_CHANGES)) return;
      pendingChanges.set(key, change);
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
