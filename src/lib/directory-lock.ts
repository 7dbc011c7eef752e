import { createHash } from 'node:crypto';
import { realpath, unlink } from 'node:fs/promises';
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
  const name = `switchboard-${createHash('sha256')
    .update(await realpath(directory))
    .digest('hex')
    .slice(0, 16)}`;
  const path = process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
  let server = await listen(path);
  if (!server) {
    if (await answers(path)) throw new DirectoryInUseError(directory);
    await unlink(path);
    server = await listen(path);
    if (!server) throw new DirectoryInUseError(directory);
  }
  const held = server;
  return () => new Promise((resolve) => held.close(() => resolve()));
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
