import { closeSync, readFileSync, writeSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { ProcessAnswer } from './run-in-process.ts';

const INPUT = 0;
const OUTPUT = 3;
/** Worker that kills the process when its parent is gone, even while the main thread is stuck in a loop. */
const WATCHDOG = `
const { workerData: parent } = require('node:worker_threads');
setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 200);
`;

/**
 * Runs the work of a module started by `runInProcess`: reads the input, writes the result, and waits to be killed.
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
  // Ignored because init systems may signal all processes of the service, but only the parent ends its children.
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => {});
  const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 };
  new Worker(WATCHDOG, { eval: true, env: {}, workerData: parent, resourceLimits });
}
