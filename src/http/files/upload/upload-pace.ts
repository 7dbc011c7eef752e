import type { Clock } from '../../../lib/clock.ts';
import { cloudError } from '../cloud-error.ts';

/** Maximum silence of an upload, and the period over which it must average the minimum speed. */
const SILENCE_MS = 60_000;
const MIN_BYTES_PER_SECOND = 1024;

/** Enforces a minimum upload speed. Only the time spent waiting for the client counts. */
export type UploadPace = ReturnType<typeof createUploadPace>;

/** Creates the check of one upload. */
export function createUploadPace(clock: Clock) {
  const minBytes = (SILENCE_MS / 1000) * MIN_BYTES_PER_SECOND;
  let waitedMs = 0;
  let receivedBytes = 0;
  return {
    /**
     * Waits for data from the client.
     * @throws HttpError 408 if nothing arrives for `SILENCE_MS`, or less than 1 KiB a second within that time.
     */
    async wait<Value>(arriving: Promise<Value>): Promise<Value> {
      let silentMs = 0;
      for (;;) {
        const startedAt = clock.now();
        const arrived = await orLate(clock, arriving, SILENCE_MS - Math.max(silentMs, waitedMs));
        waitedMs += clock.now() - startedAt;
        silentMs += clock.now() - startedAt;
        if (!arrived && silentMs >= SILENCE_MS) throw tooSlow();
        if (waitedMs >= SILENCE_MS) {
          if (receivedBytes < minBytes) throw tooSlow();
          waitedMs = 0;
          receivedBytes = 0;
        }
        if (arrived) return arrived.value;
      }
    },
    /** Records received bytes. */
    record(sizeBytes: number): void {
      receivedBytes += sizeBytes;
    },
  };
}

/** Returns the awaited value, undefined after `delayMs`. */
async function orLate<Value>(
  clock: Clock,
  arriving: Promise<Value>,
  delayMs: number,
): Promise<{ readonly value: Value } | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const cancelTimer = clock.setTimer(Math.max(0, delayMs), () => resolve(undefined));
  try {
    return await Promise.race([arriving.then((value) => ({ value })), late]);
  } finally {
    cancelTimer();
  }
}

function tooSlow() {
  return cloudError(408, 'upload_too_slow', 'The file was sent too slowly.', { connection: 'close' });
}
