import { connect, type Socket } from 'node:net';
import postgres from 'postgres';

/** The driver with a connection pool to one server. */
export type ServerClient = ReturnType<typeof createServerClient>;

/** Bytes in both directions that a connection had at a check, and the time of the first check that found them. */
interface Traffic {
  readonly bytes: number;
  readonly since: number;
}

/**
 * Delay between reconnects, so that a server that closes connections at once is not called hundreds of times a second.
 */
const RECONNECT_AFTER_S = 0.2;
const CONNECT_TIMEOUT_S = 5;
const DEFAULT_PORT = 5432;

/**
 * Creates a client. The first statement opens a connection. A connection attempt fails after 5 s; the next statement
 * tries again.
 */
export function createServerClient(url: string, options: postgres.Options<Record<never, never>> = {}) {
  const sockets = new Map<Socket, Traffic | undefined>();
  const sql = postgres(url, {
    connect_timeout: CONNECT_TIMEOUT_S,
    // A constant delay: statements fail quickly while the server is down, and the first one after that succeeds.
    backoff: () => RECONNECT_AFTER_S,
    onnotice: () => {},
    ...options,
    // With several hosts, the driver must choose one.
    ...(hasOneHost(url) ? { socket: (target: SocketTarget) => openSocket(target, sockets) } : {}),
    ...toAddress(url),
  });
  return {
    sql,
    /**
     * Closes connections without traffic for `silentMs`, as far as earlier calls have seen: they are idle, or lost, and
     * statements waiting on them fail.
     */
    endSilent(silentMs: number): void {
      const now = performance.now();
      for (const [socket, seen] of sockets) {
        const bytes = socket.bytesRead + socket.bytesWritten;
        if (bytes !== seen?.bytes) sockets.set(socket, { bytes, since: now });
        else if (now - seen.since >= silentMs) socket.destroy();
      }
    },
    /** Closes the connections; statements in flight get `timeoutMs`. */
    async end(timeoutMs: number): Promise<void> {
      await sql.end({ timeout: timeoutMs / 1000 });
      // A silent server does not confirm the end of a connection.
      for (const socket of sockets.keys()) socket.destroy();
    },
  };
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

/**
 * Returns true for the failure of the question for array types that the driver asks on each new connection. The driver
 * does not handle it, so that it is an unhandled rejection; statements on the connection fail by themselves.
 */
export function isOfArrayTypes(error: unknown): boolean {
  return error instanceof Error && 'query' in error && String(error.query).includes('b.typarray');
}

function hasOneHost(url: string): boolean {
  return !new URL(url).host.includes(',');
}

/** Returns the host and port of an IPv6 address, in which the driver would take the first colon for the one of the port. */
function toAddress(url: string): object {
  const { hostname, port } = new URL(url);
  return hostname.startsWith('[') ? { host: [hostname.slice(1, -1)], port: [Number(port || DEFAULT_PORT)] } : {};
}
