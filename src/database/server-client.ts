import { connect, type Socket } from 'node:net';
import postgres from 'postgres';

/** The driver with a connection pool to one server. */
export type ServerClient = ReturnType<typeof createServerClient>;

/** Traffic of a connection at the last check. */
interface Traffic {
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /** Time since which nothing was received, as far as detected. */
  readonly silentSince: number;
  /** True if data was sent since data was last received. */
  readonly isAsked: boolean;
}

/**
 * Delay between reconnects, so that a server that closes connections at once is not called hundreds of times a second.
 */
const RECONNECT_AFTER_S = 0.2;
const CONNECT_TIMEOUT_S = 5;

/**
 * Creates a client. The first statement opens a connection. A connection attempt fails after 5 s; the next statement
 * tries again.
 */
export function createServerClient(url: string, options: postgres.Options<Record<never, never>> = {}) {
  const sockets = new Map<Socket, Traffic | undefined>();
  const isWatched = hasOneHost(url);
  const sql = postgres(url, {
    connect_timeout: CONNECT_TIMEOUT_S,
    // A constant delay: statements fail quickly while the server is down, and the first one after that succeeds.
    backoff: () => RECONNECT_AFTER_S,
    onnotice: () => {},
    ...options,
    // With several hosts, the driver must choose one.
    ...(isWatched ? { socket: (target: SocketTarget) => openSocket(target, sockets) } : {}),
  });
  return {
    sql,
    /**
     * Closes connections on which the server has sent nothing for `silentMs`; statements waiting on them fail. Silence is
     * measured by polling: it counts from the first call that detected it. @returns false if silence can't be detected.
     */
    endSilent(silentMs: number): boolean {
      const now = performance.now();
      for (const [socket, before] of sockets) {
        const traffic = look(socket, before, now);
        sockets.set(socket, traffic);
        if (now - traffic.silentSince >= silentMs) socket.destroy();
      }
      return isWatched;
    },
    /** Closes the connections; statements in flight get `timeoutMs`. */
    async end(timeoutMs: number): Promise<void> {
      await sql.end({ timeout: timeoutMs / 1000 });
      // A silent server does not confirm the end of a connection.
      for (const socket of sockets.keys()) socket.destroy();
    },
  };
}

/** Updates the traffic of a connection. An idle connection counts as silent only from its next request. */
function look({ bytesRead, bytesWritten }: Socket, before: Traffic | undefined, now: number): Traffic {
  const hasReceived = before?.bytesRead !== bytesRead;
  if (hasReceived) return { bytesRead, bytesWritten, silentSince: now, isAsked: false };
  const isFirstAsked = !before.isAsked && before.bytesWritten !== bytesWritten;
  return isFirstAsked ? { bytesRead, bytesWritten, silentSince: now, isAsked: true } : before;
}

/** Connection target given by the driver. */
interface SocketTarget {
  readonly host: readonly string[];
  readonly port: readonly number[];
  /** Path of a Unix socket. */
  readonly path: string | false;
}

async function openSocket(
  { host, port, path }: SocketTarget,
  sockets: Map<Socket, Traffic | undefined>,
): Promise<Socket> {
  // The driver adds its error listener in the next microtask, so nothing may fail before.
  await undefined;
  const socket = path ? connect({ path }) : connect({ host: host[0] ?? 'localhost', port: port[0] ?? 5432 });
  // TLS removes all listeners of a socket, so closed sockets are detected here.
  for (const old of sockets.keys()) if (old.destroyed) sockets.delete(old);
  sockets.set(socket, undefined);
  // Without an error the driver would reconnect immediately in a loop until the server responds.
  socket.once('end', () => socket.destroy(new ServerHungUpError()));
  // TLS verifies the certificate against this name.
  return Object.assign(socket, { host: host[0] });
}

/** Thrown when the server closes a connection without an error. */
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
