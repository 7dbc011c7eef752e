import { describe, expect, it } from 'vitest';
import { createSlots, SlotsFullError } from '../../../src/lib/slots.ts';

describe('slots', () => {
  /** Works that end when they are told to, by their names. */
  const setUp = (bounds = { atOnce: 1, maxWaiting: 3 }) => {
    const slots = createSlots(bounds);
    const begun: string[] = [];
    const ends = new Map<string, PromiseWithResolvers<string>>();
    const run = (name: string, signal?: AbortSignal) => {
      const end = Promise.withResolvers<string>();
      ends.set(name, end);
      return slots.run(() => {
        begun.push(name);
        return end.promise;
      }, signal);
    };
    const end = async (name: string) => {
      ends.get(name)?.resolve(name);
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { run, end, ends, begun };
  };

  it('let some work be done at a time, in order, and refuse what nobody would wait for', async () => {
    const { run, end, begun } = setUp({ atOnce: 2, maxWaiting: 2 });
    const works = ['a', 'b', 'c', 'd'].map((name) => run(name));
    await expect(run('e')).rejects.toThrow(SlotsFullError);
    expect(begun).toEqual(['a', 'b']);
    await end('b');
    expect(begun).toEqual(['a', 'b', 'c']);
    for (const name of ['c', 'a', 'd']) await end(name);
    expect(await Promise.all(works)).toEqual(['a', 'b', 'c', 'd']);
    expect(await Promise.all([run('f'), end('f')])).toEqual(['f', undefined]);
  });

  it('are free again after a failure', async () => {
    const { run, ends, end, begun } = setUp();
    const failing = run('a');
    const next = run('b');
    ends.get('a')?.reject(new Error('broken'));
    await expect(failing).rejects.toThrow('broken');
    await end('b');
    expect([await next, begun]).toEqual(['b', ['a', 'b']]);
  });

  it('forget who leaves, and nobody else', async () => {
    const { run, end, begun } = setUp();
    const leaving = new AbortController();
    const works = [run('a'), run('b', leaving.signal), run('c')];
    leaving.abort(new Error('gone'));
    await expect(works[1]).rejects.toThrow('gone');
    await expect(run('d', leaving.signal)).rejects.toThrow('gone');
    await end('a');
    expect(begun).toEqual(['a', 'c']);
    await end('c');
  });

  it('lose no turn where whoever has got it leaves in the same moment', async () => {
    const { run, end, ends, begun } = setUp();
    const leaving = new AbortController();
    const works = [run('a'), run('b', leaving.signal), run('c')];
    // The first one's end gives the turn on before the second one hears of it.
    ends.get('a')?.resolve('a');
    queueMicrotask(() => queueMicrotask(() => leaving.abort(new Error('gone'))));
    await end('b');
    await end('c');
    expect([await Promise.all(works), begun]).toEqual([
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
    ]);
  });
});
