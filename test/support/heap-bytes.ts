import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Returns the size of the heap of this process without garbage. */
export function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
