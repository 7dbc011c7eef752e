import { eq, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { messages, responses } from '../../database/schema/index.ts';
import { createCache } from '../../lib/async/cache.ts';
import type { Clock } from '../../lib/clock.ts';
import { storedBytes } from './read-turns.ts';

/** Thrown when a user has stored as much as is allowed. */
export class StoredBytesFullError extends Error {
  override readonly name = 'StoredBytesFullError';
  constructor(maxBytes: number) {
    const limit = `${Math.floor(maxBytes / 1024 / 1024)} MiB`;
    super(
      `Your stored responses and messages have ${limit}, which is the limit. Send "store": false, or delete some of them.`,
    );
  }
}

interface Count {
  bytes: number;
}

const MAX_USER_BYTES = 256 * 1024 * 1024;
const MAX_USERS = 10_000;
/** Time until changes of other processes and deletions in chats count. */
const COUNT_TTL_MS = 5 * 60_000;

/**
 * Counts what a user has stored by the Responses API: stored responses, and the user's messages in all conversations.
 * Parallel requests of one process never exceed the limit together.
 */
export class StoredBytes {
  readonly #db: Database;
  readonly #maxBytes: number;
  /** Sizes of what is stored, by user. */
  readonly #counts;
  /** Reserved bytes by user: they remain when what is stored is counted anew. */
  readonly #reserved = new Map<number, number>();

  /** @param maxBytes of one user. Default 256 MiB. */
  constructor({ db, clock }: { readonly db: Database; readonly clock: Clock }, maxBytes = MAX_USER_BYTES) {
    this.#db = db;
    this.#maxBytes = maxBytes;
    this.#counts = createCache<number, Promise<Count>>(clock, { max: MAX_USERS, ttlMs: COUNT_TTL_MS });
  }

  /**
   * Reserves space for what a request is going to store. @returns a function that gives it back, to be called once.
   * @throws StoredBytesFullError
   */
  async reserve(userId: number, bytes: number): Promise<() => void> {
    const count = await (this.#counts.get(userId) ?? this.#count(userId));
    const reserved = this.#reserved.get(userId) ?? 0;
    if (count.bytes + reserved + bytes > this.#maxBytes) throw new StoredBytesFullError(this.#maxBytes);
    this.#reserved.set(userId, reserved + bytes);
    return () => this.#giveBack(userId, bytes);
  }

  /** Counts what was stored. Does not fail: after a failure everything is counted anew. */
  async add(userId: number, bytes: number): Promise<void> {
    const count = await this.#counts.get(userId)?.catch(() => undefined);
    if (count) count.bytes += bytes;
  }

  /** Counts anew at the next reservation, because something was deleted. */
  recount(userId: number): void {
    this.#counts.delete(userId);
  }

  #giveBack(userId: number, bytes: number): void {
    const left = (this.#reserved.get(userId) ?? 0) - bytes;
    if (left > 0) this.#reserved.set(userId, left);
    else this.#reserved.delete(userId);
  }

  #count(userId: number): Promise<Count> {
    const counting = this.#read(userId);
    this.#counts.set(userId, counting);
    counting.catch(() => this.#counts.delete(userId));
    return counting;
  }

  /** Sizes of texts are read without the texts. */
  async #read(userId: number): Promise<Count> {
    const [stored] = await this.#db
      .select({ bytes: sql`coalesce(sum(${storedBytes}), 0)`.mapWith(Number) })
      .from(responses)
      .where(eq(responses.userId, userId));
    const [written] = await this.#db
      .select({ bytes: sql`coalesce(sum(octet_length(${messages.content})), 0)`.mapWith(Number) })
      .from(messages)
      .where(eq(messages.userId, userId));
    return { bytes: (stored?.bytes ?? 0) + (written?.bytes ?? 0) };
  }
}
