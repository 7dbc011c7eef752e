import { totalmem } from 'node:os';

/** Returns the bytes of memory available to this process: those of the machine, or the limit of the container. */
export function readMachineMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
