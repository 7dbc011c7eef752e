import { connect } from 'node:net';

/** Raw TCP connection, for requests that no HTTP client would send. */
export type RawConnection = Awaited<ReturnType<typeof connectRaw>>;

/**
 * Connects to a port of this machine. The caller destroys `socket`, or the server ends it.
 * @param localAddress source address, such as `127.0.0.2` to appear as another client. Default 127.0.0.1.
 */
export async function connectRaw(port: number, localAddress = '127.0.0.1') {
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
  // A reset is a valid way to close; tests check the bytes received before it.
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
    send: (bytes: string | Buffer) => void socket.write(bytes),
    /** Returns everything received so far. */
    received,
    /** Resolves with everything received as soon as `isEnough` returns true. @throws after `timeoutMs`. */
    receive: (isEnough: (text: string) => boolean, timeoutMs = 60_000) => until(() => isEnough(received()), timeoutMs),
    /** Resolves with everything received when the server has closed the connection. @throws after `timeoutMs`. */
    ended: (timeoutMs = 60_000) => until(() => isEnded, timeoutMs),
  };
}

/** Returns a request head with `Host`, including the blank line. */
export function requestHead(line: string, headers: Readonly<Record<string, string>> = {}): string {
  const fields = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line} HTTP/1.1\r\n${fields.join('')}\r\n`;
}
