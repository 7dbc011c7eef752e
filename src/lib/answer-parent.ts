import { closeSync, readFileSync, writeSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { ProcessAnswer } from './run-in-process.ts';

const INPUT = 0;
const OUTPUT = 3;
/** Ends the process when its parent is gone, even while the main thread is stuck in a loop. */
const WATCHDOG = `
const { workerData: parent } = require('node:worker_threads');
setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 200);
`;

/**
 * Does the work of a module that `runInProcess` runs: reads the input, writes the result, and waits to be killed.
 * @param work gets the `data` of the task.
 */
export async function answerParent(work: (data: unknown) => Promise<unknown>): Promise<void> {
  watchParent(Number(process.argv[2]));
  const answer = await work(deserialize(readFileSync(INPUT))).then(
    (result): ProcessAnswer => ({ result }),
    (error: unknown): ProcessAnswer => ({ error: String(error) }),
  );
  const bytes = serialize(answer);
  for (let at = 0; at < bytes.length; ) at += writeSync(OUTPUT, bytes, at);
  closeSync(OUTPUT);
}

function watchParent(parent: number): void {
  // An init system that stops all processes of the service at once leaves it to the parent to end its children.
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => {});
  const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 };
  new Worker(WATCHDOG, { eval: true, env: {}, workerData: parent, resourceLimits });
}
