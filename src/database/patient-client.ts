import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import { createServerClient, type ServerClient } from './server-client.ts';

/** Thrown when the server does not respond to a statement, which it may have executed or not. */
class DatabaseSilentError extends Error {
  override readonly name = 'DatabaseSilentError';
  /** A code that `isDatabaseAway` recognizes. */
  readonly code = 'ETIMEDOUT';
  constructor() {
    super('The database does not answer');
  }
}

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
  /** Maximum time for which a statement may wait in the queue, including its execution. */
  readonly longestWaitMs: number;
}

/** The server cancels longer statements, so a healthy connection has received something by then. */
const STATEMENT_TIMEOUT_MS = 30_000;
const PATIENCE: Patience = {
  unresponsiveAfterMs: 5000,
  lostAfterMs: STATEMENT_TIMEOUT_MS + 5000,
  longestWaitMs: 120_000,
};
const PROBE_TIMEOUT_MS = 5000;
const END_TIMEOUT_MS = 5000;

/**
 * Creates a connection pool on which no statement waits forever. A server can be silent while its connections remain
 * open: packets get lost, a proxy has no backend, a firewall has dropped a connection.
 *
 * After 5 s without a response the server is probed over a new connection. If the probe fails within 5 s, the whole
 * pool is dropped, all waiting statements fail, and the next statement opens a new pool. If it succeeds, only
 * connections that have been silent for longer than any statement may take are closed; statements that are merely
 * queued keep waiting for up to two minutes. Statements that had started may have been executed, as after any
 * connection loss.
 */
export function createPatientClient(
  url: string,
  { maxConnections, prepare, patience = PATIENCE }: PatientClientOptions,
): PatientClient {
  const open = (): Pool => {
    const client = createServerClient(url, {
      max: maxConnections,
      idle_timeout: 60,
      connection: { application_name: 'switchboard', statement_timeout: STATEMENT_TIMEOUT_MS },
    });
    prepare(client.sql);
    return { ...client, waiting: new Set() };
  };
  let pool = open();
  let pingInFlight: Promise<boolean> | undefined;

  const isThere = () => {
    pingInFlight ??= isAnswering(url).finally(() => {
      pingInFlight = undefined;
    });
    return pingInFlight;
  };
  const giveUp = (silent: Pool) => {
    if (silent === pool) pool = open();
    for (const reject of silent.waiting) reject(new DatabaseSilentError());
    void silent.end(0);
  };
  const waitIn =
    (pool: Pool): WaitFor =>
    async (answer, forgo) => {
      const beganAt = performance.now();
      const silence = Promise.withResolvers<never>();
      let timer: NodeJS.Timeout | undefined;
      const unresponsive = async () => {
        const isAway = !(await isThere());
        if (!pool.waiting.has(silence.reject)) return;
        if (isAway) return giveUp(pool);
        const waitedMs = performance.now() - beganAt;
        const isSeen = pool.endSilent(patience.lostAfterMs);
        if (!isSeen && waitedMs >= patience.lostAfterMs) return giveUp(pool);
        if (waitedMs < patience.longestWaitMs) {
          timer = setTimeout(unresponsive, patience.unresponsiveAfterMs);
          return;
        }
        forgo();
        silence.reject(new DatabaseSilentError());
      };
      timer = setTimeout(unresponsive, patience.unresponsiveAfterMs);
      pool.waiting.add(silence.reject);
      try {
        return await Promise.race([answer, silence.promise]);
      } finally {
        clearTimeout(timer);
        pool.waiting.delete(silence.reject);
      }
    };

  const sql = new Proxy(pool.sql, {
    get: (_, name) => Reflect.get(watch(pool.sql, waitIn(pool)), name),
  });
  return { sql, close: () => pool.end(END_TIMEOUT_MS) };
}

interface Pool extends ServerClient {
  /** Reject functions of the waiting statements. */
  readonly waiting: Set<(error: Error) => void>;
}

/** @param forgo cancels the statement if it has not started, because its result is no longer needed. */
type WaitFor = <Value>(answer: Promise<Value>, forgo: () => void) => Promise<Value>;

/** Probes the server over a new connection, because the existing ones may be lost while the server is healthy. */
async function isAnswering(url: string): Promise<boolean> {
  const { sql, end } = createServerClient(url, { max: 1 });
  const isThere = sql`select 1`.then(
    () => true,
    () => false,
  );
  // The new connection may become silent as well.
  const patience = new AbortController();
  const isSilent = sleep(PROBE_TIMEOUT_MS, false, { signal: patience.signal }).catch(() => false);
  try {
    return await Promise.race([isThere, isSilent]);
  } finally {
    patience.abort();
    void end(0);
  }
}

/** Wraps the driver, or that of a transaction, so that every result is awaited by `waitFor`. */
function watch<Sql extends postgres.Sql | postgres.TransactionSql>(driver: Sql, waitFor: WaitFor): Sql {
  return new Proxy(driver, {
    get(target, name) {
      if (name === 'unsafe') {
        return (...statement: Parameters<postgres.Sql['unsafe']>) => watchAnswer(target.unsafe(...statement), waitFor);
      }
      if (name === 'savepoint' && 'savepoint' in target) {
        return (work: Work) => target.savepoint((inner) => work(watch(inner, waitFor)));
      }
      if (name === 'begin' && 'begin' in target) return (work: Work) => runTransaction(target, work, waitFor);
      return Reflect.get(target, name);
    },
  });
}

/** Wraps a query. The driver sends it only when it is awaited. */
function watchAnswer<Query extends Promise<unknown> & { cancel(): void }>(query: Query, waitFor: WaitFor): Query {
  const send = query.then.bind(query);
  const forgo = () => {
    // Canceling a query in flight opens a connection whose failure could not be caught.
    if (Reflect.get(query, 'state') === null) query.cancel();
  };
  return Object.assign(query, {
    // biome-ignore lint/suspicious/noThenProperty: it has one, and this is where answers are waited for.
    then: (...handlers: Parameters<Query['then']>) => waitFor(send(), forgo).then(...handlers),
  });
}

type Work = (transaction: postgres.TransactionSql) => unknown;

/** Runs a transaction. Its `begin` and `commit` statements are issued by the driver. */
async function runTransaction(sql: postgres.Sql, work: Work, waitFor: WaitFor): Promise<unknown> {
  const begun = Promise.withResolvers<void>();
  const worked = Promise.withResolvers<void>();
  let isForgone = false;
  const forgo = () => {
    isForgone = true;
  };
  const result = sql.begin(async (transaction) => {
    if (isForgone) throw new DatabaseSilentError();
    begun.resolve();
    try {
      return await work(watch(transaction, waitFor));
    } finally {
      worked.resolve();
    }
  });
  await waitFor(Promise.race([begun.promise, result]), forgo);
  await Promise.race([worked.promise, result]);
  return waitFor(result, forgo);
}
