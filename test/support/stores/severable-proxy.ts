import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

interface Loss {
  readonly words: string;
  readonly confirmation: string;
  readonly onLost: () => void;
}

/** TCP proxy on loopback that can cut its connections, refuse new ones, or drop bytes. */
export type SeverableProxy = Awaited<ReturnType<typeof startSeverableProxy>>;

/** Starts a proxy in front of a server. */
export async function startSeverableProxy(target: { readonly host: string; readonly port: number }) {
  const sockets = new Set<Socket>();
  let loss: Loss | undefined;
  let isSilent = false;
  let hushingWords: string | undefined;
  let isSlamming = false;
  let connections = 0;
  const hushed = new WeakSet<Socket>();

  const onConnection = (client: Socket) => {
    connections += 1;
    if (isSlamming)
      return void client
        .on('error', () => {})
        .resume()
        .end();
    const upstream = connect(target.port, target.host);
    let losing: Loss | undefined;
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      if (isSilent) hushed.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    client.on('data', (bytes) => {
      if (hushingWords !== undefined && bytes.includes(hushingWords)) hushed.add(client);
      if (hushed.has(client)) return;
      if (loss && bytes.includes(loss.words)) {
        losing = loss;
        loss = undefined;
      }
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (hushed.has(client)) return;
      if (!losing || !bytes.includes(losing.confirmation)) return void client.write(bytes);
      client.destroy();
      losing.onLost();
    });
  };
  const listen = async (port: number): Promise<Server> => {
    const server = createServer(onConnection).listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };

  let server = await listen(0);
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const sever = async () => {
    const closed = server.listening ? once(server.close(), 'close') : undefined;
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    port,
    /** Cuts all connections; new ones are refused until `mend`. */
    sever,
    async mend() {
      isSlamming = false;
      hushingWords = undefined;
      if (!server.listening) server = await listen(port);
    },
    /** Keeps connections open and accepts new ones, but drops all bytes until `speak`. */
    hush() {
      isSilent = true;
      for (const socket of sockets) hushed.add(socket);
    },
    /** Forwards bytes again on new connections. Existing ones stay silent, as after a firewall has lost their state. */
    speak() {
      isSilent = false;
    },
    /** Makes each connection silent forever when its client sends these words, until `mend`. */
    hushAt(words: string) {
      hushingWords = words;
    },
    /** Accepts connections and closes them at once, until `mend`. */
    slam() {
      isSlamming = true;
      for (const socket of sockets) socket.destroy();
    },
    /** Returns the total number of connections. */
    connectionCount: () => connections,
    /**
     * Loses the confirmation of a request: the server gets the bytes with `words`, but the connection is cut when its
     * `confirmation` arrives. Resolves then.
     */
    loseConfirmation: (words: string, confirmation: string) =>
      new Promise<void>((resolve) => {
        loss = { words, confirmation, onLost: resolve };
      }),
    close: sever,
  };
}
