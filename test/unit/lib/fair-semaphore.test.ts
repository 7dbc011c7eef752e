import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFairSemaphore, FairQueueFullError } from '../../../src/lib/fair-semaphore.ts';

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Work that ends when it is told to, in the order in which it began. */
function createStage(limits: Parameters<typeof createFairSemaphore>[0]) {
  const semaphore = createFairSemaphore(limits);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  return {
    begun,
    run: (client: string) =>
      semaphore.run(client, async () => {
        begun.push(client);
        await new Promise<void>((resolve) => ends.push(resolve));
      }),
    async endOne() {
      ends.shift()?.();
      await settle();
    },
    runningCount: () => ends.length,
  };
}

test('a client that has much waiting is served in turn with others', async () => {
  const stage = createStage({ maxConcurrent: 1, maxWaiting: 100, maxWaitingPerClient: 10 });
  const all = [];
  for (let at = 0; at < 6; at++) all.push(stage.run('greedy'));
  all.push(stage.run('late'));
  await settle();
  for (let at = 0; at < 7; at++) await stage.endOne();
  await Promise.all(all);
  expect(stage.begun).toEqual(['greedy', 'greedy', 'late', 'greedy', 'greedy', 'greedy', 'greedy']);
});

test('a full queue is told to its client alone', async () => {
  const stage = createStage({ maxConcurrent: 1, maxWaiting: 3, maxWaitingPerClient: 2 });
  const all = ['a', 'a', 'a'].map((client) => stage.run(client));
  await expect(stage.run('a')).rejects.toMatchObject({ isOwnQueue: true });
  all.push(stage.run('b'));
  await expect(stage.run('c')).rejects.toMatchObject({ isOwnQueue: false });
  await settle();
  for (let at = 0; at < 4; at++) await stage.endOne();
  await Promise.all(all);
});

test('a failure gives the place to the next', async () => {
  const semaphore = createFairSemaphore({ maxConcurrent: 1, maxWaiting: 3, maxWaitingPerClient: 3 });
  const failing = semaphore.run('a', async () => {
    throw new Error('broken');
  });
  const next = semaphore.run('a', async () => 'done');
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('done');
});

test('whatever clients do, no more runs than may, and each waits at most one round of the other clients', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.option(fc.constantFrom('a', 'b', 'c', 'd'), { nil: undefined }), { maxLength: 60 }),
      async (maxConcurrent, steps) => {
        const stage = createStage({ maxConcurrent, maxWaiting: 8, maxWaitingPerClient: 3 });
        let accepted = 0;
        for (const client of steps) {
          if (client === undefined) await stage.endOne();
          else {
            accepted++;
            stage.run(client).catch((error: unknown) => {
              expect(error).toBeInstanceOf(FairQueueFullError);
              accepted--;
            });
          }
          await settle();
          expect(stage.runningCount()).toBeLessThanOrEqual(maxConcurrent);
        }
        const waitingFrom = stage.begun.length;
        while (stage.runningCount() > 0) await stage.endOne();
        expect(stage.begun).toHaveLength(accepted);
        // The rest was served in rounds: a client comes again only after all others that still waited.
        const rest = stage.begun.slice(waitingFrom);
        rest.forEach((client, at) => {
          const next = rest.indexOf(client, at + 1);
          if (next < 0) return;
          const later = new Set(rest.slice(next));
          for (const other of later) expect(rest.slice(at, next)).toContain(other);
        });
      },
    ),
    { seed: 20, numRuns: 200 },
  );
});
