/** Connection errors of the driver `postgres`. */
const DRIVER_CODES = /^CONNECT(?:ION_(?:CLOSED|ENDED|DESTROYED)|_TIMEOUT)$/;
/** Connection errors of the system. */
const NETWORK_CODES = /^E(?:CONNREFUSED|CONNRESET|CONNABORTED|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN|TIMEDOUT|PIPE)$/;
/**
 * Errors of Postgres by SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html): no connection,
 * shutting down or starting, too many connections, a read-only standby, a statement timeout, a transaction left idle.
 */
const SERVER_CODES = /^(?:08...|57P0[1-5]|53300|25006|25P03|57014)$/;

/** Returns true if an error means that a Postgres server is temporarily unavailable, so that a retry may succeed. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError && error.errors.some(isDatabaseAway)) return true;
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  if ([DRIVER_CODES, NETWORK_CODES, SERVER_CODES].some((codes) => codes.test(code))) return true;
  // The socket file of a local server does not exist.
  return (code === 'ENOENT' && syscall === 'connect') || isDatabaseAway(error.cause);
}
