import { readdir, readFile } from 'node:fs/promises';

/** Returns the ids of a process's children whose command line contains `command`. Ended ones do not count. */
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
