import { pipeline } from 'node:stream/promises';
import { MIGRATION_LOCK } from '../migrate.ts';
import { createServerClient } from '../server-client.ts';
import { PREPARE_TRANSACTION } from './catalogue.ts';

/** One connection to a server, for one transaction. */
export type ServerSession = ReturnType<typeof openServerSession>;

/** Silence after which the system begins to ask whether the server is still there. */
const KEEP_ALIVE_S = 10;
/** Longest pause between two chunks of rows, on either side. */
const STALL_MS = 5 * 60_000;

/** Thrown instead of a statement when the connection is lost, and its transaction with it. */
class SessionLostError extends Error {
  override readonly name = 'SessionLostError';
  readonly code = 'ECONNRESET';
  constructor() {
    super('The connection to the database server was lost');
  }
}

/** Creates a session; the first statement connects. */
export function openServerSession(url: string) {
  let isLost = false;
  const client = createServerClient(url, {
    max: 1,
    max_lifetime: null,
    keep_alive: KEEP_ALIVE_S,
    fetch_types: false,
    connection: { application_name: 'switchboard copy' },
    onclose: () => {
      isLost = true;
    },
  });
  /** The driver would open a new connection, which is not in the transaction. */
  const send = (statement: string) => {
    if (isLost) throw new SessionLostError();
    return client.sql.unsafe(statement);
  };
  return {
    async query<Row>(statement: string): Promise<readonly Row[]> {
      return (await send(statement)) as unknown as readonly Row[];
    },
    /** Begins the transaction. */
    async begin(characteristics = ''): Promise<void> {
      await send(`begin ${characteristics}`);
      await send(PREPARE_TRANSACTION);
      // The server would otherwise wait for hours for a host that has vanished, with everything that it has locked.
      await send(`select set_config('tcp_keepalives_idle', '10', true), set_config('tcp_keepalives_interval', '5', true),
        set_config('tcp_keepalives_count', '3', true)`);
    },
    /** Returns what a statement `copy … to stdout` writes. */
    async *read(statement: string): AsyncGenerator<Uint8Array> {
      const rows = await send(statement).readable();
      yield* rows;
      // The driver has paused its socket if the last row filled the buffer, and would never resume it.
      if (!isLost) rows._read(0);
    },
    /** Runs a statement `copy … from stdin` with this text. */
    async write(statement: string, rows: AsyncIterable<Uint8Array>): Promise<void> {
      const query = send(statement);
      const failure = observeFailure(query);
      const stall = createStallTimer();
      try {
        const stored = pipeline(stall.watch(rows), await query.writable(), { signal: stall.signal });
        await Promise.race([failure, stored]).catch((error: unknown) => Promise.reject(stall.signal.reason ?? error));
      } finally {
        stall.end();
      }
    },
    /** Ends the connection, and so a transaction that is not committed. */
    end: () => client.end(0),
  };
}

/**
 * Prevents processes from starting on the database until the end of the transaction.
 * @returns false if one is starting on it, or copies it.
 */
export async function lockStarts(session: ServerSession): Promise<boolean> {
  const [lock] = await session.query<{ isTaken: boolean }>(
    `select pg_try_advisory_xact_lock(${MIGRATION_LOCK}::bigint) as "isTaken"`,
  );
  return lock?.isTaken ?? false;
}

/** Returns the sessions of the service in this database, each in words. */
export async function listServiceSessions(session: ServerSession): Promise<readonly string[]> {
  const rows = await session.query<{ name: string; pid: number; client: string | null }>(
    `select application_name as name, pid, host(client_addr) as client from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()
       and application_name in ('switchboard', 'switchboard listener', 'switchboard leader')
     order by pid limit 3`,
  );
  return rows.map(
    ({ pid, client }) => `server process ${pid} for a client ${client === null ? 'on its machine' : `at ${client}`}`,
  );
}

/**
 * Returns a promise that is rejected when the query fails. The promise of a query that copies is fulfilled with a stream,
 * which the driver forgets after its last chunk: it would never end if the server refuses one of the last rows.
 */
function observeFailure(query: object): Promise<never> {
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => {});
  const reject: unknown = Reflect.get(query, 'reject');
  Reflect.set(query, 'reject', (error: unknown) => {
    failure.reject(error);
    if (typeof reject === 'function') reject(error);
  });
  return failure.promise;
}

function createStallTimer() {
  const stalled = new AbortController();
  const timer = setTimeout(
    () => stalled.abort(new Error(`no row was read or written for ${STALL_MS / 1000} s`)),
    STALL_MS,
  );
  return {
    signal: stalled.signal,
    async *watch(rows: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const chunk of rows) {
        timer.refresh();
        yield chunk;
      }
      timer.refresh();
    },
    end: () => clearTimeout(timer),
  };
}
