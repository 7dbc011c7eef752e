import { createHash } from 'node:crypto';
import { stat, unlink } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Another process on this machine holds the directory. */
export class DirectoryInUseError extends Error {
  override readonly name = 'DirectoryInUseError';
  constructor(directory: string) {
    super(`${directory} is in use by another process`);
  }
}

/**
 * Holds a directory against other processes of this machine until the answer is called or the process ends, however it ends:
 * the lock is a listening local socket, which the system closes even after kill -9.
 * @throws DirectoryInUseError
 */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  // Not its path: that may be one of several, or that of another folder in another container.
  const { dev, ino } = await stat(directory, { bigint: true });
  const name = `switchboard-${createHash('sha256').update(`${dev} ${ino}`).digest('hex').slice(0, 16)}`;
  const server = await (LEAVES_FILES ? listenInstead(join(tmpdir(), `${name}.sock`)) : listen(`${NAMESPACE}${name}`));
  if (!server) throw new DirectoryInUseError(directory);
  return () => new Promise((resolve) => server.close(() => resolve()));
}

/** Elsewhere the name of a socket is a file, which a killed process leaves behind. */
const LEAVES_FILES = process.platform !== 'linux' && process.platform !== 'win32';
/** Of names that are no files: unix(7), "Abstract sockets"; named pipes. */
const NAMESPACE = process.platform === 'win32' ? '\\\\.\\pipe\\' : '\0';

/** In the place of a file behind which nobody is any more. */
async function listenInstead(path: string): Promise<Server | undefined> {
  const server = await listen(path);
  if (server || (await answers(path))) return server;
  await unlink(path);
  return listen(path);
}

function listen(path: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.unref();
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen(path, () => resolve(server));
  });
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
