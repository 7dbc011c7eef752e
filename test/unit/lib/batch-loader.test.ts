import { setImmediate } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { BatchLoader } from '../../../src/lib/async/batch-loader.ts';

/** Writes one batch at a time; the writes end when the test says so. */
function setUp(maxItems = 100) {
  const writes: { readonly items: readonly number[]; readonly settle: PromiseWithResolvers<void> }[] = [];
  const write = async (items: readonly number[]) => {
    const settle = Promise.withResolvers<void>();
    writes.push({ items, settle });
    await settle.promise;
    return items.map((item) => `wrote ${item}`);
  };
  const loader = new BatchLoader<number, string>(write, { maxBatchSize: maxItems, maxInFlight: 1 });
  const add = (item: number) => loader.load(item);
  /** Waits two turns of the event loop, so that everything scheduled for the next turn has run. */
  const turn = async () => {
    await setImmediate();
    await setImmediate();
  };
  const end = async (at: number, error?: Error) => {
    await vi.waitFor(() => expect(writes.length).toBeGreaterThan(at));
    if (error) writes[at]?.settle.reject(error);
    else writes[at]?.settle.resolve();
    await turn();
  };
  return { add, turn, end, written: () => writes.map(({ items }) => items) };
}

it('items of one turn are written together, later items with the next batch', async () => {
  const { add, turn, end, written } = setUp();
  const results = [1, 2].map(add);
  await turn();
  expect(written()).toEqual([[1, 2]]);
  results.push(add(3), add(4));
  await turn();
  expect(written()).toHaveLength(1);
  await end(0);
  expect(written()).toEqual([
    [1, 2],
    [3, 4],
  ]);
  await end(1);
  expect(await Promise.all(results)).toEqual(['wrote 1', 'wrote 2', 'wrote 3', 'wrote 4']);
  void add(5);
  await turn();
  expect(written().at(-1)).toEqual([5]);
});

it('a batch has a maximum number of items', async () => {
  const { add, turn, end, written } = setUp(2);
  for (let item = 0; item < 5; item++) void add(item);
  await turn();
  await end(0);
  await end(1);
  expect(written()).toEqual([[0, 1], [2, 3], [4]]);
});

it('a failed batch fails its own items, and later batches are written', async () => {
  const { add, turn, end } = setUp(2);
  const results = Promise.allSettled([1, 2, 3].map(add));
  await turn();
  await end(0, new Error('full disk'));
  await end(1);
  const later = add(4);
  await turn();
  await end(2);
  expect(await later).toBe('wrote 4');
  expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
});
