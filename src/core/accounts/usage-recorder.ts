import type { Database } from '../../database/connect.ts';
import { usage } from '../../database/schema/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { describeError } from '../../lib/describe-error.ts';
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
const RETRY_AFTER_MS = 5000;
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

  const schedule = (delayMs: number) => {
    cancelTimer ??= deps.clock.setTimer(delayMs, () => {
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
        const reason = describeError(error);
        deps.logger.error({ reason, rows: waiting.length }, 'usage could not be written; it is tried again');
        schedule(RETRY_AFTER_MS);
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
      waiting.push({ ...toStorable(entry), createdAt: new Date(deps.clock.now()) });
      schedule(FLUSH_EVERY_MS);
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

/** Providers say anything, and one row that Postgres refuses would hold up all that wait with it. */
function toStorable(entry: UsageEntry): UsageEntry {
  return {
    ...entry,
    replyId: entry.replyId === undefined ? undefined : toStorableText(entry.replyId),
    model: toStorableText(entry.model),
    finishReason: entry.finishReason === undefined ? undefined : toStorableText(entry.finishReason),
    promptTokens: toCount(entry.promptTokens),
    completionTokens: toCount(entry.completionTokens),
    durationMs: toCount(entry.durationMs),
  };
}

const MAX_TEXT_LENGTH = 500;
/** The largest number of Postgres's `integer`. */
const MAX_COUNT = 2_147_483_647;

function toStorableText(text: string): string {
  return text.slice(0, MAX_TEXT_LENGTH).replaceAll('\u0000', '');
}

function toCount(value: number): number {
  return Number.isNaN(value) ? 0 : Math.round(Math.min(Math.max(value, 0), MAX_COUNT));
}
