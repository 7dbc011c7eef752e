import { readFileSync, writeFileSync, writeSync } from 'node:fs';
import { answerParent } from '../../../src/lib/process/answer-parent.ts';
import { toLengthHeader } from '../../../src/lib/process/length-header.ts';

let held: Buffer | undefined;

/** Work of the child processes in `run-in-process.test.ts`, by name. */
const WORKS: { readonly [name: string]: (value: unknown) => unknown } = {
  echo: (value) => value,
  pid: () => process.pid,
  environment: () => Object.keys(process.env),
  throw: () => {
    throw new Error('refused');
  },
  loop: () => {
    for (;;);
  },
  heap: () => {
    const kept: unknown[] = [];
    for (;;) kept.push({ text: String(Math.random()) });
  },
  // V8 aborts the process because a single allocation is far larger than its heap limit.
  leap: () => Array.from({ length: 1_000_000_000 }, () => 0),
  buffers: async () => {
    const kept: Buffer[] = [];
    for (;;) {
      kept.push(Buffer.alloc(4_000_000, 1));
      await new Promise((resolve) => setImmediate(resolve));
    }
  },
  hold: () => {
    held = Buffer.alloc(200_000_000, 1);
    return held.length;
  },
  kill: () => process.kill(process.pid, 'SIGKILL'),
  exit: () => process.exit(0),
  reject: () => {
    void Promise.reject(new Error('stray'));
    return new Promise(() => {});
  },
  wait: () => new Promise(() => {}),
  junk: () => {
    const junk = Buffer.from([0xff, 0x0f, 0x41, 0xff, 0xff, 0xff, 0xff, 0x0f, 1, 2, 3]);
    writeSync(3, toLengthHeader(junk.length));
    writeSync(3, junk);
    return new Promise(() => {});
  },
  flood: () => {
    for (;;) writeSync(3, Buffer.alloc(65_536, 0xff));
  },
  noise: () => {
    for (let line = 0; line < 20_000; line += 1) process.stderr.write(`noise ${line}\n`);
    for (let line = 0; line < 20_000; line += 1) process.stdout.write(`noise ${line}\n`);
    return 'done';
  },
  read: (path) => readFileSync(String(path), 'utf8').length,
  write: (path) => writeFileSync(String(path), 'written'),
  start: async () => (await import('node:child_process')).spawnSync('true').status,
};

await answerParent(async (data) => {
  const { name, value } = data as { name: string; value: unknown };
  return WORKS[name]?.(value);
});
