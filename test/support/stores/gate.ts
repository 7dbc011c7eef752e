import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/**
 * Inspects the bytes of one connection. Returns true if they, and everything after them in either direction, must be
 * held back.
 */
export type Watcher = (bytes: Buffer, sender: 'client' | 'server') => boolean;

/** TCP proxy on loopback that can stop a connection at a chosen byte, until one side closes it. */
export type Gate = Awaited<ReturnType<typeof startGate>>;

/** Starts a gate in front of a server. */
export async function startGate(target: { readonly host: string; readonly port: number }) {
  const sockets = new Set<Socket>();
  let watch: { readonly create: () => Watcher; readonly onHeld: () => void } | undefined;
  const server = createServer((client) => {
    const upstream = connect(target.port, target.host);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket
        .on('error', () => {})
        .once('close', () => {
          sockets.delete(socket);
          other.destroy();
        });
    }
    let watcher: { readonly of: typeof watch; readonly mustStay: Watcher } | undefined;
    let isHeld = false;
    const forward = (bytes: Buffer, sender: 'client' | 'server', receiver: Socket) => {
      if (watch && watcher?.of !== watch) watcher = { of: watch, mustStay: watch.create() };
      if (!isHeld && watch && watcher?.mustStay(bytes, sender)) {
        isHeld = true;
        watch.onHeld();
        watch = undefined;
      }
      if (!isHeld) receiver.write(bytes);
    };
    client.on('data', (bytes) => forward(bytes, 'client', upstream));
    upstream.on('data', (bytes) => forward(bytes, 'server', client));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    /**
     * Watches each connection with a new watcher. Resolves when the first one holds; the others are not watched
     * afterwards.
     */
    hold: (createWatcher: () => Watcher) =>
      new Promise<void>((resolve) => {
        watch = { create: createWatcher, onHeld: resolve };
      }),
    async close() {
      for (const socket of sockets) socket.destroy();
      await once(server.close(), 'close');
    },
  };
}

/** Holds a connection once its client has sent more than `sizeBytes`. */
export function holdBehind(sizeBytes: number): () => Watcher {
  return () => {
    let sentBytes = 0;
    return (bytes, sender) => {
      if (sender === 'client') sentBytes += bytes.length;
      return sentBytes > sizeBytes;
    };
  };
}

/**
 * Holds the Postgres transaction that contains `words`: before anything of it is executed, or after the commit but
 * before its confirmation.
 */
export function holdTransaction(words: string, moment: 'before' | 'after'): () => Watcher {
  return () => {
    let isInTransaction = false;
    let isMeant = false;
    return (bytes, sender) => {
      if (sender === 'client') {
        isMeant ||= isInTransaction && bytes.includes(words);
        return isMeant && moment === 'before';
      }
      // Uses the server's tags of completed commands, because prepared statements are sent without their text.
      isInTransaction ||= bytes.includes('BEGIN');
      if (!bytes.includes('COMMIT')) return false;
      isInTransaction = false;
      return isMeant;
    };
  };
}
