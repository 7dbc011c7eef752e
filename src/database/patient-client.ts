import type postgres from 'postgres';
import { createServerClient, type ServerClient } from './server-client.ts';

export interface PatientClient {
  /** The driver as used by Drizzle. Only `unsafe` and `begin` are monitored. */
  readonly sql: postgres.Sql;
  /** Closes the connections; statements in flight get five seconds. */
  close(): Promise<void>;
}

interface PatientClientOptions {
  readonly maxConnections: number;
  /** Configures each new pool before its use. */
  readonly prepare: (sql: postgres.Sql) => void;
  /** Default: `PATIENCE`. */
  readonly patience?: Patience;
}

interface Patience {
  /** Time without a response after which the server is probed; repeated at this interval. */
  readonly unresponsiveAfterMs: number;
  /** Silence after which a connection counts as lost. */
  readonly lostAfterMs: number;
  /** Maximum time for which a statement may wait in the queue. */
  readonly longestWaitMs: number;
  /** Maximum pause between the statements of a transaction. */
  readonly longestPauseMs: number;
}

/** The server cancels longer statements, so a healthy connection has received something by then. */
const STATEMENT_TIMEOUT_MS = 30_000;
const PATIENCE: Patience = {
  unresponsiveAfterMs: 5000,
  lostAfterMs: STATEMENT_TIMEOUT_MS + 5000,
  longestWaitMs: 120_000,
  // Shorter than the lease of a process on its chats: one that is suspended in a transaction must not keep them locked.
  // Longer than it takes to find a silent server, which sees a pause as well.
  longestPauseMs: 12_000,
};
const PROBE_TIMEOUT_MS = 5000;
const END_TIMEOUT_MS = 5000;

/**
 * Creates a connection pool on which no statement waits forever. A server can be silent while its connections remain
 * open: packets get lost, a proxy has no backend, a firewall has dropped a connection.
 *
 * Each statement and each transaction that has waited for 5 s makes the server be probed over a new connection. Without
 * an answer the pool is replaced by a new one, and everything that waits for it fails. With an answer, only connections
 * that have been silent for longer than any statement may take are closed; what is merely queued keeps waiting for up
 * to two minutes. What had started may have been executed, as after any connection loss.
 */
export function createPatientClient(
  url: string,
  { maxConnections, prepare, patience = PATIENCE }: PatientClientOptions,
): PatientClient {
  const open = () => {
    const client = createServerClient(url, {
      max: maxConnections,
      idle_timeout: 60,
      connection: {
        application_name: 'switchboard',
        statement_timeout: STATEMENT_TIMEOUT_MS,
        idle_in_transaction_session_timeout: patience.longestPauseMs,
      },
    });
    prepare(client.sql);
    return client;
  };
  let pool = open();
  let probeInFlight: Promise<boolean> | undefined;

  /** Drops a pool: the driver fails what waits for it. */
  const drop = (silent: ServerClient) => {
    if (silent === pool) pool = open();
    void silent.end(0);
  };
  const probe = async (used: ServerClient) => {
    probeInFlight ??= isAnswering(url).finally(() => {
      probeInFlight = undefined;
    });
    if (!(await probeInFlight)) drop(used);
  };
  const watch: Watch = async (result, cancel) => {
    const used = pool;
    const beganAt = performance.now();
    const look = () => {
      timer = setTimeout(look, patience.unresponsiveAfterMs);
      const waitedMs = performance.now() - beganAt;
      if (waitedMs >= patience.longestWaitMs) cancel();
      used.endSilent(patience.lostAfterMs);
      // Only with several hosts: the driver opens their connections, which are not monitored.
      if (waitedMs >= patience.longestWaitMs + patience.lostAfterMs) drop(used);
      else void probe(used);
    };
    let timer = setTimeout(look, patience.unresponsiveAfterMs);
    try {
      return await result;
    } finally {
      clearTimeout(timer);
    }
  };

  const sql = new Proxy(pool.sql, {
    get(_, name) {
      const driver = pool.sql;
      if (name === 'unsafe')
        return (...statement: Parameters<postgres.Sql['unsafe']>) => watchQuery(driver.unsafe(...statement), watch);
      if (name === 'begin') return (work: Work) => runTransaction(driver, work, watch);
      return Reflect.get(driver, name);
    },
  });
  return { sql, close: () => pool.end(END_TIMEOUT_MS) };
}

/** Awaits a result. @param cancel makes it fail if it has not started; may be called several times. */
type Watch = <Value>(result: Promise<Value>, cancel: () => void) => Promise<Value>;

/** Returns whether the server answers over a new connection, because the existing ones may be lost. */
async function isAnswering(url: string): Promise<boolean> {
  const { sql, end } = createServerClient(url, { max: 1 });
  // The new connection may become silent as well. Its statement fails then.
  const timer = setTimeout(() => void end(0), PROBE_TIMEOUT_MS);
  try {
    await sql`select 1`;
    return true;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
    void end(0);
  }
}

/** Watches a query. The driver sends it only when it is awaited. */
function watchQuery<Query extends Promise<unknown> & { cancel(): void }>(query: Query, watch: Watch): Query {
  const send = query.then.bind(query);
  const cancel = () => {
    // Canceling a query in flight opens a connection whose failure could not be caught.
    if (Reflect.get(query, 'state') === null) query.cancel();
  };
  return Object.assign(query, {
    // biome-ignore lint/suspicious/noThenProperty: it has one, and this is where answers are waited for.
    then: (...handlers: Parameters<Query['then']>) => watch(send(), cancel).then(...handlers),
  });
}

/** Thrown when a transaction could not begin in time, or has lost its connection. It is never executed later. */
class DatabaseSilentError extends Error {
  override readonly name = 'DatabaseSilentError';
  /** A code that `isDatabaseAway` recognizes. */
  readonly code = 'ETIMEDOUT';
  constructor() {
    super('The database does not answer');
  }
}

type Work = (transaction: postgres.TransactionSql) => unknown;

/**
 * Runs a transaction, unless it can't begin in time. If its connection is lost between two statements, the driver would
 * send the next ones, and its own `rollback` or `commit`, over a connection that may have begun something else: they
 * are not sent.
 */
function runTransaction(sql: postgres.Sql, work: Work, watch: Watch): Promise<unknown> {
  const late = Promise.withResolvers<never>();
  let state: 'waiting' | 'begun' | 'late' | 'ended' = 'waiting';
  const isEnded = () => state === 'ended';
  const result = sql.begin(async (transaction) => {
    if (state === 'late') throw new DatabaseSilentError();
    state = 'begun';
    try {
      return await work(endWith(transaction, isEnded));
    } finally {
      // The driver waits for this before its last statement.
      if (isEnded()) await new Promise<never>(() => {});
    }
  });
  const end = () => {
    state = 'ended';
  };
  result.then(end, end);
  return watch(Promise.race([result, late.promise]), () => {
    if (state === 'begun') return;
    state = 'late';
    late.reject(new DatabaseSilentError());
  });
}

/** Returns a transaction that refuses statements as soon as it has ended. */
function endWith<Transaction extends postgres.TransactionSql>(
  transaction: Transaction,
  isEnded: () => boolean,
): Transaction {
  return new Proxy(transaction, {
    get(target, name) {
      if (name !== 'unsafe' && name !== 'savepoint') return Reflect.get(target, name);
      if (isEnded()) throw new DatabaseSilentError();
      if (name === 'unsafe') return target.unsafe;
      return (work: Work) => target.savepoint((inner) => work(endWith(inner, isEnded)));
    },
  });
}
