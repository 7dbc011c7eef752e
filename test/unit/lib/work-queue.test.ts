import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { QueueFullError, WorkQueue, type WorkQueueBounds } from '../../../src/lib/async/work-queue.ts';
import { failureOf, noAbort } from '../../support/hosts/provider-under-test.ts';
import { countInputs } from '../../support/vitest/tiers.ts';

/** A queue whose tasks end when the test says so; `log` records events. */
function createStage(options: Partial<WorkQueueBounds> = {}) {
  const queue = new WorkQueue<number>({ perOwner: 1, total: 10, maxWaitingPerOwner: 10, maxWaiting: 100, ...options });
  const log: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<void>>();
  const add = (name: string, userId = 1, signal: AbortSignal = noAbort()) => {
    const done = Promise.withResolvers<void>();
    ends.set(name, done);
    const work = async () => {
      log.push(`${name} begins`);
      await done.promise;
      return `${name} is done`;
    };
    const onWaiting = (ahead: number) => log.push(`${name} waits behind ${ahead}`);
    const result = queue.run(work, { owner: userId, signal, onWaiting });
    // Tests that need the result use the promise itself.
    result.catch(() => {});
    return result;
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    queue,
    add,
    settle,
    /** Ends a task and returns the events since the last call. */
    async end(name: string) {
      ends.get(name)?.resolve();
      await settle();
      return log.splice(0);
    },
    news: () => log.splice(0),
  };
}

