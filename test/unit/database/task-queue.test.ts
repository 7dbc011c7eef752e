import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createTaskQueue } from '../../../src/database/task-queue.ts';

it('one has its turn after the other, what is urgent before what is not', async () => {
  const turns = createTaskQueue();
  const done: string[] = [];
  let atWork = 0;
  const take = (name: string, urgency: 'urgent' | 'usual') =>
    turns.take(async () => {
      atWork += 1;
      expect(atWork).toBe(1);
      await sleep(1);
      atWork -= 1;
      done.push(name);
      return name;
    }, urgency);
  const results = [
    take('first', 'usual'),
    take('second', 'usual'),
    take('urgent', 'urgent'),
    take('urgent too', 'urgent'),
  ];
  expect(await Promise.all(results)).toEqual(['first', 'second', 'urgent', 'urgent too']);
  expect(done).toEqual(['first', 'urgent', 'urgent too', 'second']);
});

it('a failure is for whoever asked, and holds nobody up', async () => {
  const turns = createTaskQueue();
  const failing = turns.take(() => Promise.reject(new Error('no such table')));
  const next = turns.take(async () => 'goes on');
  await expect(failing).rejects.toThrow('no such table');
  expect(await next).toBe('goes on');
});

it('others of the process are heard while somebody has always more to do', async () => {
  const turns = createTaskQueue();
  let isHeard = false;
  setImmediate(() => {
    isHeard = true;
  });
  const work = async () => {
    const end = performance.now() + 1;
    while (performance.now() < end);
  };
  // Without a break these would be a thousand turns within microtasks.
  for (let turn = 0; turn < 1000 && !isHeard; turn++) await turns.take(work);
  expect(isHeard).toBe(true);
});
