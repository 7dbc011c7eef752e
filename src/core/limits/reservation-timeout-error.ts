/** Time that a reservation waits for the database. */
export const MAX_WAIT_MS = 10_000;

/** Thrown when the database has not made a reservation in time. Clients see it as an unavailable database. */
export class ReservationTimeoutError extends Error {
  override readonly name = 'ReservationTimeoutError';
  /** One of the codes that `isDatabaseAway` recognizes. */
  readonly code = 'ETIMEDOUT';
  constructor() {
    super('The database has not made the reservation in time');
  }
}
