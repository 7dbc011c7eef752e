import { setFlagsFromString } from 'node:v8';
import { readMachineMemory } from '../lib/machine-memory.ts';

/** Less than 2 GiB is little, for a machine or a container. */
const LITTLE_BYTES = 2 * 1024 ** 3;

/**
 * Has the embedded database do with less memory where there is little; to be called before it is opened for the first time. V8 compiles
 * code of WebAssembly that is used often a second time, so that it runs faster, and needs 600 MiB for a moment to do that for one function
 * of Postgres: a machine with 1 GB ends the process then. Without it statements take about a third more time.
 * @param memoryBytes what the process may use. Default as the system says.
 */
export function spareMemory(memoryBytes = readMachineMemory()): void {
  if (memoryBytes >= LITTLE_BYTES) return;
  // V8 looks at both when it compiles the module.
  setFlagsFromString('--no-wasm-dynamic-tiering');
  setFlagsFromString('--no-wasm-tier-up');
}
