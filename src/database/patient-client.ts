import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import { createServerClient, type ServerClient } from './server-client.ts';

/** A statement was given to the server and is not answered: it may carry it out or not. */
class DatabaseSilentError extends Error {
  override readonly name = 'DatabaseSilentError';
  /** One of those by which `isDatabaseAway` knows it. */
  readonly code = 'ETIMEDOUT';
  constructor() {
    super('The database does not answer');
  }
}

export interface PatientClient {
  /** The driver, as Drizzle uses it: `unsafe` and `begin` are watched, nothing else. */
  readonly sql: postgres.Sql;
  /** Ends the connections; statements under way get five seconds. */
  close(): Promise<void>;
}

interface PatientClientOptions {
  readonly maxConnections: number;
  /** Tells each pool what it has to know before it is used. */
  readonly prepare: (sql: postgres.Sql) => void;
  /** Default: as below. */
  readonly patience?: Patience;
}

interface Patience {
  /** After so long without an answer, and again and again, the server is asked whether it is there at all. */
  readonly suspectAfterMs: number;
  /** A connection on which nothing comes for so long is lost. */
  readonly lostAfterMs: number;
  /** So long a statement may wait in line behind others, its own time included. */
  readonly longestWaitMs: number;
}

/** The server itself ends what takes longer: of a connection that is well something is heard by then. */
const STATEMENT_TIMEOUT_MS = 30_000;
const PATIENCE: Patience = {
  suspectAfterMs: 5000,
  lostAfterMs: STATEMENT_TIMEOUT_MS + 5000,
  longestWaitMs: 120_000,
};
const PROBE_TIMEOUT_MS = 5000;
const END_TIMEOUT_MS = 5000;

/**
 * A pool of connections on which no statement waits without end. A server can be silent while its connections stay open: packets get lost,
 * a proxy has nobody behind it, a firewall has forgotten a connection. So for whoever has waited for 5 s the server is asked over a fresh
 * connection. Where that is not answered within 5 s either, all connections are given up with everything that waits for them, and whoever
 * asks next opens new ones. Where it is, only connections are that have been silent for longer than any statement may take; what merely
 * waits behind others goes on waiting, for two minutes at most. Statements that had begun may have been carried out, as after any lost connection.
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
  let asking: Promise<boolean> | undefined;

  const isThere = () => {
    asking ??= isAnswering(url).finally(() => {
      asking = undefined;
    });
    return asking;
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
      const suspect = async () => {
        const isAway = !(await isThere());
        if (!pool.waiting.has(silence.reject)) return;
        if (isAway) return giveUp(pool);
        const waitedMs = performance.now() - beganAt;
        const isSeen = pool.endSilent(patience.lostAfterMs);
        if (!isSeen && waitedMs >= patience.lostAfterMs) return giveUp(pool);
        if (waitedMs < patience.longestWaitMs) {
          timer = setTimeout(suspect, patience.suspectAfterMs);
          return;
        }
        forgo();
        silence.reject(new DatabaseSilentError());
      };
      timer = setTimeout(suspect, patience.suspectAfterMs);
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
  /** Who waits for an answer, and can be told that there will be none. */
  readonly waiting: Set<(error: Error) => void>;
}

/** @param forgo takes back what is to be answered, as far as it has not begun: nobody waits for it any more. */
type WaitFor = <Value>(answer: Promise<Value>, forgo: () => void) => Promise<Value>;

/** Over a connection of its own: those that there are may be lost while the server is well. */
async function isAnswering(url: string): Promise<boolean> {
  const { sql, end } = createServerClient(url, { max: 1 });
  const isThere = sql`select 1`.then(
    () => true,
    () => false,
  );
  // It may fall silent as well, once it is open.
  const patience = new AbortController();
  const isSilent = sleep(PROBE_TIMEOUT_MS, false, { signal: patience.signal }).catch(() => false);
  try {
    return await Promise.race([isThere, isSilent]);
  } finally {
    patience.abort();
    void end(0);
  }
}

/** The driver, or that of a transaction, with every answer waited for by `waitFor`. */
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

/** What the driver gives is sent to the server only when somebody waits for it. */
function watchAnswer<Query extends Promise<unknown> & { cancel(): void }>(query: Query, waitFor: WaitFor): Query {
  const send = query.then.bind(query);
  const forgo = () => {
    // Once it is sent, taking it back opens a connection whose failure nobody could catch.
    if (Reflect.get(query, 'state') === null) query.cancel();
  };
  return Object.assign(query, {
    // biome-ignore lint/suspicious/noThenProperty: it has one, and this is where answers are waited for.
    then: (...handlers: Parameters<Query['then']>) => waitFor(send(), forgo).then(...handlers),
  });
}

type Work = (transaction: postgres.TransactionSql) => unknown;

/** The statements that begin and end a transaction are the driver's own. */
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
