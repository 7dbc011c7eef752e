import { type Clock, sleep } from '../lib/clock.ts';
import type { Logger } from '../lib/log/logger.ts';
import type { DatabaseConfig } from './connect.ts';
import { createServerClient, type ServerClient } from './server-client.ts';

export interface LeadershipDeps {
  readonly clock: Clock;
  readonly logger: Logger;
}

const TRY_AGAIN_MS = 1000;
const WATCH_EVERY_MS = 2000;
const ANSWER_TIMEOUT_MS = 5000;

/**
 * Runs `work` in one of all processes of a database. The others wait, and one of them takes over when the leader ends
 * or dies. The single process of an embedded database leads at once. Resolves when the signal aborts.
 * @param key identifies the work in all processes: an integer not used for any other advisory lock.
 * @param work gets a signal that aborts when leadership is lost, and should then end soon. The process leads until
 * `work` resolves.
 * @throws only the errors of `work`.
 */
export async function leadWork(
  deps: LeadershipDeps,
  { database, key, signal }: { readonly database: DatabaseConfig; readonly key: number; readonly signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  if (database.kind === 'embedded') return work(signal);
  const lock = createSessionLock(database.url, key);
  let isWaitingLogged = false;
  while (!signal.aborted) {
    try {
      if (await lock.take()) {
        isWaitingLogged = false;
        deps.logger.info('this process leads');
        await leadWhileLocked(deps, lock, signal, work);
      } else if (!isWaitingLogged) {
        deps.logger.info('another process leads; this one is ready to take over');
        isWaitingLogged = true;
      }
    } finally {
      if (signal.aborted) await lock.close();
    }
    await sleep(deps.clock, TRY_AGAIN_MS, signal).catch(() => {});
  }
  await lock.close();
}

async function leadWhileLocked(
  deps: LeadershipDeps,
  lock: SessionLock,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const lost = new AbortController();
  const over = new AbortController();
  const watch = async () => {
    while (await lock.isHeld()) await sleep(deps.clock, WATCH_EVERY_MS, over.signal);
    deps.logger.warn('the database connection of the leader was lost; this process no longer leads');
    lost.abort(new Error('another process may lead now'));
  };
  const watching = watch().catch(() => {});
  try {
    await work(AbortSignal.any([signal, lost.signal]));
  } finally {
    over.abort();
    await watching;
    await lock.release();
  }
}

/** Advisory lock of one database session. The server releases it when the session ends for any reason. */
type SessionLock = ReturnType<typeof createSessionLock>;

function createSessionLock(url: string, key: number) {
  const connect = () =>
    createServerClient(url, {
      max: 1,
      // The lock is lost when its connection is closed.
      max_lifetime: null,
      connection: { application_name: 'switchboard leader', statement_timeout: ANSWER_TIMEOUT_MS },
    });
  let client: ServerClient | undefined;
  let session: number | undefined;

  const end = async (): Promise<void> => {
    const ended = client;
    client = undefined;
    session = undefined;
    await ended?.end(1000);
  };
  /**
   * Tries to take the lock. TCP keepalives make the server detect a vanished host, which would otherwise hold the lock
   * for hours.
   */
  const ask = async ({ sql }: ServerClient) => {
    await sql`select set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '5', false),
      set_config('tcp_keepalives_count', '3', false)`;
    const [row] = await sql<{ pid: number; taken: boolean }[]>`
      select pg_backend_pid() as pid, pg_try_advisory_lock(${key}::bigint) as taken`;
    return row?.taken ? row.pid : undefined;
  };

  return {
    /** Returns false if another session holds the lock or the server can't be reached. */
    async take(): Promise<boolean> {
      try {
        client ??= connect();
        session = await withTimeout(ask(client));
        return session !== undefined;
      } catch {
        await end();
        return false;
      }
    },
    async isHeld(): Promise<boolean> {
      try {
        if (!client || session === undefined) return false;
        const [row] = await withTimeout(client.sql<{ pid: number }[]>`select pg_backend_pid() as pid`);
        // The driver reconnects by itself, but the new session does not hold the lock.
        return row?.pid === session;
      } catch {
        return false;
      }
    },
    release: end,
    close: end,
  };
}

/** @throws if there is no response within `ANSWER_TIMEOUT_MS`. */
async function withTimeout<Value>(answer: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('the database does not answer')), ANSWER_TIMEOUT_MS);
  });
  return Promise.race([answer, silence]).finally(() => clearTimeout(timer));
}
