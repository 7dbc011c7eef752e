import { connect, type Socket } from 'node:net';
import postgres from 'postgres';

/** The driver with a pool of connections to one server. */
export interface ServerClient {
  readonly sql: postgres.Sql;
  /** Ends the connections; statements under way get so long. */
  end(timeoutMs: number): Promise<void>;
}

/** Between two tries of one connection: a server that takes connections and closes them at once is not asked hundreds of times a second. */
const RECONNECT_AFTER_S = 0.2;
const CONNECT_TIMEOUT_S = 5;

/** Opens no connection yet: the first statement does. A connection that does not come about within 5 s is given up, and the next statement tries anew. */
export function createServerClient(url: string, options: postgres.Options<Record<never, never>> = {}): ServerClient {
  const sockets = new Set<Socket>();
  const sql = postgres(url, {
    connect_timeout: CONNECT_TIMEOUT_S,
    // Whoever asks while the server is away hears so at once, and the first to ask when it is back has an answer.
    backoff: () => RECONNECT_AFTER_S,
    onnotice: () => {},
    ...options,
    // With several hosts the driver itself has to choose.
    ...(hasOneHost(url) ? { socket: (target: SocketTarget) => openSocket(target, sockets) } : {}),
  });
  return {
    sql,
    async end(timeoutMs) {
      await sql.end({ timeout: timeoutMs / 1000 });
      // A server that says nothing does not hear that this is the end either.
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** What the driver tells of whom to connect to. */
interface SocketTarget {
  readonly host: readonly string[];
  readonly port: readonly number[];
  /** A socket on the disk. */
  readonly path: string | false;
}

async function openSocket({ host, port, path }: SocketTarget, sockets: Set<Socket>): Promise<Socket> {
  // The driver listens for errors from the next microtask on, so nothing may fail before.
  await undefined;
  const socket = path ? connect({ path }) : connect({ host: host[0] ?? 'localhost', port: port[0] ?? 5432 });
  // TLS takes all listeners off a socket, so nobody hears of its end.
  for (const old of sockets) if (old.destroyed) sockets.delete(old);
  sockets.add(socket);
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
