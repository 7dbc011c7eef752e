import { randomUUID } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { toBigintArray } from '../../database/expressions.ts';
import { forgottenUsers, usage, users } from '../../database/schema/index.ts';
import { toStorableText } from '../../database/storable.ts';
import type { Clock } from '../../lib/clock.ts';
import { toNineDecimals } from '../../lib/dollars.ts';
import { describeError } from '../../lib/errors/describe-error.ts';
import type { Logger } from '../../lib/log/logger.ts';
import { noObserver, type Observer, observe } from '../../lib/log/observer.ts';

/** Dependencies of what reads the usage ledger. */
export interface LedgerReaderDeps {
  readonly db: Database;
  readonly clock: Clock;
  /** Writes entries that wait, so that they are read. */
  readonly recorder: Pick<UsageRecorder, 'flush'>;
}

type UsageKind = (typeof usage.kind.enumValues)[number];

/** An entry of the usage ledger: one generation. */
export interface UsageEntry {
  readonly replyId: string | undefined;
  readonly userId: number;
  readonly keyId: number | undefined;
  /** Telegram id of the chat that asked; undefined for the API. */
  readonly chatId?: number | undefined;
  readonly kind: UsageKind;
  readonly model: string;
  readonly provider: string;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Parts of the tokens; undefined if the provider does not report them. */
  readonly cachedTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
  readonly reasoningTokens?: number | undefined;
  readonly audioInputTokens?: number | undefined;
  readonly audioOutputTokens?: number | undefined;
  /** Duration of transcribed or spoken audio; undefined if it is not known. */
  readonly audioSeconds?: number | undefined;
  /** Characters read aloud. */
  readonly characters?: number | undefined;
  /** Generated images; 0 for text. */
  readonly imageCount: number;
  /** US dollars; undefined if no price is known. */
  readonly costUsd?: number | undefined;
  readonly isEstimated: boolean;
  readonly finishReason: string | undefined;
  readonly durationMs: number;
}

/** A row of the usage ledger by column names. */
export type UsageRow = Readonly<Record<string, unknown>>;

export interface UsageRecorder {
  /**
   * Records an entry without waiting for the database.
   * @param write writes the row instead, by columns, for example together with another one.
   */
  record(entry: UsageEntry, write?: ((row: UsageRow) => void) | undefined): void;
  /** Resolves when all recorded entries are in the database, or writing them has failed. */
  flush(): Promise<void>;
  /** Number of entries not yet written. */
  waitingCount(): number;
  /** Writes the remaining entries. No entry may be recorded afterwards. */
  close(): Promise<void>;
}

const FLUSH_EVERY_MS = 500;
const RETRY_AFTER_MS = 5000;
/** The embedded database runs in this thread: a batch of this size blocks it for about 3 ms. */
const EMBEDDED_BATCH_ROWS = 100;
/**
 * Above this number the oldest entries are dropped, which is logged: bounds memory while the database is unavailable.
 */
const MAX_WAITING = 50_000;

export interface UsageRecorderDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Observes each `database batch`. Default: none. */
  readonly observer?: Observer | undefined;
}

export interface UsageRecorderOptions {
  /** Maximum number of rows in one statement. Default 100. */
  readonly batchRows?: number | undefined;
}

/**
 * Creates a recorder that writes usage in batches, outside the request path. `kill -9` loses at most half a second of
 * entries, a regular shutdown none.
 */
export function createUsageRecorder(deps: UsageRecorderDeps, options: UsageRecorderOptions = {}): UsageRecorder {
  return new DatabaseUsageRecorder(deps, options);
}

class DatabaseUsageRecorder implements UsageRecorder {
  readonly #deps: UsageRecorderDeps;
  readonly #batchRows: number;
  readonly #waiting: WaitingEntry[] = [];
  #cancelTimer: (() => void) | undefined;
  #writing: Promise<void> | undefined;
  /** Number of waiting entries to write now; entries recorded meanwhile wait for the next flush. */
  #dueCount = 0;
  #isFailing = false;
  #isDropping = false;

  constructor(deps: UsageRecorderDeps, { batchRows = EMBEDDED_BATCH_ROWS }: UsageRecorderOptions) {
    this.#deps = deps;
    this.#batchRows = batchRows;
  }

  record(entry: UsageEntry, write?: (row: UsageRow) => void): void {
    if (write) {
      write(toUsageRow(entry, this.#deps.clock.now()));
      return;
    }
    if (this.#waiting.length >= MAX_WAITING) this.#dropOldest();
    this.#waiting.push({ entry, createdAt: this.#deps.clock.now(), id: randomUUID() });
    this.#flushSoon();
  }

  flush(): Promise<void> {
    this.#unschedule();
    this.#dueCount = this.#waiting.length;
    this.#writing ??= this.#writeDue().finally(() => {
      this.#writing = undefined;
      this.#flushSoon();
    });
    return this.#writing;
  }

  waitingCount(): number {
    return this.#waiting.length;
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.flush();
    this.#unschedule();
  }

