import { sql } from 'drizzle-orm';
import { toBigintArray } from '../../database/bigint-array.ts';
import type { Database } from '../../database/connect.ts';
import { people, USAGE_NUMBERS_AT_ONCE, usage } from '../../database/schema/index.ts';
import { toStorableText } from '../../database/storable.ts';
import type { Clock } from '../../lib/clock.ts';
import { describeError } from '../../lib/describe-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { noObserver, type Observer, observe } from '../../lib/observer.ts';

/** One generation, for the books. */
export interface UsageEntry {
  readonly replyId: string | undefined;
  readonly personId: number;
  readonly keyId: number | undefined;
  readonly kind: 'chat' | 'image' | 'transcription' | 'speech';
  readonly model: string;
  readonly provider: string;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Pictures that were made; 0 for text. */
  readonly pictureCount: number;
  /** US dollars; undefined where no price is known. */
  readonly costUsd?: number | undefined;
  readonly isEstimated: boolean;
  readonly finishReason: string | undefined;
  readonly durationMs: number;
}

export interface UsageRecorder {
  /** Takes note without waiting for the database. */
  record(entry: UsageEntry): void;
  /** Resolves when everything recorded so far is in the database, or could not be written. */
  flush(): Promise<void>;
  /** Entries that are not in the database yet. */
  waitingCount(): number;
  /** Writes what is left; nothing is recorded after. */
  close(): Promise<void>;
}

const FLUSH_EVERY_MS = 500;
const RETRY_AFTER_MS = 5000;
/** The embedded database works in this thread: so many rows hold up everybody else for about 3 ms. */
const EMBEDDED_BATCH_ROWS = 100;
/** Beyond this the oldest are dropped, with a word in the log: a database that is away for long must not eat the memory. */
const MAX_WAITING = 50_000;

/** Writes usage in batches, off the way of the answers: at most half a second of it is lost by kill -9, nothing by a regular end. */
export function createUsageRecorder(
  deps: {
    readonly db: Database;
    readonly clock: Clock;
    readonly logger: Logger;
    /** Sees each `database batch`. Default nobody. */
    readonly observer?: Observer | undefined;
  },
  /** Rows of one statement at most. Default 100. */
  { batchRows = EMBEDDED_BATCH_ROWS }: { readonly batchRows?: number | undefined } = {},
): UsageRecorder {
  const { observer = noObserver } = deps;
  const waiting: WaitingEntry[] = [];
  const numbers: FreeNumbers = { next: 0, end: 0 };
  let cancelTimer: (() => void) | undefined;
  let writing: Promise<void> | undefined;
  /** So many of those that wait are to be written now; who comes meanwhile waits for the next time. */
  let dueCount = 0;
  let isFailing = false;
  let isDropping = false;

  const schedule = (delayMs: number) => {
    cancelTimer ??= deps.clock.setTimer(delayMs, () => {
      cancelTimer = undefined;
      void flush();
    });
  };
  const unschedule = () => {
    cancelTimer?.();
    cancelTimer = undefined;
  };
  const write = async () => {
    while (dueCount > 0 && waiting.length > 0) {
      const batch = waiting.slice(0, Math.min(batchRows, dueCount));
      try {
        await observe(observer, 'database batch', { table: 'usage', rows: batch.length }, () =>
          insertAll(deps.db, batch, numbers),
        );
        waiting.splice(0, batch.length);
        dueCount -= batch.length;
        isFailing = false;
        isDropping = false;
        // The embedded database answers within the tick: between batches everybody else gets a turn.
        await new Promise((resolve) => setImmediate(resolve));
      } catch (error) {
        const reason = describeError(error);
        deps.logger.error({ reason, rows: waiting.length }, 'usage could not be written; it is tried again');
        isFailing = true;
        unschedule();
        schedule(RETRY_AFTER_MS);
        return;
      }
    }
  };
  const dropOldest = () => {
    // The first ones may be on their way to the database.
    waiting.splice(writing === undefined ? 0 : batchRows, 1);
    if (!isDropping) deps.logger.error('usage is dropped: the database has been away for too long');
    isDropping = true;
  };
  const flush = (): Promise<void> => {
    unschedule();
    dueCount = waiting.length;
    writing ??= write().finally(() => {
      writing = undefined;
      flushSoon();
    });
    return writing;
  };
  /** At once where there is enough for a statement: many rows at long intervals would hold up everybody else each time. */
  const flushSoon = () => {
    if (writing === undefined && waiting.length >= batchRows && !isFailing) void flush();
    else if (waiting.length > 0) schedule(FLUSH_EVERY_MS);
  };

  return {
    record(entry) {
      if (waiting.length >= MAX_WAITING) dropOldest();
      waiting.push({ entry, createdAt: deps.clock.now(), id: undefined });
      flushSoon();
    },
    flush,
    waitingCount: () => waiting.length,
    async close() {
      await writing;
      await flush();
      unschedule();
    },
  };
}

