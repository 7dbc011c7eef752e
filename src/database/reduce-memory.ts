import { totalmem } from 'node:os';
import { setFlagsFromString } from 'node:v8';

/** Memory of a machine or container below which memory is saved. */
const LITTLE_BYTES = 2 * 1024 ** 3;

/**
 * Reduces the memory of the embedded database on small machines; call it before the database is first opened. V8
 * recompiles frequently used WebAssembly code for speed, which briefly needs 600 MiB for one function of Postgres; on a
 * machine with 1 GB the process would be killed. Without it statements take about a third longer.
 * @param memoryBytes memory available to the process. Default: as reported by the system.
 */
export function reduceMemory(memoryBytes = readMachineMemory()): void {
  if (memoryBytes >= LITTLE_BYTES) return;
  // V8 evaluates both flags when it compiles the module.
  setFlagsFromString('--no-wasm-dynamic-tiering');
  setFlagsFromString('--no-wasm-tier-up');
}

/** Returns the bytes of memory available to this process: those of the machine, or the limit of the container. */
function readMachineMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
