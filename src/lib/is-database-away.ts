/** What the driver `postgres` says of connections. */
const DRIVER_CODES = /^CONNECT(?:ION_(?:CLOSED|ENDED|DESTROYED)|_TIMEOUT)$/;
/** What the system says of them. */
const NETWORK_CODES = /^E(?:CONNREFUSED|CONNRESET|CONNABORTED|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN|TIMEDOUT|PIPE)$/;
/**
 * What Postgres says, by SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html): no connection, shutting down or
 * starting, too many connections, a standby that takes no writes, a statement that has run out of time.
 */
const SERVER_CODES = /^(?:08...|57P0[1-5]|53300|25006|57014)$/;

/** Whether an error means that a Postgres server can't be asked now: the same question may be answered later. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError && error.errors.some(isDatabaseAway)) return true;
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  if ([DRIVER_CODES, NETWORK_CODES, SERVER_CODES].some((codes) => codes.test(code))) return true;
  // A server that listens on a file, and is not there.
  return (code === 'ENOENT' && syscall === 'connect') || isDatabaseAway(error.cause);
}
