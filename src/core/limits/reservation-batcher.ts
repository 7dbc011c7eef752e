import type { Database } from '../../database/connect.ts';
import { BatchLoader, BatchQueueFullError } from '../../lib/async/batch-loader.ts';
import type { Clock } from '../../lib/clock.ts';
import { describeError } from '../../lib/errors/describe-error.ts';
import { isDatabaseAway } from '../../lib/errors/is-database-away.ts';
import type { Logger } from '../../lib/log/logger.ts';
import type { SpentAmounts } from './budget-amounts.ts';
import { prepareReservations } from './limit-statements.ts';
import type {
  CheckedReservation,
  ReservationRequest,
  Settlement,
  WriteReservations,
  WrittenReservations,
} from './reservations.ts';

/** Time that a reservation waits for the database. */
export const MAX_WAIT_MS = 10_000;

/** A settlement, and a callback for what its scopes with a budget have spent with it. */
export interface PendingSettlement extends Settlement {
  readonly onWritten?: ((spent: Readonly<Record<string, SpentAmounts>>) => void) | undefined;
}

interface WaitingReservation {
  readonly request: ReservationRequest;
  readonly deadline: number;
}

/** Key that writes settlements without a reservation. */
const FLUSH = 'flush';
const NOT_RESERVED: CheckedReservation = { uses: {}, grantedUsd: null };

/** The embedded database runs in this thread: larger batches would block it for several milliseconds. */
const MAX_BATCH = 50;
const MAX_WAITING = 10_000;
/** Settlements not sent with a reservation within this time are written by themselves. */
const SETTLE_WITHIN_MS = 20;
const RETRY_MS = 2000;
/** Above this number the oldest settlements are dropped. */
const MAX_SETTLEMENTS = 50_000;

/**
 * Writes reservations and settlements, one statement at a time; requests that arrive meanwhile share the next one.
 * Settlements are applied before the reservations of their statement, so the quota they release can be reserved.
 */
export class ReservationBatcher {
  readonly #writeReservations: WriteReservations;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #loader: BatchLoader<WaitingReservation | typeof FLUSH, CheckedReservation>;
  /** Unconfirmed settlements by reservation id, the oldest first. */
  readonly #settlements = new Map<string, PendingSettlement>();
  #cancelFlush: (() => void) | undefined;

  constructor({ db, clock, logger }: { readonly db: Database; readonly clock: Clock; readonly logger: Logger }) {
    this.#writeReservations = prepareReservations(db);
    this.#clock = clock;
    this.#logger = logger;
    const bounds = { maxBatchSize: MAX_BATCH, maxInFlight: 1, maxWaiting: MAX_WAITING };
    this.#loader = new BatchLoader((batch) => this.#write(batch), bounds);
  }

  /** @throws database errors; an error recognized by `isDatabaseAway` after 10 s or if too many reservations wait. */
  async reserve(request: ReservationRequest): Promise<CheckedReservation> {
    const timeout = Promise.withResolvers<never>();
    let isTimedOut = false;
    const cancel = this.#clock.setTimer(MAX_WAIT_MS, () => {
      isTimedOut = true;
      timeout.reject(new ReservationTimeoutError());
    });
    const release = () => this.settle({ id: request.id, tokens: 0, images: 0, usd: 0 });
    const reserved = this.#loader.load({ request, deadline: this.#clock.now() + MAX_WAIT_MS }).then(
      (checked) => {
        if (isTimedOut) release();
        return checked;
      },
      (error: unknown) => {
        // The reservation may have been made although its answer is lost.
        if (!(error instanceof ReservationTimeoutError || error instanceof BatchQueueFullError)) release();
        throw error;
      },
    );
    return Promise.race([reserved, timeout.promise]).finally(cancel);
  }

  /**
   * Schedules a settlement, which is written once within milliseconds and retried while the database is unavailable.
   */
  settle(settlement: PendingSettlement): void {
    const [oldest] = this.#settlements.keys();
    if (oldest !== undefined && this.#settlements.size >= MAX_SETTLEMENTS) {
      this.#settlements.delete(oldest);
      this.#logger.error('usage is not counted against limits: the database has been unavailable for too long');
    }
    this.#settlements.set(settlement.id, settlement);
    this.#scheduleFlush(SETTLE_WITHIN_MS);
  }

  /**
   * Writes all pending settlements.
   * @throws database errors.
   */
  async flush(): Promise<void> {
    const last = [...this.#settlements.keys()].at(-1);
    while (last !== undefined && this.#settlements.has(last)) await this.#loader.load(FLUSH);
  }

  /** Writes all pending settlements and stops. */
  async close(): Promise<void> {
    await this.flush().catch((error: unknown) => this.#logFailure(error));
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
  }

  #scheduleFlush(delayMs: number): void {
    this.#cancelFlush ??= this.#clock.setTimer(delayMs, () => {
      this.#cancelFlush = undefined;
      this.flush().catch((error: unknown) => {
        this.#logFailure(error);
        this.#scheduleFlush(RETRY_MS);
      });
    });
  }

  #logFailure(error: unknown): void {
    this.#logger.error(
      { reason: describeError(error), settlements: this.#settlements.size },
      'usage could not be counted against limits; retrying',
    );
  }

  async #write(
    batch: readonly (WaitingReservation | typeof FLUSH)[],
  ): Promise<readonly (CheckedReservation | Error)[]> {
    const now = this.#clock.now();
    const isDue = (one: WaitingReservation | typeof FLUSH) => one !== FLUSH && one.deadline > now;
    const reservations = batch.flatMap((one) => (one !== FLUSH && isDue(one) ? [one.request] : []));
    const settlements = [...this.#settlements.values().take(MAX_BATCH)];
    const written = await this.#send(settlements, reservations);
    for (const { id, onWritten } of settlements) {
      this.#settlements.delete(id);
      onWritten?.(written.spent);
    }
    const answers = written.reservations.values();
    return batch.map((one) => {
      if (one === FLUSH) return NOT_RESERVED;
      return isDue(one) ? (answers.next().value ?? NOT_RESERVED) : new ReservationTimeoutError();
    });
  }

  async #send(
    settlements: readonly Settlement[],
    reservations: readonly ReservationRequest[],
  ): Promise<WrittenReservations> {
    if (settlements.length === 0 && reservations.length === 0) return { reservations: [], spent: {} };
    const send = () => this.#writeReservations(settlements, reservations, this.#clock.now());
    try {
      return await send();
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      // The connection may have been lost after the statement was executed. A repetition is safe because the ids are
      // idempotency keys.
      return send();
    }
  }
}

/** Thrown when the database has not made a reservation in time. Clients see it as an unavailable database. */
export class ReservationTimeoutError extends Error {
  override readonly name = 'ReservationTimeoutError';
  /** One of the codes that `isDatabaseAway` recognizes. */
  readonly code = 'ETIMEDOUT';
  constructor() {
    super('The database has not made the reservation in time');
  }
}