interface WaitingEntry {
  readonly entry: UsageEntry;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** The row's number, from the moment in which it is first written: a row whose confirmation was lost is not written twice. */
  id: number | undefined;
}

/**
 * A row by the names of its columns; JSON leaves out what is undefined. Providers say anything, and one row that Postgres refuses would
 * hold up all that wait with it.
 */
function toRow({ entry, createdAt, id }: WaitingEntry) {
  return {
    id,
    reply_id: entry.replyId === undefined ? undefined : toShortText(entry.replyId),
    person_id: entry.personId,
    key_id: entry.keyId,
    kind: entry.kind,
    model: toShortText(entry.model),
    provider: entry.provider,
    prompt_tokens: toCount(entry.promptTokens),
    completion_tokens: toCount(entry.completionTokens),
    picture_count: entry.pictureCount,
    cost_usd: toCost(entry.costUsd),
    is_estimated: entry.isEstimated,
    finish_reason: entry.finishReason === undefined ? undefined : toShortText(entry.finishReason),
    duration_ms: toCount(entry.durationMs),
    created_at: new Date(createdAt),
  };
}

/**
 * All rows in one parameter: a third of what a statement with twelve parameters a row costs to build and to parse. Somebody may have been
 * forgotten while their work went on: no row of theirs is written, and nobody is forgotten between the look and the writing.
 */
async function insertAll(db: Database, entries: readonly WaitingEntry[], numbers: FreeNumbers): Promise<void> {
  await giveNumbers(db, entries, numbers);
  const rows = entries.map(toRow);
  const columns = Object.keys(rows[0] ?? {});
  const names = sql.raw(columns.join(', '));
  const values = sql.raw(columns.map((name) => `made.${name}`).join(', '));
  const personIds = new Set(entries.map(({ entry }) => entry.personId));
  await db.execute(sql`
    with there as (select id from ${people} where id = any(${toBigintArray([...personIds])}) for key share)
    insert into ${usage} (${names}) overriding system value
    select ${values} from json_populate_recordset(null::${usage}, ${JSON.stringify(rows)}::json) made
    where person_id in (select id from there)
    on conflict (id) do nothing`);
}

/** Numbers of rows to come, from `next` to before `end`. What is left of them when the process ends is lost. */
interface FreeNumbers {
  next: number;
  end: number;
}

async function giveNumbers(db: Database, entries: readonly WaitingEntry[], numbers: FreeNumbers): Promise<void> {
  for (const entry of entries) {
    if (entry.id !== undefined) continue;
    if (numbers.next === numbers.end) {
      const first = sql<string>`nextval(pg_get_serial_sequence('usage', 'id'))`;
      const [row] = await db.select({ first }).from(sql`(select) as one`);
      numbers.next = Number(row?.first);
      numbers.end = numbers.next + USAGE_NUMBERS_AT_ONCE;
    }
    entry.id = numbers.next++;
  }
}

const MAX_TEXT_LENGTH = 500;
/** The largest number of Postgres's `integer`. */
const MAX_COUNT = 2_147_483_647;

function toShortText(text: string): string {
  return toStorableText(text.slice(0, MAX_TEXT_LENGTH));
}

function toCount(value: number): number {
  return Number.isNaN(value) ? 0 : Math.round(Math.min(Math.max(value, 0), MAX_COUNT));
}

/** The column has nine digits before the point. */
function toCost(value: number | undefined): number | undefined {
  return value === undefined || Number.isNaN(value) ? undefined : Math.min(Math.max(value, 0), 999_999_999);
}
