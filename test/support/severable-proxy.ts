import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy on loopback whose connections can be cut, and which can be away for a while. */
export interface SeverableProxy {
  readonly port: number;
  /** Cuts all connections; new ones are refused until `mend`. */
  sever(): Promise<void>;
  mend(): Promise<void>;
  /**
   * The server gets what a client sends with `words` in it, but the client never hears its `confirmation`: the connection is cut as
   * soon as that comes. Resolves then.
   */
  loseConfirmation(words: string, confirmation: string): Promise<void>;
  close(): Promise<void>;
}

interface Loss {
  readonly words: string;
  readonly confirmation: string;
  readonly onLost: () => void;
}

/** Stands in front of a server. */
export async function startSeverableProxy(target: {
  readonly host: string;
  readonly port: number;
}): Promise<SeverableProxy> {
  const sockets = new Set<Socket>();
  let loss: Loss | undefined;

  const onConnection = (client: Socket) => {
    const upstream = connect(target.port, target.host);
    let losing: Loss | undefined;
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    client.on('data', (bytes) => {
      if (loss && bytes.includes(loss.words)) {
        losing = loss;
        loss = undefined;
      }
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
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
    sever,
    async mend() {
      server = await listen(port);
    },
    loseConfirmation: (words, confirmation) =>
      new Promise((resolve) => {
        loss = { words, confirmation, onLost: resolve };
      }),
    close: sever,
  };
}
