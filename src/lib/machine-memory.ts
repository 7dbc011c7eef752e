import { totalmem } from 'node:os';

/** Bytes of memory that this process may use: those of the machine, or of the container where that has a limit. */
export function readMachineMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
