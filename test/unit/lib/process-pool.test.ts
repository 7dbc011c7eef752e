import { afterAll, expect, it, vi } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import { createProcessPool, type PoolLimits } from '../../../src/lib/process/process-pool.ts';
import { findChildren, isAlive } from '../../support/machine/child-processes.ts';

const WORK = new URL('../../support/programs/process-work.ts', import.meta.url);
const NEVER = new AbortController().signal;
// Other test files of this process count such children.
afterAll(async () => {
  for (const child of await findChildren(process.pid, 'process-work.ts')) process.kill(child, 'SIGKILL');
  await vi.waitFor(async () => expect(await findChildren(process.pid, 'process-work.ts')).toEqual([]));
});

const LIMITS = { clock: systemClock, timeoutMs: 60_000, maxMemoryBytes: 100_000_000, maxTasks: 100, idleMs: 60_000 };

function createPool(limits: Partial<PoolLimits> = {}) {
  const run = createProcessPool({ module: WORK }, { ...LIMITS, ...limits });
  return (name: string, value?: unknown, signal = NEVER) => run({ name, value }, signal);
}

it('a process runs several tasks, each with its own data and result', async () => {
  const run = createPool();
  const first = await run('pid');
  for (const sizeBytes of [0, 3_000_000, 1]) {
    expect((await run('echo', Buffer.alloc(sizeBytes, 7))) as Buffer).toHaveLength(sizeBytes);
  }
  expect(await run('pid')).toBe(first);
});

it('concurrent tasks have processes of their own, which are reused', async () => {
  const run = createPool();
  const pids = await Promise.all([run('pid'), run('pid')]);
  expect(new Set(pids).size).toBe(2);
  expect(pids).toContain(await run('pid'));
});

it.each(['throw', 'exit', 'junk', 'kill', 'buffers'])('a process whose task fails (%s) is replaced', async (name) => {
  const run = createPool();
  const first = Number(await run('pid'));
  await expect(run(name)).rejects.toThrow();
  expect(await isAlive(first)).toBe(false);
  expect(await run('pid')).not.toBe(first);
});

it('a process whose task is aborted is replaced', async () => {
  const run = createPool();
  const first = await run('pid');
  await expect(run('wait', undefined, AbortSignal.timeout(50))).rejects.toThrow();
  expect(await run('pid')).not.toBe(first);
});

it('a process that died between two tasks is replaced', async () => {
  const run = createPool();
  const first = Number(await run('pid'));
  process.kill(first, 'SIGKILL');
  await expect.poll(() => isAlive(first)).toBe(false);
  expect(await run('pid')).not.toBe(first);
});

it('a process is replaced after its last task, and when it holds much memory', async () => {
  const run = createPool({ maxTasks: 2, maxMemoryBytes: 300_000_000 });
  const pids = [await run('pid'), await run('pid'), await run('pid')];
  expect(pids[1]).toBe(pids[0]);
  expect(pids[2]).not.toBe(pids[0]);
  await run('hold');
  expect(await run('pid')).not.toBe(pids[2]);
});

it('an unused process is ended', async () => {
  const run = createPool({ idleMs: 50 });
  const child = Number(await run('pid'));
  await expect.poll(() => findChildren(process.pid, 'process-work.ts')).not.toContain(child);
});
