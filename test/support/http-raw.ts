import { connect, type Socket } from 'node:net';

/** A bare connection, for what no HTTP client would send or do. */
export interface RawConnection {
  readonly socket: Socket;
  send(bytes: string | Buffer): void;
  /** Everything received so far. */
  received(): string;
  /** Resolves with everything received as soon as `isEnough` says so. @throws after `timeoutMs`. */
  receive(isEnough: (text: string) => boolean, timeoutMs?: number): Promise<string>;
  /** Resolves with everything received when the server has ended the connection. @throws after `timeoutMs`. */
  ended(timeoutMs?: number): Promise<string>;
}

/**
 * Connects to a port of this machine. The caller destroys `socket`, or the server ends it.
 * @param localAddress another address of this machine, `127.0.0.2`, to be another client. Default 127.0.0.1.
 */
export async function connectRaw(port: number, localAddress = '127.0.0.1'): Promise<RawConnection> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  const pieces: Buffer[] = [];
  let onChange = () => {};
  let isEnded = false;
  const received = () => Buffer.concat(pieces).toString('utf8');
  socket.on('data', (piece) => {
    pieces.push(piece);
    onChange();
  });
  socket.on('close', () => {
    isEnded = true;
    onChange();
  });
  // A reset is one way of being closed; tests look at what came before it.
  socket.on('error', () => {});
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });

  const until = (isMet: () => boolean, timeoutMs: number) =>
    new Promise<string>((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(`nothing more came within ${timeoutMs} ms after: ${received()}`));
      }, timeoutMs);
      onChange = () => {
        if (!isMet()) return;
        clearTimeout(timer);
        resolve(received());
      };
      onChange();
    });
  return {
    socket,
    send: (bytes) => void socket.write(bytes),
    received,
    receive: (isEnough, timeoutMs = 60_000) => until(() => isEnough(received()), timeoutMs),
    ended: (timeoutMs = 60_000) => until(() => isEnded, timeoutMs),
  };
}

/** A request head with `Host`, ended by the blank line. */
export function requestHead(line: string, headers: Readonly<Record<string, string>> = {}): string {
  const fields = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line} HTTP/1.1\r\n${fields.join('')}\r\n`;
}
