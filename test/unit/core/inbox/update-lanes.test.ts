import { describe, expect, it } from 'vitest';
import { createUpdateLanes, type UpdateLanesOptions } from '../../../../src/core/inbox/index.ts';
import { createFakeClock } from '../../../support/fake-clock.ts';
import { createRecordingLogger } from '../../../support/recording-logger.ts';

interface Job {
  readonly name: string;
  readonly lasts?: number;
  readonly fails?: boolean;
}

function setUp(options: Partial<UpdateLanesOptions<Job>> = {}) {
  const clock = createFakeClock();
  const { logger, lines } = createRecordingLogger();
  const events: string[] = [];
  let running = 0;
  let mostRunning = 0;
  const lanes = createUpdateLanes<Job>(
    { clock, logger },
    {
      maxPendingPerChat: 100,
      maxConcurrent: 100,
      handle: async (job, signal) => {
        mostRunning = Math.max(mostRunning, ++running);
        events.push(`${job.name} starts`);
        await new Promise<void>((resolve) => {
          clock.setTimer(job.lasts ?? 10, resolve);
          signal.addEventListener('abort', () => {
            events.push(`${job.name} is aborted`);
            resolve();
          });
        });
        running -= 1;
        if (job.fails) throw new Error('broken job');
        events.push(`${job.name} ends`);
      },
      ...options,
    },
  );
  return { clock, lines, lanes, events, mostRunning: () => mostRunning };
}

describe('update lanes', () => {
  it('work in order within a chat and in parallel between chats', async () => {
    const { clock, lanes, events } = setUp();
    lanes.add(1, { name: 'a1', lasts: 30 });
    lanes.add(1, { name: 'a2' });
    lanes.add(2, { name: 'b1' });
    await clock.advance(100);
    expect(events).toEqual(['a1 starts', 'b1 starts', 'b1 ends', 'a1 ends', 'a2 starts', 'a2 ends']);
    expect(lanes.pending).toBe(0);
  });

  it('go on after an exception, and say so in the log', async () => {
    const { clock, lanes, lines, events } = setUp();
    lanes.add(1, { name: 'bad', fails: true });
    lanes.add(1, { name: 'good' });
    await clock.advance(100);
    expect(events).toContain('good ends');
    expect(lines.filter((line) => line.includes('broken job'))).toHaveLength(1);
  });

  it('go on after a handler that throws before it waits', async () => {
    const handled: string[] = [];
    const { clock, lanes } = setUp({
      handle: (job) => {
        handled.push(job.name);
        throw new Error('at once');
      },
    });
    lanes.add(1, { name: 'a' });
    lanes.add(1, { name: 'b' });
    await clock.advance(1);
    expect(handled).toEqual(['a', 'b']);
  });

  it('take nothing beyond their bounds', async () => {
    const { clock, lanes } = setUp({ maxPendingPerChat: 2, maxPending: 3 });
    const taken = ['running', 'one', 'two', 'three'].map((name) => lanes.add(1, { name }));
    expect(taken).toEqual([true, true, true, false]);
    lanes.add(2, { name: 'running' });
    expect(lanes.add(2, { name: 'one' })).toBe(true);
    expect(lanes.add(3, { name: 'too much in all' })).toBe(false);
    await clock.advance(1000);
    expect(lanes.add(1, { name: 'room again' })).toBe(true);
  });

  it('serve many chats a few at a time, in turn', async () => {
    const { clock, lanes, events, mostRunning } = setUp({ maxConcurrent: 3 });
    for (let round = 1; round <= 2; round++) {
      for (let chat = 1; chat <= 10; chat++) lanes.add(chat, { name: `${chat}.${round}` });
    }
    await clock.advance(1000);
    expect(mostRunning()).toBe(3);
    const starts = events.filter((event) => event.endsWith('starts'));
    expect(starts).toHaveLength(20);
    expect(starts.slice(0, 10).every((start) => start.endsWith('.1 starts'))).toBe(true);
  });

  it('finish what they have when drained, and take nothing more', async () => {
    const { clock, lanes, events } = setUp();
    lanes.add(1, { name: 'a' });
    lanes.add(1, { name: 'b' });
    const left = lanes.drain(1000);
    expect(lanes.add(2, { name: 'late' })).toBe(false);
    await clock.advance(100);
    expect(await left).toBe(0);
    expect(events).toContain('b ends');
    expect(clock.pending).toBe(0);
  });

  it('end a drain in time: running work is told, waiting work is left', async () => {
    const { clock, lanes, events } = setUp();
    lanes.add(1, { name: 'slow', lasts: 60_000 });
    lanes.add(1, { name: 'waiting' });
    const left = lanes.drain(1000);
    await clock.advance(1000);
    expect(await left).toBe(2);
    expect(events).toEqual(['slow starts', 'slow is aborted', 'slow ends']);
    expect(lanes.pending).toBe(0);
  });

  it('drain at once when there is nothing to do', async () => {
    expect(await setUp().lanes.drain(1000)).toBe(0);
  });
});
