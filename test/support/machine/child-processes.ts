import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readdir, readFile } from 'node:fs/promises';

/** Returns the ids of a process's children whose command line contains `command`. Zombies do not count. */
export async function findChildren(parent: number, command: string): Promise<number[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const read = (id: string, file: string) => readFile(`/proc/${id}/${file}`, 'utf8').catch(() => '');
  const found = await Promise.all(
    ids.map(async (id) => {
      const status = await read(id, 'status');
      const isChild = status.includes(`PPid:\t${parent}\n`) && !status.includes('State:\tZ');
      return isChild && (await read(id, 'cmdline')).includes(command) ? [Number(id)] : [];
    }),
  );
  return found.flat();
}

export function isAlive(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}

/**
 * Pauses the children of this process that start from now on and whose command line contains `command`: they do no work
 * until they are killed. The returned function lets later ones run.
 */
export function pauseChildren(command: string): () => void {
  const pause = (message: unknown) => {
    const { process: child } = message as { readonly process: ChildProcess };
    child.once('spawn', () => {
      if (child.spawnargs.join(' ').includes(command)) child.kill('SIGSTOP');
    });
  };
  subscribe('child_process', pause);
  return () => unsubscribe('child_process', pause);
}

/**
 * Watches the children of this process. The returned function stops watching and returns the peak memory of the largest
 * child in bytes.
 */
export function watchChildMemory(): () => number {
  let largestBytes = 0;
  const look = async () => {
    for (const conversation of await readdir('/proc/self/task')) {
      const children = await readFile(`/proc/self/task/${conversation}/children`, 'utf8').catch(() => '');
      for (const child of children.split(' ').filter((id) => id !== '')) {
        const status = await readFile(`/proc/${child}/status`, 'utf8').catch(() => '');
        largestBytes = Math.max(largestBytes, Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1024);
      }
    }
  };
  const timer = setInterval(() => void look().catch(() => {}), 50);
  return () => {
    clearInterval(timer);
    return largestBytes;
  };
}

/** Ends a child with SIGKILL, and waits for its end. */
export async function killChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}

const START_MS = 30_000;

/** Waits until a server program answers. @throws if it ends before, or takes longer than 30 s */
export async function untilAnswers(child: ChildProcess, url: string): Promise<void> {
  const deadline = Date.now() + START_MS;
  while (Date.now() < deadline && child.exitCode === null) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer) return void (await answer.arrayBuffer());
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`${child.spawnfile} did not start`);
}
