import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createTaskQueue } from '../../../src/database/task-queue.ts';

it('tasks run one after the other, urgent tasks first', async () => {
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

it('an error is thrown to the caller of its task, and the next tasks run', async () => {
  const turns = createTaskQueue();
  const failing = turns.take(() => Promise.reject(new Error('no such table')));
  const next = turns.take(async () => 'goes on');
  await expect(failing).rejects.toThrow('no such table');
  expect(await next).toBe('goes on');
});

it('other events of the process are handled while one caller adds tasks without end', async () => {
  const turns = createTaskQueue();
  let isHeard = false;
  setImmediate(() => {
    isHeard = true;
  });
  const work = async () => {
    const end = performance.now() + 1;
    while (performance.now() < end);
  };
  // Without a break these would be a thousand tasks within microtasks.
  for (let turn = 0; turn < 1000 && !isHeard; turn++) await turns.take(work);
  expect(isHeard).toBe(true);
});
