import { connect, type Socket } from 'node:net';
import postgres from 'postgres';

/** The driver with a pool of connections to one server. */
export interface ServerClient {
  readonly sql: postgres.Sql;
  /**
   * Ends the connections on which nothing has come from the server for so long; what waits on them fails. Silence is noticed by asking: it
   * counts from the first time that it was found. @returns false where that can't be seen.
   */
  endSilent(silentMs: number): boolean;
  /** Ends the connections; statements under way get so long. */
  end(timeoutMs: number): Promise<void>;
}

/** What was seen of a connection when it was last looked at. */
interface Traffic {
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /** Since when nothing has come, as far as that was seen. */
  readonly silentSince: number;
  /** Something was sent since something came. */
  readonly isAsked: boolean;
}

/** Between two tries of one connection: a server that takes connections and closes them at once is not asked hundreds of times a second. */
const RECONNECT_AFTER_S = 0.2;
const CONNECT_TIMEOUT_S = 5;

/** Opens no connection yet: the first statement does. A connection that does not come about within 5 s is given up, and the next statement tries anew. */
export function createServerClient(url: string, options: postgres.Options<Record<never, never>> = {}): ServerClient {
  const sockets = new Map<Socket, Traffic | undefined>();
  const isWatched = hasOneHost(url);
  const sql = postgres(url, {
    connect_timeout: CONNECT_TIMEOUT_S,
    // Whoever asks while the server is away hears so at once, and the first to ask when it is back has an answer.
    backoff: () => RECONNECT_AFTER_S,
    onnotice: () => {},
    ...options,
    // With several hosts the driver itself has to choose.
    ...(isWatched ? { socket: (target: SocketTarget) => openSocket(target, sockets) } : {}),
  });
  return {
    sql,
    endSilent(silentMs) {
      const now = performance.now();
      for (const [socket, before] of sockets) {
        const traffic = look(socket, before, now);
        sockets.set(socket, traffic);
        if (now - traffic.silentSince >= silentMs) socket.destroy();
      }
      return isWatched;
    },
    async end(timeoutMs) {
      await sql.end({ timeout: timeoutMs / 1000 });
      // A server that says nothing does not hear that this is the end either.
      for (const socket of sockets.keys()) socket.destroy();
    },
  };
}

/** A connection that was idle is silent from when it is asked for something. */
function look({ bytesRead, bytesWritten }: Socket, before: Traffic | undefined, now: number): Traffic {
  const hasHeard = before?.bytesRead !== bytesRead;
  if (hasHeard) return { bytesRead, bytesWritten, silentSince: now, isAsked: false };
  const isFirstAsked = !before.isAsked && before.bytesWritten !== bytesWritten;
  return isFirstAsked ? { bytesRead, bytesWritten, silentSince: now, isAsked: true } : before;
}

/** What the driver tells of whom to connect to. */
interface SocketTarget {
  readonly host: readonly string[];
  readonly port: readonly number[];
  /** A socket on the disk. */
  readonly path: string | false;
}

async function openSocket(
  { host, port, path }: SocketTarget,
  sockets: Map<Socket, Traffic | undefined>,
): Promise<Socket> {
  // The driver listens for errors from the next microtask on, so nothing may fail before.
  await undefined;
  const socket = path ? connect({ path }) : connect({ host: host[0] ?? 'localhost', port: port[0] ?? 5432 });
  // TLS takes all listeners off a socket, so nobody hears of its end.
  for (const old of sockets.keys()) if (old.destroyed) sockets.delete(old);
  sockets.set(socket, undefined);
  // Without an error the driver connects again at once, and again, for as long as the server has not said anything.
  socket.once('end', () => socket.destroy(new ServerHungUpError()));
  // By this name TLS checks the certificate.
  return Object.assign(socket, { host: host[0] });
}

/** The server has closed a connection without a word. */
class ServerHungUpError extends Error {
  override readonly name = 'ServerHungUpError';
  readonly code = 'ECONNRESET';
  constructor() {
    super('The database server has closed the connection');
  }
}

function hasOneHost(url: string): boolean {
  return !new URL(url).host.includes(',');
}
