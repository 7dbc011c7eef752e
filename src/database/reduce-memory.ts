import { setFlagsFromString } from 'node:v8';
import { readMachineMemory } from '../lib/machine-memory.ts';

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
