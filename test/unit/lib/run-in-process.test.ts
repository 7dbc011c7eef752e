import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import { ProcessError, type ProcessLimits, runInProcess } from '../../../src/lib/process/run-in-process.ts';
import { findChildren, isAlive } from '../../support/machine/child-processes.ts';

const WORK = new URL('../../support/programs/process-work.ts', import.meta.url);
const NEVER = new AbortController().signal;

const run = (name: string, value?: unknown, limits: Partial<ProcessLimits> = {}, signal = NEVER) =>
  runInProcess(
    { module: WORK, data: { name, value } },
    { clock: systemClock, timeoutMs: 60_000, maxMemoryBytes: 100_000_000, ...limits },
    signal,
  );
const expectProblem = (work: Promise<unknown>, problem: ProcessError['problem']) =>
  expect(work).rejects.toSatisfy((error) => error instanceof ProcessError && error.problem === problem);

const findWorkers = (parent = process.pid) => findChildren(parent, 'process-work.ts');

describe('a task in a child process', () => {
  it('gets its data and returns its result as structured clone copies them', async () => {
    const value = { bytes: Buffer.alloc(300_000, 7), when: new Date(0), list: [1, undefined, 2n], text: 'ä\u{1f600}' };
    const result = (await run('echo', value)) as typeof value;
    expect(result).toEqual(value);
    expect(Buffer.from(result.bytes).equals(value.bytes)).toBe(true);
  });

  it('may write any amount to its console', async () => {
    expect(await run('noise')).toBe('done');
  });

  it.each([
    ['fails', 'throw', 'broken'],
    ['loses a promise', 'reject', 'broken'],
    ['exits without an answer', 'exit', 'broken'],
    ['answers with junk', 'junk', 'broken'],
    ['answers without end', 'flood', 'too-large'],
    ['fills its heap', 'heap', 'too-large'],
    ['allocates far beyond its heap at once', 'leap', 'too-large'],
    ['fills memory outside its heap', 'buffers', 'too-large'],
    ['is killed by the system', 'kill', 'too-large'],
  ] as const)('that %s is an error, and breaks nothing else', async (_, name, problem) => {
    await expectProblem(run(name), problem);
    expect(await findWorkers()).toEqual([]);
  });

  it.each(['loop', 'wait'])('that does not end (%s) is killed at its timeout', async (name) => {
    await expectProblem(run(name, undefined, { timeoutMs: 1000 }), 'too-slow');
    expect(await findWorkers()).toEqual([]);
  });

  it('ends with its signal, with the reason of the signal', async () => {
    const ending = new AbortController();
    const work = run('loop', undefined, {}, ending.signal);
    await expect.poll(() => findWorkers()).toHaveLength(1);
    ending.abort(new Error('stopped'));
    await expect(work).rejects.toThrow('stopped');
    expect(await findWorkers()).toEqual([]);
    await expect(run('echo', 1, {}, ending.signal)).rejects.toThrow('stopped');
  });

  it('is an error if its module does not exist', async () => {
    const task = { module: new URL('./missing.ts', WORK), data: 1 };
    const limits = { clock: systemClock, timeoutMs: 60_000, maxMemoryBytes: 100_000_000 };
    await expectProblem(runInProcess(task, limits, NEVER), 'broken');
  });

  it('gets no environment, reads only the program, writes no files and starts no processes', async () => {
    expect(await run('environment')).toEqual([]);
    expect(await run('read', new URL('../../../src/main.ts', import.meta.url).pathname)).toBeGreaterThan(0);
    for (const path of ['/etc/passwd', join(import.meta.dirname, '../../../.env'), '/proc/self/environ'])
      await expectProblem(run('read', path), 'broken');
    await expectProblem(run('write', join(tmpdir(), 'written-by-a-child')), 'broken');
    await expectProblem(run('start'), 'broken');
  });

  it.each(['loop', 'wait'])('does not outlive its parent (%s)', async (name) => {
    const parent = spawn(process.execPath, [
      new URL('../../support/programs/process-parent.ts', import.meta.url).pathname,
      name,
    ]);
    const ended = once(parent, 'exit');
    await expect.poll(() => findWorkers(parent.pid)).toHaveLength(1);
    const [child = 0] = await findWorkers(parent.pid);
    // Ready: its watchdog has started.
    await expect.poll(async () => (await readdir(`/proc/${child}/task`)).length).toBeGreaterThan(6);
    parent.kill('SIGKILL');
    await ended;
    await expect.poll(() => isAlive(child)).toBe(false);
  });
});
