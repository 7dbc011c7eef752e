import { createHash } from 'node:crypto';
import { stat, unlink } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Thrown when another process of this machine has locked the directory. */
export class DirectoryInUseError extends Error {
  override readonly name = 'DirectoryInUseError';
  constructor(directory: string) {
    super(`${directory} is in use by another process`);
  }
}

/**
 * Locks a directory against other processes of this machine until the returned function is called or the process ends.
 * The lock is a listening local socket, which the system closes even after kill -9.
 * @throws DirectoryInUseError
 */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  // By device and inode: a directory may have several paths, and another container may use the same path for another
  // directory.
  const { dev, ino } = await stat(directory, { bigint: true });
  const name = `switchboard-${createHash('sha256').update(`${dev} ${ino}`).digest('hex').slice(0, 16)}`;
  const server = await (LEAVES_FILES ? listenInstead(join(tmpdir(), `${name}.sock`)) : listen(`${NAMESPACE}${name}`));
  if (!server) throw new DirectoryInUseError(directory);
  return () => new Promise((resolve) => server.close(() => resolve()));
}

/** On other systems a socket is a file that remains after its process is killed. */
const LEAVES_FILES = process.platform !== 'linux' && process.platform !== 'win32';
/** Namespace of socket names that are not files: unix(7), "Abstract sockets"; named pipes. */
const NAMESPACE = process.platform === 'win32' ? '\\\\.\\pipe\\' : '\0';

/** Listens on a socket file, replacing a stale one on which no process listens. */
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
