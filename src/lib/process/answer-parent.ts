import { readSync, writeSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { LENGTH_HEADER_BYTES, toLengthHeader } from './length-header.ts';
import type { ProcessAnswer } from './run-in-process.ts';

const INPUT = 0;
const OUTPUT = 3;
/** Worker that kills the process when its parent is gone, even while the main thread is stuck in a loop. */
const WATCHDOG = `
const { workerData: parent } = require('node:worker_threads');
setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 200);
`;

/**
 * Runs the work of a module started by `startTaskProcess`: reads an input, writes the result, and waits for the next
 * input or to be killed.
 * @param work gets the `data` of a task.
 */
export async function answerParent(work: (data: unknown) => Promise<unknown>): Promise<void> {
  watchParent(Number(process.argv[2]));
  for (let input = readMessage(); input; input = readMessage()) {
    const answer = await work(deserialize(input)).then(
      (result): ProcessAnswer => ({ result }),
      (error: unknown): ProcessAnswer => ({ error: String(error) }),
    );
    const bytes = serialize(answer);
    writeWhole(toLengthHeader(bytes.length));
    writeWhole(bytes);
  }
}

/** Waits for a message. Returns undefined if the parent is gone. */
function readMessage(): Buffer | undefined {
  const header = readWhole(LENGTH_HEADER_BYTES);
  return header && readWhole(header.readUInt32LE());
}

function readWhole(sizeBytes: number): Buffer | undefined {
  const bytes = Buffer.alloc(sizeBytes);
  for (let at = 0; at < sizeBytes; ) {
    const count = readSync(INPUT, bytes, { offset: at });
    if (count === 0) return undefined;
    at += count;
  }
  return bytes;
}

function writeWhole(bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(OUTPUT, bytes, at);
}

function watchParent(parent: number): void {
  // Ignored because init systems may signal all processes of the service, but only the parent ends its children.
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => {});
  const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 };
  new Worker(WATCHDOG, { eval: true, env: {}, workerData: parent, resourceLimits });
}
