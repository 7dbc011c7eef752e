import { tooManyRequests } from '../api-error.ts';
import { type Clock, sleep } from '../clock.ts';
import type { Call } from './call.ts';

/**
 * Upload pacing of the hosted Bot API: files of one bot with the same size (above 100 kB) start one after another, size
 * x 100 ns apart, at least 0.2 s and at most 0.9 s. A backlog above 5 s is refused.
 * Source: `Client.cpp` of telegram-bot-api, where file uploads get their delays.
 */
export interface UploadPacing {
  /** Resolves when the upload may start. @throws ApiError 429; the signal's reason when it aborts. */
  wait(call: Call): Promise<void>;
}

const PACED_FROM_BYTES = 100_000;
const BURST_MS = 1000;
const LONGEST_BACKLOG_MS = 5000;

/** Creates upload pacing that runs on `clock`. */
export function createUploadPacing(clock: Clock): UploadPacing {
  const freeAtByQueue = new Map<string, number>();

  const reserve = (queue: string, delayMs: number): number => {
    const now = clock.now();
    for (const [key, freeAt] of freeAtByQueue) if (freeAt < now - BURST_MS) freeAtByQueue.delete(key);
    const freeAt = Math.max(freeAtByQueue.get(queue) ?? 0, now - BURST_MS) + delayMs;
    const waitMs = freeAt - now;
    if (waitMs > LONGEST_BACKLOG_MS) throw tooManyRequests(waitMs / 1000);
    freeAtByQueue.set(queue, freeAt);
    return Math.max(0, waitMs);
  };

  return {
    async wait({ bot, uploads, signal }) {
      const sizes = [...uploads.values()].map(({ bytes }) => bytes.length).filter((size) => size > PACED_FROM_BYTES);
      for (const size of sizes) {
        const delayMs = Math.min(Math.max(size * 1e-4, 200), 900);
        const waitMs = reserve(`${bot.id} ${size}`, delayMs);
        if (waitMs > 0) await sleep(clock, waitMs, signal);
      }
    },
  };
}
