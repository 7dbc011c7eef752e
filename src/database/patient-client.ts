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
}

/** The server itself ends what takes longer: whoever waits for more than that waits in vain. */
const STATEMENT_TIMEOUT_MS = 30_000;
const NO_ANSWER_AFTER_MS = STATEMENT_TIMEOUT_MS + 5000;
/** After so long without an answer the server is asked whether it is there at all. */
const SUSPECT_AFTER_MS = 5000;
const END_TIMEOUT_MS = 5000;

/**
 * A pool of connections on which no statement waits without end. A server can be silent while its connections stay open: packets get lost,
 * a proxy has nobody behind it, a firewall has forgotten a connection. So for whoever has waited for 5 s the server is asked over a fresh
 * connection. Where that is not answered within 5 s either, all connections are given up with everything that waits for them, and whoever
 * asks next opens new ones. Statements that had begun may have been carried out, as after any lost connection.
 */
export function createPatientClient(url: string, { maxConnections, prepare }: PatientClientOptions): PatientClient {
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
    async (answer) => {
      const beganAt = performance.now();
      const silence = Promise.withResolvers<never>();
      let timer: NodeJS.Timeout | undefined;
      const suspect = async () => {
        const goesOn = (await isThere()) && performance.now() - beganAt < NO_ANSWER_AFTER_MS;
        if (!pool.waiting.has(silence.reject)) return;
        if (goesOn) timer = setTimeout(suspect, SUSPECT_AFTER_MS);
        else giveUp(pool);
      };
      timer = setTimeout(suspect, SUSPECT_AFTER_MS);
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

type WaitFor = <Value>(answer: Promise<Value>) => Promise<Value>;

/** Over a connection of its own: those that there are may be lost while the server is well. */
async function isAnswering(url: string): Promise<boolean> {
  const { sql, end } = createServerClient(url, { max: 1 });
  try {
    await sql`select 1`;
    return true;
  } catch {
    return false;
  } finally {
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
function watchAnswer<Query extends Promise<unknown>>(query: Query, waitFor: WaitFor): Query {
  const send = query.then.bind(query);
  return Object.assign(query, {
    // biome-ignore lint/suspicious/noThenProperty: it has one, and this is where answers are waited for.
    then: (...handlers: Parameters<Query['then']>) => waitFor(send()).then(...handlers),
  });
}

type Work = (transaction: postgres.TransactionSql) => unknown;

/** The statements that begin and end a transaction are the driver's own. */
async function runTransaction(sql: postgres.Sql, work: Work, waitFor: WaitFor): Promise<unknown> {
  const begun = Promise.withResolvers<void>();
  const worked = Promise.withResolvers<void>();
  const result = sql.begin(async (transaction) => {
    begun.resolve();
    try {
      return await work(watch(transaction, waitFor));
    } finally {
      worked.resolve();
    }
  });
  await waitFor(Promise.race([begun.promise, result]));
  await Promise.race([worked.promise, result]);
  return waitFor(result);
}