  /**
   * Flushes at once if a batch is full: writing many rows at long intervals would block the thread longer each time.
   */
  #flushSoon(): void {
    if (this.#writing === undefined && this.#waiting.length >= this.#batchRows && !this.#isFailing) void this.flush();
    else if (this.#waiting.length > 0) this.#schedule(FLUSH_EVERY_MS);
  }

  async #writeDue(): Promise<void> {
    while (this.#dueCount > 0 && this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, Math.min(this.#batchRows, this.#dueCount));
      try {
        await this.#write(batch);
      } catch (error) {
        this.#afterFailure(error);
        return;
      }
      this.#waiting.splice(0, batch.length);
      this.#dueCount -= batch.length;
      this.#isFailing = false;
      this.#isDropping = false;
      // The embedded database resolves without yielding to the event loop: yield between batches.
      await yieldToEventLoop();
    }
  }

  async #write(batch: readonly WaitingEntry[]): Promise<void> {
    const { db, observer = noObserver } = this.#deps;
    await observe(observer, 'database batch', { table: 'usage', rows: batch.length }, () => insertAll(db, batch));
  }

  #afterFailure(error: unknown): void {
    const reason = describeError(error);
    this.#deps.logger.error({ reason, rows: this.#waiting.length }, 'usage could not be written; retrying');
    this.#isFailing = true;
    this.#unschedule();
    this.#schedule(RETRY_AFTER_MS);
  }

  #dropOldest(): void {
    // The first entries may be in the batch that is being written.
    this.#waiting.splice(this.#writing === undefined ? 0 : this.#batchRows, 1);
    if (!this.#isDropping) this.#deps.logger.error('usage is dropped: the database has been unavailable for too long');
    this.#isDropping = true;
  }

  #schedule(delayMs: number): void {
    this.#cancelTimer ??= this.#deps.clock.setTimer(delayMs, () => {
      this.#cancelTimer = undefined;
      void this.flush();
    });
  }

  #unschedule(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }
}

/** Returns a new row of the ledger for an entry. */
export function toUsageRow(entry: UsageEntry, createdAt: number): UsageRow {
  return toRow({ entry, createdAt, id: randomUUID() });
}

interface WaitingEntry {
  readonly entry: UsageEntry;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly id: string;
}

/**
 * Returns a row by column names; JSON omits undefined values. Values from providers are clamped, because one row that
 * Postgres rejects would fail its whole batch.
 */
function toRow({ entry, createdAt, id }: WaitingEntry) {
  return {
    id,
    reply_id: entry.replyId === undefined ? undefined : toShortText(entry.replyId),
    user_id: entry.userId,
    key_id: entry.keyId,
    chat_id: entry.chatId,
    kind: entry.kind,
    model: toShortText(entry.model),
    provider: entry.provider,
    prompt_tokens: toCount(entry.promptTokens),
    completion_tokens: toCount(entry.completionTokens),
    cached_tokens: toOptionalCount(entry.cachedTokens),
    cache_write_tokens: toOptionalCount(entry.cacheWriteTokens),
    reasoning_tokens: toOptionalCount(entry.reasoningTokens),
    audio_input_tokens: toOptionalCount(entry.audioInputTokens),
    audio_output_tokens: toOptionalCount(entry.audioOutputTokens),
    audio_seconds: toSeconds(entry.audioSeconds),
    characters: toOptionalCount(entry.characters),
    image_count: entry.imageCount,
    cost_usd: toCost(entry.costUsd),
    is_estimated: entry.isEstimated,
    finish_reason: entry.finishReason === undefined ? undefined : toShortText(entry.finishReason),
    duration_ms: toCount(entry.durationMs),
    created_at: new Date(createdAt),
  };
}

/**
 * Inserts all rows from one JSON parameter, which costs a third of a statement with a parameter per value. Rows of
 * users deleted meanwhile are skipped, and those of generations that began before the user's data was deleted. `for key
 * share` prevents a deletion between the check and the insert.
 */
async function insertAll(db: Database, entries: readonly WaitingEntry[]): Promise<void> {
  const rows = entries.map(toRow);
  const columns = Object.keys(rows[0] ?? {});
  const names = sql.raw(columns.join(', '));
  const values = sql.raw(columns.map((name) => `made.${name}`).join(', '));
  const userIds = new Set(entries.map(({ entry }) => entry.userId));
  await db.execute(sql`
    with there as (select id from ${users} where id = any(${toBigintArray([...userIds])}) for key share)
    insert into ${usage} (${names})
    select ${values} from json_populate_recordset(null::${usage}, ${JSON.stringify(rows)}::json) made
    where user_id in (select id from there)
      and not exists (
        select from ${forgottenUsers} forgotten where forgotten.user_id = made.user_id
          and forgotten.forgotten_at >= made.created_at - made.duration_ms * interval '1 ms')
    on conflict (id) do nothing`);
}

const MAX_TEXT_LENGTH = 500;
/** Maximum of Postgres's `integer`. */
const MAX_COUNT = 2_147_483_647;

function toShortText(text: string): string {
  return toStorableText(text.slice(0, MAX_TEXT_LENGTH));
}

function toCount(value: number): number {
  return Number.isNaN(value) ? 0 : Math.round(Math.min(Math.max(value, 0), MAX_COUNT));
}

function toOptionalCount(value: number | undefined): number | undefined {
  return value === undefined ? undefined : toCount(value);
}

function toSeconds(value: number | undefined): number | undefined {
  return value === undefined || Number.isNaN(value) ? undefined : Math.min(Math.max(value, 0), MAX_COUNT);
}

function toCost(value: number | undefined): number | undefined {
  return value === undefined || Number.isNaN(value) ? undefined : toNineDecimals(Math.max(value, 0));
}
