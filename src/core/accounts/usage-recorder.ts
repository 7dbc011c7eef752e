import type { Database } from '../../database/connect.ts';
import { usage } from '../../database/schema/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';

/** One generation, for the books. */
export interface UsageEntry {
  readonly replyId: string | undefined;
  readonly personId: number;
  readonly keyId: number | undefined;
  readonly kind: 'chat';
  readonly model: string;
  readonly provider: string;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly isEstimated: boolean;
  readonly finishReason: string | undefined;
  readonly durationMs: number;
}

export interface UsageRecorder {
  /** Takes note without waiting for the database. */
  record(entry: UsageEntry): void;
  /** Resolves when everything recorded so far is in the database, or could not be written. */
  flush(): Promise<void>;
  /** Writes what is left; nothing is recorded after. */
  close(): Promise<void>;
}

const FLUSH_EVERY_MS = 500;
const BATCH_ROWS = 500;
/** Beyond this the oldest are dropped, with a word in the log: a database that is away for long must not eat the memory. */
const MAX_WAITING = 50_000;

/** Writes usage in batches, off the way of the answers: at most half a second of it is lost by kill -9, nothing by a regular end. */
export function createUsageRecorder(deps: {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
}): UsageRecorder {
  const waiting: (UsageEntry & { readonly createdAt: Date })[] = [];
  let cancelTimer: (() => void) | undefined;
  let writing: Promise<void> | undefined;

  const schedule = () => {
    cancelTimer ??= deps.clock.setTimer(FLUSH_EVERY_MS, () => {
      cancelTimer = undefined;
      void flush();
    });
  };
  const write = async () => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH_ROWS);
      try {
        await deps.db.insert(usage).values(batch);
        waiting.splice(0, batch.length);
      } catch (error) {
        deps.logger.error({ err: error, rows: waiting.length }, 'usage could not be written; it is tried again');
        schedule();
        return;
      }
    }
  };
  const flush = (): Promise<void> => {
    writing ??= write().finally(() => {
      writing = undefined;
    });
    return writing;
  };

  return {
    record(entry) {
      if (waiting.length >= MAX_WAITING && !writing) {
        waiting.shift();
        deps.logger.error('usage is dropped: the database has been away for too long');
      }
      waiting.push({ ...entry, createdAt: new Date(deps.clock.now()) });
      schedule();
    },
    flush,
    async close() {
      await writing;
      await flush();
      cancelTimer?.();
      cancelTimer = undefined;
    },
  };
}