describe('the work queue', () => {
  it('starts tasks up to its concurrency, without reporting a position', async () => {
    const stage = createStage({ perOwner: 2 });
    const first = stage.add('a');
    stage.add('b');
    expect(stage.news()).toEqual(['a begins', 'b begins']);
    await stage.end('a');
    expect(await first).toBe('a is done');
  });

  it('runs the tasks of a user in order and reports each change of their positions', async () => {
    const stage = createStage();
    for (const name of ['a', 'b', 'c']) stage.add(name);
    expect(stage.news()).toEqual(['a begins', 'b waits behind 1', 'c waits behind 2']);
    expect(await stage.end('a')).toEqual(['c waits behind 1', 'b begins']);
    expect(await stage.end('b')).toEqual(['c begins']);
  });

  it('does not let a user wait for tasks of other users while there is capacity', () => {
    const stage = createStage();
    stage.add('a', 1);
    stage.add('b', 1);
    stage.add('c', 2);
    expect(stage.news()).toEqual(['a begins', 'b waits behind 1', 'c begins']);
  });

  it('reports position 0 if only other users are ahead, then starts the task that waited longest', async () => {
    const stage = createStage({ total: 1 });
    stage.add('a', 1);
    stage.add('b', 2);
    stage.add('c', 3);
    expect(stage.news()).toEqual(['a begins', 'b waits behind 0', 'c waits behind 0']);
    expect(await stage.end('a')).toEqual(['b begins']);
    expect(await stage.end('b')).toEqual(['c begins']);
  });

  it('skips users whose own tasks are still running', async () => {
    const stage = createStage({ total: 2 });
    stage.add('a', 1);
    stage.add('x', 9);
    stage.add('b', 1);
    stage.add('c', 2);
    stage.news();
    expect(await stage.end('x')).toEqual(['c begins']);
    expect(await stage.end('a')).toEqual(['b begins']);
  });

  it('continues after a task that failed', async () => {
    const stage = createStage();
    const work = async () => {
      throw new Error('no paint');
    };
    const failed = stage.queue.run(work, { owner: 1 });
    stage.add('b');
    await expect(failed).rejects.toThrow('no paint');
    await stage.settle();
    expect(stage.news()).toEqual(['b waits behind 1', 'b begins']);
  });

  it('removes a waiting task that is aborted, and the others move up', async () => {
    const stage = createStage();
    const controller = new AbortController();
    const reason = new Error('changed my mind');
    stage.add('a');
    const leaving = stage.add('b', 1, controller.signal);
    stage.add('c');
    stage.news();
    controller.abort(reason);
    expect(stage.news()).toEqual(['c waits behind 1']);
    expect(await failureOf(leaving)).toBe(reason);
    expect(await stage.end('a')).toEqual(['c begins']);
  });

  it('does not start a task whose signal was aborted before', async () => {
    const stage = createStage();
    const reason = new Error('too late');
    expect(await failureOf(stage.add('a', 1, AbortSignal.abort(reason)))).toBe(reason);
    expect(stage.news()).toEqual([]);
  });

  it('refuses tasks above the limit of a user, and accepts them again when there is space', async () => {
    const stage = createStage({ maxWaitingPerOwner: 2 });
    for (const name of ['a', 'b', 'c']) stage.add(name);
    expect(await failureOf(stage.add('d'))).toMatchObject({ name: 'QueueFullError', isOwn: true });
    stage.add('of another', 2);
    expect(stage.news()).toContain('of another begins');
    await stage.end('a');
    stage.add('e');
    expect(stage.news()).toEqual(['e waits behind 2']);
  });

  it('refuses tasks above the total limit', async () => {
    const stage = createStage({ total: 1, maxWaiting: 2 });
    stage.add('a', 1);
    stage.add('b', 2);
    stage.add('c', 3);
    expect(await failureOf(stage.add('d', 4))).toMatchObject({ name: 'QueueFullError', isOwn: false });
  });

  it('is not affected by a listener that throws, nor by an abort afterwards', async () => {
    const stage = createStage();
    const controller = new AbortController();
    stage.add('a');
    const onWaiting = () => {
      throw new Error('no ears');
    };
    const spoiled = stage.queue.run(async () => 'never', { owner: 1, signal: controller.signal, onWaiting });
    stage.add('c');
    await expect(spoiled).rejects.toThrow('no ears');
    controller.abort(new Error('enough'));
    stage.news();
    expect(await stage.end('a')).toEqual(['c begins']);
  });

  it('loses no slot when the next task is aborted at the same moment', async () => {
    const stage = createStage();
    const controller = new AbortController();
    stage.add('a');
    const next = stage.add('b', 1, controller.signal);
    stage.add('c');
    const ended = stage.end('a');
    // The end of the first task passes the slot on before the second one is notified.
    queueMicrotask(() => queueMicrotask(() => controller.abort(new Error('gone'))));
    expect(await ended).toContain('b begins');
    expect(await stage.end('b')).toEqual(['c begins']);
    expect(await next).toBe('b is done');
  });

  it('serves a user with many waiting tasks in turn with others', async () => {
    const stage = createStage({ perOwner: 10, total: 1 });
    for (const name of ['a1', 'a2', 'a3', 'a4']) stage.add(name, 1);
    stage.add('b1', 2);
    stage.news();
    const begun = async (name: string) => (await stage.end(name)).filter((line) => line.endsWith('begins'));
    expect(await begun('a1')).toEqual(['a2 begins']);
    expect(await begun('a2')).toEqual(['b1 begins']);
    expect(await begun('b1')).toEqual(['a3 begins']);
  });

  it('lets each task wait at most one round of the other users', async () => {
    const step = fc.option(fc.constantFrom('a', 'b', 'c', 'd'), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 3 }), fc.array(step, { maxLength: 60 }), async (total, steps) => {
        const queue = new WorkQueue({ total, maxWaiting: 8, maxWaitingPerOwner: 3 });
        const begun: string[] = [];
        const ends: (() => void)[] = [];
        const settle = () => new Promise((resolve) => setImmediate(resolve));
        let accepted = 0;
        const add = (owner: string) => {
          const work = () => {
            begun.push(owner);
            return new Promise<void>((resolve) => ends.push(resolve));
          };
          accepted += 1;
          queue.run(work, { owner }).catch((error: unknown) => {
            expect(error).toBeInstanceOf(QueueFullError);
            accepted -= 1;
          });
        };
        for (const owner of steps) {
          if (owner === undefined) ends.shift()?.();
          else add(owner);
          await settle();
          expect(ends.length).toBeLessThanOrEqual(total);
        }
        const waitedFrom = begun.length;
        for (let end = ends.shift(); end; end = ends.shift()) {
          end();
          await settle();
        }
        expect(begun).toHaveLength(accepted);
        // A user is served again only after all others that were still waiting.
        const rest = begun.slice(waitedFrom);
        for (const [at, owner] of rest.entries()) {
          const next = rest.indexOf(owner, at + 1);
          if (next >= 0) expect(rest.slice(at, next)).toEqual(expect.arrayContaining([...new Set(rest.slice(next))]));
        }
      }),
      { seed: 20, numRuns: countInputs(200) },
    );
  });

  it('never exceeds its concurrency, and runs every task', async () => {
    const works = fc.array(
      fc.record({ userId: fc.integer({ min: 1, max: 4 }), turns: fc.nat(4), abortAfter: fc.option(fc.nat(8)) }),
      { maxLength: 30 },
    );
    await fc.assert(
      fc.asyncProperty(
        works,
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 1, max: 5 }),
        async (list, perOwner, total) => {
          const queue = new WorkQueue<number>({ perOwner, total, maxWaiting: 100 });
          const running = new Map<number, number>();
          const begun = new Map<number, number[]>();
          let inAll = 0;
          const runs = list.map(async ({ userId, turns, abortAfter }, index) => {
            const controller = new AbortController();
            const work = async () => {
              begun.set(userId, [...(begun.get(userId) ?? []), index]);
              running.set(userId, (running.get(userId) ?? 0) + 1);
              inAll += 1;
              expect(running.get(userId)).toBeLessThanOrEqual(perOwner);
              expect(inAll).toBeLessThanOrEqual(total);
              for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
              running.set(userId, (running.get(userId) ?? 0) - 1);
              inAll -= 1;
            };
            const run = queue.run(work, { owner: userId, signal: controller.signal });
            if (abortAfter !== null) {
              for (let turn = 0; turn < abortAfter; turn += 1) await Promise.resolve();
              controller.abort(new Error('aborted'));
            }
            return run;
          });
          const outcomes = await Promise.allSettled(runs);
          for (const outcome of outcomes) {
            if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ message: 'aborted' });
          }
          for (const order of begun.values()) expect(order).toEqual(order.toSorted((a, b) => a - b));
          expect(inAll).toBe(0);
        },
      ),
    );
  });
});
